# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The loop from a wish to its being true: plan, carry out step by step, plan anew when something is not as planned."""

from __future__ import annotations

import itertools
import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from planner_node.plan.handling import Handling
from planner_node.plan.steps import GoalFailed, InVain, Step, Steps, Stopped
from planner_node.plan.task_planning.domain import CLOSED, HOLDING, ON, Action
from planner_node.plan.task_planning.literals import ANY, Literal
from planner_node.plan.task_planning.making_room import in_the_way
from planner_node.plan.task_planning.physics import household_physics
from planner_node.plan.task_planning.situation import KEPT, Problem, Role, Situation, Wish
from planner_node.plan.task_planning.solving import Impossible, Interrupted, NoPlan
from planner_node.plan.task_planning.telling import Telling
from planner_node.skills import Code, Outcome, SkillCall
from planner_node.understand.goals import ObjectRef
from planner_node.world import SEEN

_LOG = logging.getLogger(__name__)

_MOST_PLANS = 60
"""Plans for one wish, after which the robot is going round in circles."""
_MOST_REFUSALS = 12
"""Things of one kind that refuse what is to be done with them, after which no other is tried."""
_MOST_CLEARED = 3
"""Things that are put aside from one place to make room."""


class Pursuit:
    """Makes wishes true."""

    def __init__(self, handling: Handling) -> None:
        self._do = handling
        self._world = handling.world
        physics = household_physics()
        self.situation = Situation(handling.world, handling.lexicon, handling.table, handling.grounding, physics)
        self.situation.opened = handling.opened
        self.surfaces = physics.surfaces
        self.said = physics.said
        self.entities = itertools.count(1)
        """Numbers for what no instruction speaks of."""
        self.cleared: Counter[str] = Counter()
        """Things that were put aside to make room, by the place."""
        handling.bring_about = lambda literal, why: self.bring_about(Wish((literal,), why=why))

    def bring_about(self, wish: Wish) -> Steps[bool]:
        """Make a wish true; return whether that took anything. GoalFailed says why it can't be."""
        with self._do.following.before() as ahead:
            return (yield from _Attempt(self, self._do, wish, ahead).run())

    def plan(
        self, wish: Wish, done: Collection[Literal], avoid: frozenset[str], unsure: frozenset[str]
    ) -> tuple[Problem, list[Action]]:
        """Return the problem as things stand and a plan for it. GoalFailed when there is none, Stopped on cancel."""
        try:
            problem = self.situation.problem(wish, done, avoid, unsure)
            try:
                found = self._do.solver(problem.state, problem.actions, problem.goal)
            except Impossible as error:
                telling = Telling(self._do, self.said, wish.relation, wish.why)
                raise NoPlan(telling.impossible(error.literal, problem)) from error
        except NoPlan as error:
            raise GoalFailed(Code.PLANNING_FAILURE, f"I have no plan for it: {error}.") from error
        except Interrupted as error:
            raise Stopped(Code.CANCELED, "Stopped as asked while I was planning.") from error
        return problem, [problem.actions[index] for index in found]


