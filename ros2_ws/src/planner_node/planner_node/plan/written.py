# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans written as skill calls: understood, checked, and followed step by step.

Their goals are the calls, one each, so that such a plan goes through the same pipeline as an instruction: recalled,
checked for safety, carried out, remembered, and what was left undone is said.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import replace

from karma_language.answers.speech import a
from karma_language.vocabulary.lexicon import Lexicon, split_camel
from planner_node.ground.names import Grounding
from planner_node.plan.steps import GoalFailed, Step, Steps
from planner_node.skill_forms import FormError, Trouble, form_of, may_be_plan, read
from planner_node.skills import Code, SkillCall, SkillSpec, SkillTable, Target
from planner_node.understand.goals import Goal, NotUnderstood, ObjectRef, Predicate, Understood
from planner_node.world import World

_CHOICES = 4
"""Objects that are named where several are meant, or none is known."""
_NEEDS = {
    "pickupable(target)": ("pickup", "be picked up"),
    "openable(target)": ("open", "be opened"),
    "toggleable(target)": ("toggle", "be switched"),
    "sliceable(target)": ("slice", "be sliced"),
    "breakable(target)": ("break", "be broken"),
}
"""Precondition → affordance of the kind of thing, and how that is said."""


def understood(text: str, skills: Callable[[], SkillTable], lexicon: Lexicon) -> Understood | NotUnderstood | None:
    """Return the goals of an instruction that is a written plan; None for one that is none."""
    if not may_be_plan(text) or form_of(text, table := skills()) is None:
        return None
    try:
        return Understood(goals_of(text, table, lexicon))
    except FormError as error:
        return NotUnderstood(Code.INVALID_ARGUMENT, f"I can't follow that plan. {error}")


def goals_of(text: str, table: SkillTable, lexicon: Lexicon) -> tuple[Goal, ...]:
    """Return the goals of a written plan. FormError with all that is wrong."""
    entities: dict[str, int] = {}

    def reference(target: Target) -> ObjectRef | None:
        if not target.category:
            return None
        ref = _named(target.category, lexicon)
        return replace(ref, entity=entities.setdefault(ref.noun, len(entities) + 1))

    return tuple(
        Goal(
            Predicate.FOLLOW, reference(planned.call.target), reference(planned.call.receptacle), call=planned.call,
            line=planned.line,
        )
        for planned in read(text, table)
    )  # fmt: skip


def _named(text: str, lexicon: Lexicon) -> ObjectRef:
    """Return what a plan calls by a category ("CoffeeMachine", in any case) or a noun ("coffee machine")."""
    same = [category for category in lexicon.kinds if category.casefold() == text.replace(" ", "").casefold()]
    noun = lexicon.noun(split_camel(text))
    categories = tuple(same[:1]) or (noun.categories if noun else ())
    room = "" if categories else lexicon.room(split_camel(text))
    return ObjectRef(categories or (() if room else (text,)), text, definite=True, room=room)


def refusal(goals: Sequence[Goal], table: SkillTable, world: World, lexicon: Lexicon, notes: list[str]) -> str:
    """Return why a plan is not begun, empty where it may be or there is none. What it leaves open joins the notes."""
    troubles, said = check(goals, table, world, lexicon)
    notes += said
    return f"I can't follow that plan. {'; '.join(map(str, troubles))}." if troubles else ""


def check(
    goals: Sequence[Goal], table: SkillTable, world: World, lexicon: Lexicon
) -> tuple[list[Trouble], tuple[str, ...]]:
    """Return what is wrong with a plan before anything is moved, and what it leaves to the robot, in sentences."""
    checking = _Checking(table, world, lexicon)
    for goal in goals:
        if goal.call is not None:
            checking.see(goal, goal.call, table[goal.call.skill])
    return checking.troubles, tuple(dict.fromkeys(checking.notes))


