# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What memory says of the calls that may be made: what came next when things stood so before, and what failed.

A past task is done again in thought, call by call, once for each of its goals. How things stood before a call is noted
in the terms of the goal (the thing, its place, the tool), so that it can be compared with how they stand now: what
washed a fork washes a ladle, and what sliced a loaf to be heated slices an apple to be washed (BrainMem, 3.2.2).
Of a task that failed, what gave a thing a state counts. Filling is not learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.memory import TRAJECTORY, Advice, Guideline, Recollection
from planner_node.plan.reasoning.options import Option
from planner_node.plan.task_planning.domain import CLOSED, HOLDING, ON
from planner_node.plan.task_planning.literals import ANY, Literal
from planner_node.plan.task_planning.physics import household_physics
from planner_node.plan.task_planning.schemas import Schema, schemas
from planner_node.skills import SkillCall, SkillTable
from planner_node.understand.cases import Cases
from planner_node.understand.goals import Goal, Predicate
from planner_node.world import World

WORKED, FAILED = "next in what worked before", "failed before"
_TREATED = frozenset({"sliced", "clean", "hot", "cold"})
"""States that a thing is given on the way to where it goes."""
_THING, _PIECE, _PLACE, _TOOL, _OTHER = "thing", "piece", "place", "tool", "other"


@dataclass(frozen=True)
class _Moment:
    """How things stand, in the terms of a goal."""

    missing: frozenset[str]
    """States that the thing still has to be given, those that come first."""
    held: str
    at: str
    """Where the thing was put last; "" where it was not."""
    switched: frozenset[tuple[str, str]]
    """What was left open or on, and which of both."""


@dataclass(frozen=True)
class _Act:
    """A call in the terms of a goal."""

    does: frozenset[tuple[str, bool]]
    """Its effects."""
    on: tuple[str, str]
    """Its target and receptacle; "" for none."""

    @property
    def only_sets(self) -> bool:
        """Whether it but opens, closes or switches something."""
        return {predicate for predicate, _ in self.does} <= {CLOSED, "toggled"}


@dataclass(frozen=True)
class _Way:
    """How a goal was pursued once."""

    kind: Predicate
    steps: Sequence[tuple[_Moment, _Act]]


class _Skills:
    """What calls do, by the table of this robot."""

    def __init__(self, table: SkillTable) -> None:
        self.physics = household_physics()
        self._schemas: Mapping[str, Schema] = {one.spec.name: one for one in schemas(table, self.physics)}

    def does(self, call: SkillCall) -> frozenset[tuple[str, bool]]:
        """Return the predicates that a call changes; empty for one that only goes somewhere, or is not known."""
        schema = self._schemas.get(call.skill)
        effects = schema.effects if schema is not None else ()
        does = ((e.predicate, e.positive) for e in effects if e.predicate not in self.physics.here)
        return frozenset(does) - {(ON, False)}  # that goes without saying of what is taken

    def effects(self, call: SkillCall, held: str) -> Iterator[Literal]:
        """Yield what a call does, over categories."""
        schema = self._schemas.get(call.skill)
        bound = {"target": call.target.category or held, "receptacle": call.receptacle.category, ANY: held}
        yield from (effect.bound(bound) for effect in (schema.effects if schema is not None else ()))

    def means(self, category: str, missing: frozenset[str]) -> str:
        """Return what part a category has in bringing about what is missing, "" for none."""
        for number, process in enumerate(self.physics.processes):
            if missing.isdisjoint(literal.predicate for literal in process.then if literal.positive):
                continue
            for part, categories in process.categories.items():
                if category in categories:
                    return f"{number}{part}"
        return ""