class _Attempt:
    """One wish, and what turned out on the way."""

    def __init__(self, pursuit: Pursuit, handling: Handling, wish: Wish, ahead: Sequence[SkillCall] = ()) -> None:
        """`ahead`: what was planned to come after it."""
        self._ahead = ahead
        self._pursuit = pursuit
        self._do = handling
        self._world = handling.world
        self._wish = wish
        self._telling = Telling(handling, pursuit.said, wish.relation, wish.why)
        self._done: set[Literal] = set()
        self._avoid = set(wish.avoid)
        self._unsure: set[str] = set()
        self._looked_at: set[str] = set()
        self._refused: Counter[tuple[str, str]] = Counter()
        self._complaint: dict[str, str] = {}
        """Category or role → why the last thing of it would not do."""
        self._rejected: GoalFailed | None = None
        """What the rules last said of a place."""
        self._loosened: list[Role] = []
        """Roles as they were before what is also called so did, too."""
        self._full: dict[str, str] = {}
        """Receptacles that took nothing more, and what they did not take."""
        self._problem: Problem
        """The problem that the plan in progress solves."""

    def run(self) -> Steps[bool]:
        """Make the wish true; where everything that would do is full, make room there, then be less strict.

        Returns whether that took anything: what was looked for may have been found as it is wished to be.
        """
        yield from self._look_whether_it_is_in()
        while True:
            try:
                yield from self._pursue()
            except GoalFailed as failure:
                if failure.code is Code.REFUSED or not ((yield from self._make_room()) or self._loosen()):
                    self._say_what_was_taken()
                    if self._full:
                        raise InVain(failure.code, failure.message) from failure
                    raise
            else:
                self._say_what_was_taken()
                wanted = {literal.predicate for literal in self._wish.literals}
                return bool(wanted & {literal.predicate for literal in self._done})

    def _look_whether_it_is_in(self) -> Steps[None]:
        """Look first where a thing is only remembered to be in what works on it: an empty sink washes nothing."""
        role = self._wish.roles.get("x")
        wanted = {literal.predicate for literal in self._wish.literals if literal.positive}
        kinds = self._pursuit.situation.workplaces(wanted)
        known = self._do.grounding.candidates(role.ref, role.index) if role is not None else []
        best = next((b for b in known if role is not None and b.id not in role.avoid | self._avoid), None)
        holder = self._world.get(best.node.receptacle) if best is not None and best.source != SEEN else None
        if role is not None and holder is not None and holder.node.category in kinds:
            yield from self._do.reach(role.ref, role.index, role.avoid | self._avoid)

    def _look_whether_it_is_so(self, problem: Problem) -> Steps[bool]:
        """Look once where a thing is only remembered to be where it is to go. Returns whether there was no need to."""
        name, role = next(((n, r) for n, r in problem.roles.items() if r == self._wish.roles.get("x")), ("", None))
        belief = self._world.get(name)
        resting = any(literal.predicate == ON for literal in self._wish.literals)
        put = any(literal.predicate == ON and literal.arguments[0] == name for literal in self._done)
        if role is None or belief is None or not resting or put or belief.source == SEEN or name in self._looked_at:
            return True
        self._looked_at.add(name)
        yield from self._do.reach(role.ref, role.index, role.avoid | self._avoid)
        return False

    def _pursue(self) -> Steps[None]:
        """Plan and act until the wish is true."""
        for _ in range(_MOST_PLANS):
            problem, plan = self._plan()
            _LOG.debug("plan: %s", "; ".join(f"{a.skill} {dict(a.binding)}" for a in plan))
            if not plan and (yield from self._look_whether_it_is_so(problem)):
                self._bind(problem)
                return
            self._problem = problem
            foreseen = [self._telling.foreseen(action, problem) for action in plan]
            for number, action in enumerate(plan, start=1):
                self._do.following.plans([*filter(None, foreseen[number:]), *self._ahead])
                if not (yield from self._carry_out(action, problem)):
                    break
                if not self._as_planned(plan, action):
                    break
        raise GoalFailed(Code.EXECUTION_FAILURE, "I am going round in circles: what I do does not bring it about.")

    def _plan(self) -> tuple[Problem, list[Action]]:
        try:
            return self._pursuit.plan(self._wish, self._done, frozenset(self._avoid), frozenset(self._unsure))
        except GoalFailed as failure:
            raise (self._rejected or failure) from failure

    def _bind(self, problem: Problem) -> None:
        for name, role in problem.roles.items():
            if not name.startswith(ANY):
                self._do.grounding.bind(role.ref, role.index, name)

    def _as_planned(self, plan: list[Action], done: Action) -> bool:
        """Whether what comes next is still possible."""
        rest = plan[plan.index(done) + 1 :]
        if not rest:
            return False  # look whether the wish is true
        try:
            problem = self._pursuit.situation.problem(
                self._wish, self._done, frozenset(self._avoid), frozenset(self._unsure)
            )
        except NoPlan:
            return False  # planning anew says why
        names = {n for a in rest for n in a.binding.values()}
        return (
            names <= set(problem.things)
            and rest[0].possible_in(problem.state)
            and problem.roles.keys() == self._problem.roles.keys()
        )

    def _carry_out(self, action: Action, problem: Problem) -> Steps[bool]:
        """Do one thing of a plan. Returns whether it is done, so that the plan goes on."""
        if action.goes:
            return (yield from self._go(action.goes, problem))
        names = [n for n in action.binding.values() if n.startswith(ANY)]
        if names:
            return (yield from self._go(names[0], problem)) and False
        for name in action.binding.values():
            role = problem.roles.get(name)
            if role is not None:
                self._do.grounding.bind(role.ref, role.index, name)
        try:
            outcome = yield Step(self._telling.call(action, problem), self._telling.text(action, problem))
        except GoalFailed as refusal:
            self._put_elsewhere(action, problem, refusal)
            return False
        if outcome.ok:
            self._take_over(action, outcome)
            return True
        yield from self._refusal(action, problem, outcome)
        return False

    # Going

    def _go(self, name: str, problem: Problem) -> Steps[bool]:
        """Go to a thing, looking for it where it has to be. Returns whether it is the one planned with."""
        role = problem.roles.get(name)
        thing = problem.things[name]
        if role is None and thing.known:
            return (yield from self._drive(name, thing.category))
        fixed = not thing.known and name != "?surface" and not self._do.lexicon.can(thing.category, "pickup")
        if fixed and (yield from self._make_room()):  # rather than look for another one
            return False
        if role is None:
            category = name.removeprefix(ANY)
            if category == "surface":
                if not (yield from self._do.look_for_surface(self._avoid)):
                    nowhere = GoalFailed(Code.NOT_FOUND, "I found nothing to put what I hold on.")
                    raise self._rejected or self._in_vain(nowhere, category)
                return False
            lexicon = self._do.lexicon
            kinds = lexicon.slicers if category in lexicon.slicers else (category,)
            known = frozenset(b.id for b in self._world.of(kinds))  # had they been of use, they had been planned with
            ref = ObjectRef(kinds, lexicon.kind(category).noun, entity=-next(self._pursuit.entities))
            role = Role(ref, avoid=known)
        try:
            found = yield from self._do.reach(role.ref, role.index, frozenset(self._avoid | role.avoid))
        except GoalFailed as failure:
            raise self._in_vain(failure, thing.category) from failure
        self._unsure.discard(next((r for r, one in self._wish.roles.items() if one == role), ""))
        return found == name

    def _drive(self, name: str, category: str, *, again: bool = False) -> Steps[bool]:
        try:
            yield from self._do.stand_at(name, again)
        except GoalFailed as failure:
            self._give_up(name, category, failure.message, failure)
            return False
        return self._world.at == name

    def _in_vain(self, failure: GoalFailed, category: str) -> GoalFailed:
        """Return why there is none that would do: what the last that was found said, if one was."""
        complaint = self._complaint.get(category, "")
        if not complaint:
            return failure
        return GoalFailed(Code.EXECUTION_FAILURE, complaint)

    def _give_up(self, name: str, category: str, complaint: str, cause: Exception | None = None) -> None:
        """Do without a thing from now on."""
        self._avoid.add(name)
        self._complaint[category] = complaint
        self._refused["", category] += 1
        if self._refused["", category] > _MOST_REFUSALS:
            raise GoalFailed(Code.EXECUTION_FAILURE, complaint) from cause

    # Acting

    def _take_over(self, action: Action, outcome: Outcome) -> None:
        """Note what a skill brought about, where the world model does not by itself."""
        ended, begun = [e for e in action.effects if not e.positive], [e for e in action.effects if e.positive]
        for effect in begun:
            if effect.predicate == HOLDING:
                self._world.held = effect.arguments[0]
            if effect.predicate == "handempty":
                self._world.held = ""
        self._pursuit.situation.take_over(action.effects)
        self._done.update(begun)
        target = action.binding.get("target", "")
        if any(e.predicate == "sliced" or e.predicate == "broken" for e in begun) and outcome.seen:
            self._do.grounding.replace(target, [node.id for node in outcome.seen])
            self._done |= {Literal(effect.predicate, (outcome.seen[0].id,)) for effect in begun}
        shut = Literal(CLOSED, (target,))
        if shut in begun:
            self._do.opened.pop(target, None)
        if ~shut in ended:
            self._do.opened[target] = None
            for belief in list(self._world):
                if belief.source != SEEN and belief.node.receptacle == target:
                    self._world.forget(belief.id)  # it is not in there any more

    def _refusal(self, action: Action, problem: Problem, outcome: Outcome) -> Steps[None]:
        """Draw conclusions from a skill that failed. GoalFailed when nothing else can be done."""
        if (yield from self._do.finds_gripper_full(outcome)):
            return
        if outcome.code is Code.PRECONDITION_FAILURE and self._corrected(action):
            return
        name = action.binding.get("receptacle") or action.binding.get("target", "")
        self._refused[action.skill, name] += 1
        belief = self._world.get(name)
        takes = any(e.predicate == HOLDING for e in action.effects if e.positive)
        stale = takes or self._world.at != name
        retry = stale and outcome.code in (Code.PRECONDITION_FAILURE, Code.NOT_FOUND)
        if retry and self._refused[action.skill, name] == 1 and belief is not None:
            self._world.at = ""  # drive to it, and not to what holds it
            yield from self._drive(name, belief.node.category, again=True)
            return
        category = problem.things[name].category if name in problem.things else ""
        alternatives = takes or bool(action.binding.get("receptacle"))
        if not alternatives or outcome.code not in (Code.PRECONDITION_FAILURE, Code.NOT_FOUND, Code.EXECUTION_FAILURE):
            raise GoalFailed(outcome.code, f"I can't {self._telling.what(action, problem)}: {outcome.message}")
        if not takes and outcome.code is Code.PRECONDITION_FAILURE:
            self._full[name] = self._world.held
        complaint = outcome.message if takes else f"The {self._do.noun_of(name)} does not take it: {outcome.message}"
        self._give_up(name, category, complaint)

    def _put_elsewhere(self, action: Action, problem: Problem, refusal: GoalFailed) -> None:
        """Do without a place where the rules let nothing be put. Raises the refusal where no other would do."""
        place = action.binding.get("receptacle", "")
        if not place or place in problem.roles or problem.things[place].category not in self._pursuit.surfaces:
            raise refusal
        self._rejected = refusal
        self._give_up(place, problem.things[place].category, refusal.message, refusal)

    # Where nothing would do

    def _make_room(self) -> Steps[bool]:
        """Put aside what is where nothing more fits. Returns whether there is room for another try."""
        for place, held in list(self._full.items()) if not self._wish.why else []:
            cleared, left = 0, _MOST_CLEARED - self._pursuit.cleared[place]
            for name in in_the_way(self._world, self._do.lexicon, place, self._do.grounding.all_bound(), held, left):
                self._pursuit.cleared[place] += 1
                cleared += yield from self._put_aside(name, place)
            if cleared:
                self._full.clear()
                self._avoid.discard(place)
                return True
        return False

    def _put_aside(self, name: str, place: str) -> Steps[bool]:
        away = (~Literal(ON, (name, place)), Literal("handempty"))
        noun, there = self._do.noun_of(name), self._do.noun_of(place)
        why = f"make room on the {there}"
        try:
            yield from self._pursuit.bring_about(Wish(away, why=why, avoid=frozenset({place})))
        except GoalFailed as failure:
            _LOG.debug("the %s stays: %s", noun, failure)
            return False
        self._do.aside[name] = f"I put the {noun} aside to {why}."
        self._do.notes.append(self._do.aside[name])
        return True

    def _loosen(self) -> bool:
        """Let what is also called so do, where the things properly called so do not.

        Who names one kind of thing that is there ("the TV stand") means that, and nothing else.
        """
        for name, role in self._wish.roles.items():
            ref = role.ref
            named = len(ref.categories) == 1 and bool(self._world.of(ref.categories))
            if ref.loosely and not named and any(category in self._complaint for category in ref.categories):
                self._loosened.append(role)
                loose = replace(role, ref=replace(ref, categories=ref.loosely, loosely=()))
                self._wish = replace(self._wish, roles={**self._wish.roles, name: loose})
                return True
        return False

    def _say_what_was_taken(self) -> None:
        """Note where something is taken that is only also called so."""
        for role in self._loosened:
            taken = self._world.get(self._do.grounding.bound(role.ref, role.index))
            if taken is not None and taken.node.category in role.ref.loosely:
                self._do.notes.append(f"No {role.ref.noun} would do, so I took what is also called that.")

    def _corrected(self, action: Action) -> bool:
        """Take one thing that was only assumed to be untrue, and return whether there was one.

        What the world model does not keep, nobody has said, and another skill can bring about.
        """
        assumed = self._pursuit.situation.assumed
        made = {e for a in self._problem.actions for e in a.effects}
        for need in sorted(action.needs, key=str):
            fact = need if need.positive else ~need
            if need.predicate not in KEPT and fact not in assumed and need in made:
                assumed[fact] = not need.positive
                return True
        return False