class _Checking:
    """Goes through a plan against the scene graph, keeping track of the gripper and of what will have been seen."""

    def __init__(self, table: SkillTable, world: World, lexicon: Lexicon) -> None:
        self._world = world
        self._lexicon = lexicon
        self._grounding = Grounding(world, lexicon)
        self._full = bool(world.held)
        self._looked = False
        self.troubles: list[Trouble] = []
        self.notes: list[str] = []

    def see(self, goal: Goal, call: SkillCall, spec: SkillSpec) -> None:
        """Check one call, and take over what it will have done."""
        for name, target, ref in (
            ("target", call.target, goal.object),
            ("receptacle", call.receptacle, goal.destination),
        ):
            if target.id:
                self._check_id(goal, spec, name, target.id)
            elif ref is not None:
                self._check_kind(goal, spec, name, ref)
        if spec.needs_hand_empty and self._full:
            self._complain(goal, f"{call.skill} needs an empty gripper, and by then something is in it")
        if spec.needs_hand_full and not self._full:
            self._complain(goal, f"{call.skill} needs something in the gripper, and by then nothing is")
        if "handempty()" in spec.effects:
            self._full = False
        elif "holding(target)" in spec.effects:
            self._full = True
        self._looked |= call.skill in ("Explore", "Navigate", "SliceObject", "OpenObject") or call.skill.startswith(
            "Find"
        )

    def _check_id(self, goal: Goal, spec: SkillSpec, name: str, node_id: str) -> None:
        """Complain of an id that the scene graph does not have, unless a piece of something that it has is meant."""
        belief = self._world.get(node_id)
        if belief is not None:
            self._check_affordances(goal, spec, name, (belief.node.category,))
        elif node_id not in self._world.rooms and node_id not in self._world.areas:
            if any(node_id.startswith(f"{known.id}|") for known in self._world):
                return
            self._complain(goal, f"I know of no {node_id!r}{self._alike(node_id)}")

    def _check_kind(self, goal: Goal, spec: SkillSpec, name: str, ref: ObjectRef) -> None:
        if ref.room:
            return
        known = self._grounding.candidates(ref)
        if not known and not any(category in self._lexicon.kinds for category in ref.categories):
            meant = self._lexicon.misspelt(ref.noun)
            hint = f"; did you mean {' or '.join(meant)}?" if meant else ""
            self._complain(goal, f"I know of no kind of thing called {ref.noun!r}{hint}")
            return
        self._check_affordances(goal, spec, name, ref.categories)
        if not {f"located({name})", f"reachable({name})", f"visible({name})"} & set(spec.preconditions):
            return
        given = goal.call.target.position if goal.call is not None and name == "target" else None
        if not known and given is None and not self._looked:
            self._complain(goal, f"I know of no {ref.noun} yet: have me Explore for it first")
        elif len(known) > 1:
            which = ", ".join(b.id for b in known[:_CHOICES]) + (", …" if len(known) > _CHOICES else "")
            self.notes.append(f"There are {len(known)} that {ref.noun!r} may mean ({which}): I take the nearest.")

    def _check_affordances(self, goal: Goal, spec: SkillSpec, name: str, categories: Sequence[str]) -> None:
        """Complain of a thing of a kind that can't be used so."""
        needs = [_NEEDS[literal] for literal in spec.preconditions if literal in _NEEDS and name == "target"]
        types = {parameter.name: parameter.type for parameter in spec.parameters}
        if types.get(name) == "receptacle" and goal.call is not None and goal.call.relation != "near":
            needs.append(("hold", "hold anything"))
        for affordance, words in needs:
            if not self._lexicon.any_can(categories, affordance):
                self._complain(goal, f"{a(self._lexicon.kind(categories[0]).noun)} can't {words}")

    def _alike(self, node_id: str) -> str:
        """Return which objects may be meant by an id that is none."""
        words = split_camel(node_id.split("|")[0]).replace("_", " ").strip(" 0123456789")
        kinds = self._lexicon.noun(words)
        same = [belief.id for belief in self._world.of(kinds.categories if kinds else ())]
        close = same or difflib.get_close_matches(node_id, [belief.id for belief in self._world], n=_CHOICES)
        return f"; did you mean {' or '.join(sorted(close)[:_CHOICES])}?" if close else ""

    def _complain(self, goal: Goal, message: str) -> None:
        self.troubles.append(Trouble(message, goal.line))


def follow(goal: Goal, world: World, grounding: Grounding) -> Steps[None]:
    """Carry out one call of a written plan. GoalFailed when it fails: what comes after it may rest on it."""
    call = goal.call
    assert call is not None
    looks = call.skill == "Explore" or call.skill.startswith("Find")
    target, receptacle = (
        _category_of(target, ref) if looks else _meant(target, ref, world, grounding)
        for target, ref in ((call.target, goal.object), (call.receptacle, goal.destination))
    )
    outcome = yield Step(replace(call, target=target, receptacle=receptacle), f"do {call}, as written")
    if not outcome.ok:
        where = f" (line {goal.line} of the plan)" if goal.line else ""
        raise GoalFailed(outcome.code, f"{call} failed{where}: {outcome.message}")
    if call.skill == "SliceObject":
        grounding.replace(target.id, [node.id for node in outcome.seen])
        return
    if goal.object is not None and not looks:
        seen = [node.id for node in outcome.seen if node.category in goal.object.categories]
        if name := target.id or (seen[0] if seen else ""):
            grounding.bind(goal.object, 0, name)
    if goal.destination is not None and receptacle.id:
        grounding.bind(goal.destination, 0, receptacle.id)


def _category_of(target: Target, ref: ObjectRef | None) -> Target:
    """Return what is looked for, by its kind."""
    return target if ref is None else replace(target, category=ref.categories[0] if ref.categories else ref.room)


def _meant(target: Target, ref: ObjectRef | None, world: World, grounding: Grounding) -> Target:
    """Return the object that is meant, as far as the scene graph knows it, with its place."""
    if ref is not None and target.position is None:
        for belief in grounding.candidates(ref)[:1]:
            return Target(belief.id, belief.node.category, belief.node.position)
    known = world.get(target.id)
    if known is not None:
        return Target(target.id, known.node.category, target.position or known.node.position)
    return _category_of(target, ref)