@dataclass
class _Thought:
    """A task that is done in thought: how things stand after each call, by their categories."""

    skills: _Skills
    slices: Mapping[str, str]
    held: str = ""
    at: dict[str, str] = field(default_factory=dict)
    switched: dict[tuple[str, str], bool] = field(default_factory=dict)
    """(Predicate, category) → whether it holds."""
    states: dict[str, set[str]] = field(default_factory=dict)

    def do(self, call: SkillCall) -> None:
        """Take in a call that succeeded."""
        for effect in self.skills.effects(call, self.held):
            one, *other = (*effect.arguments, "")
            if effect.predicate == HOLDING:
                self.held = one if effect.positive else ""
            elif effect.predicate == ON and effect.positive:
                self.at[one] = other[0]
            elif effect.predicate in (CLOSED, "toggled"):
                self.switched[effect.predicate, one] = effect.positive
            elif effect.positive:
                self._becomes(one, effect.predicate)
                if effect.predicate == "sliced":
                    self._becomes(self.slices.get(one, one), "sliced")
        self.at.pop(self.held, None)
        self._follow()

    def _follow(self) -> None:
        """Note what comes about by how things stand: what is in the basin under the running tap is clean."""
        for process in self.skills.physics.processes:
            of = process.categories
            on = [n for n in process.when if n.predicate == ON]
            others = [n for n in process.when if n.predicate != ON]
            if all(any(self.switched.get((n.predicate, c)) is n.positive for c in of[n.arguments[0]]) for n in others):
                for thing in [thing for thing, place in self.at.items() for n in on if place in of[n.arguments[1]]]:
                    for literal in process.then:
                        if literal.positive:
                            self._becomes(thing, literal.predicate)
                        else:
                            self.states.get(thing, set()).discard(literal.predicate)

    def _becomes(self, thing: str, state: str) -> None:
        self.states.setdefault(thing, set()).add(state)


class _Terms:
    """The terms of one goal: which category has which part in it."""

    def __init__(self, goal: Goal, skills: _Skills, lexicon: Lexicon) -> None:
        things = (*goal.object.categories, *goal.object.loosely) if goal.object is not None else ()
        places = (*goal.destination.categories, *goal.destination.loosely) if goal.destination is not None else ()
        whole = {piece: name for name, piece in lexicon.slices.items()}
        self._skills = skills
        self._part: dict[str, str] = {
            **dict.fromkeys(lexicon.slicers, _TOOL),
            **dict.fromkeys(places, _PLACE),
            **{whole.get(name, name): _THING for name in things},
            **{lexicon.slices.get(name, name): _PIECE for name in things if name in lexicon.slices or name in whole},
        }
        self.things = [name for name, part in self._part.items() if part in (_THING, _PIECE)]

    def part(self, category: str, missing: frozenset[str]) -> str:
        """Return what part a category has while something is missing; "" for none at all."""
        return (self._skills.means(category, missing) or self._part.get(category, _OTHER)) if category else ""

    def states(self, thought: _Thought) -> frozenset[str]:
        """Return the states that the thing was given."""
        return frozenset(state for name in self.things for state in thought.states.get(name, ())) & _TREATED

    def moment(self, thought: _Thought, missing: frozenset[str]) -> _Moment:
        """Return how things stand."""
        at = next((place for name in reversed(self.things) if (place := thought.at.get(name))), "")
        left = (
            (self.part(name, missing), what) for (what, name), on in thought.switched.items() if on != (what == CLOSED)
        )
        idle = {_OTHER, _PLACE} if missing else {_OTHER}
        changed = frozenset(pair for pair in left if pair[0] not in idle)
        return _Moment(missing, self.part(thought.held, missing), self.part(at, missing), changed)

    def act(self, call: SkillCall, missing: frozenset[str]) -> _Act:
        """Return a call; what is held goes without saying."""
        target = "" if call.receptacle else self.part(call.target.category, missing)
        return _Act(self._skills.does(call), (target, self.part(call.receptacle.category, missing)))


class Precedents:
    """Compares calls with what is remembered of tasks."""

    def __init__(self, known: Iterable[Recollection], table: SkillTable, cases: Cases, lexicon: Lexicon) -> None:
        """`known`: the most alike first."""
        self._skills = _Skills(table)
        self._lexicon = lexicon
        self._ways: list[_Way] = []
        self._avoided: list[Guideline] = []
        for one in known:
            if one.kind == TRAJECTORY and one.task is not None and one.handled is not None:
                whole = one.task.succeeded
                self._ways += [self._way(goal, one.handled.calls, whole) for goal in cases.written(one.task)]
            if one.guideline is not None and one.guideline.advice is Advice.AVOID:
                self._avoided.append(one.guideline)

    def noted(
        self,
        options: Sequence[Option],
        done: Sequence[SkillCall],
        world: World,
        goal: Goal | None,
        missing: frozenset[str],
    ) -> list[Option]:
        """Return the options with what memory says of them; first what comes next in what worked before.

        `done`: the calls that succeeded, in order, whoever made them. `goal`: the one that comes next, None where none
        is known. `missing`: the states that its thing still has to be given.
        """
        failed = {one.text for one in options if self._failed(one.call, world)}
        sound = [one for one in options if one.text not in failed]
        following = self._following(sound, done, world, goal, missing & _TREATED) if goal is not None else ""
        noted = [
            replace(one, note=WORKED if one.text == following else FAILED if one.text in failed else "")
            for one in options
        ]
        return sorted(noted, key=lambda one: one.note != WORKED)

    def _following(
        self,
        options: Sequence[Option],
        done: Sequence[SkillCall],
        world: World,
        goal: Goal,
        missing: frozenset[str],
    ) -> str:
        """Return the option that is next in the way that is most alike, "" for none."""
        terms = _Terms(goal, self._skills, self._lexicon)
        thought = self._thought()
        for call in done:
            thought.do(call)
        thought.held = world.category_of(world.held)
        now = terms.moment(thought, missing)
        for way in self._ways:
            if not missing and way.kind is not goal.predicate:
                continue
            places = [number for number, (moment, _) in enumerate(way.steps) if moment == now]
            for _, act in way.steps[places[-1] :] if places else ():
                if found := self._fitting(act, options, terms, world, missing):
                    return found.text
                if not act.only_sets or not self._is_so(act, terms, world, missing):
                    break  # what is open already need not be opened, but nothing else can be left out
        return ""

    def _is_so(self, act: _Act, terms: _Terms, world: World, missing: frozenset[str]) -> bool:
        """Whether what an act would open, close or switch is so already."""
        things = [b.id for b in world if terms.part(b.node.category, missing) == act.on[0]]
        return any(
            world.is_open(name) is (not holds) if what == CLOSED else world.is_on(name) is holds
            for name in things
            for what, holds in act.does
        )

    def _fitting(
        self, act: _Act, options: Sequence[Option], terms: _Terms, world: World, missing: frozenset[str]
    ) -> Option | None:
        """Return the option that is an act of the past, or else that makes it possible: by searching or opening."""
        for one in options:
            if one.looks_for is None and terms.act(one.call, missing) == act:
                return one
        if act.only_sets:
            return None
        subject = act.on[1] or act.on[0]
        parts = {b.id: terms.part(b.node.category, missing) for b in world}
        hiding = {world.closed_around(name) for name, part in parts.items() if part == subject}
        for one in options:
            target = one.call.target
            if one.looks_for is not None and terms.part(target.category, missing) == subject:
                return one
            if (CLOSED, False) in self._skills.does(one.call) and (
                parts.get(target.id) == subject or target.id in hiding
            ):
                return one
        return None

    def _way(self, goal: Goal, calls: Sequence[SkillCall], whole: bool) -> _Way:
        """Return how a goal was reached, without what has to do with others.

        `whole`: whether it was; else how its thing was given the states that it was given.
        """
        terms = _Terms(goal, self._skills, self._lexicon)
        thought = self._thought()
        given: list[frozenset[str]] = [frozenset()]
        for call in calls:
            thought.do(call)
            given.append(terms.states(thought))
        put = [n for n, call in enumerate(calls) if terms.part(call.receptacle.category, frozenset()) == _PLACE]
        wanted = given[put[-1]] if whole and put else given[-1]  # what it gets by being there, nobody asked for
        thought, steps = self._thought(), []
        for call, has in zip(calls, given, strict=False):
            missing = (wanted - has) & {"sliced"} or wanted - has
            act = terms.act(call, missing)
            if act.does and _OTHER not in act.on and (whole or missing):
                steps.append((terms.moment(thought, missing), act))
            thought.do(call)
        return _Way(goal.predicate, steps)

    def _thought(self) -> _Thought:
        return _Thought(self._skills, self._lexicon.slices)

    def _failed(self, call: SkillCall, world: World) -> bool:
        return any(
            one.skill == call.skill
            and one.category in ("", call.target.category, world.category_of(world.held))
            and one.receptacle in ("", call.receptacle.category)
            and one.object in ("", call.subject.id)
            for one in self._avoided
        )
