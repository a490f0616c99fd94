# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What memory says of the calls that may be made: what came next where such a task went well, and what failed before.

A way of the past is carried over to the things of this task: what washed a fork washes a ladle (BrainMem, 3.2.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.memory import Advice, Guideline, Recollection
from planner_node.reasoning.options import Option
from planner_node.skills import SkillCall
from planner_node.understand.cases import Cases
from planner_node.understand.goals import Goal, ObjectRef
from planner_node.world import World

WORKED, FAILED = "next in what worked before", "failed before"


@dataclass(frozen=True)
class _Like:
    """Calls that do the same to other things: a skill, and what its arguments may be."""

    skill: str
    target: frozenset[str]
    receptacle: frozenset[str]

    def fits(self, call: SkillCall) -> bool:
        if call.skill != self.skill:
            return False
        if self.receptacle:
            return call.receptacle.category in self.receptacle
        return call.target.category in self.target


class Precedents:
    """Compares calls with what is remembered of such tasks."""

    def __init__(self, goals: Sequence[Goal], known: Iterable[Recollection], cases: Cases, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._ways: list[list[_Like]] = []
        self._avoided: list[Guideline] = []
        for one in known:
            if one.task is not None and one.task.succeeded and one.handled is not None:
                same = self._same_things(goals, cases.written(one.task))
                self._ways.append([_like(call, same) for call in one.handled.calls])
            if one.guideline is not None and one.guideline.advice is Advice.AVOID:
                self._avoided.append(one.guideline)

    def noted(self, options: Sequence[Option], done: Sequence[SkillCall], world: World) -> list[Option]:
        """Return the options with what memory says of them; first what comes next in what worked before.

        `done`: the calls that succeeded, in order.
        """
        following = {one.text for way in self._ways for one in _next(way, options, done)}
        noted = [
            replace(one, note=WORKED if one.text in following else FAILED if self._failed(one.call, world) else "")
            for one in options
        ]
        return sorted(noted, key=lambda one: one.note != WORKED)

    def _same_things(self, mine: Sequence[Goal], past: Sequence[Goal]) -> dict[str, frozenset[str]]:
        """Return a category of the past task → what has its part in this one."""
        same: dict[str, frozenset[str]] = {}
        left = list(mine)
        for goal in past:
            twin = next((one for one in left if one.predicate is goal.predicate), None)
            if twin is None:
                continue
            left.remove(twin)
            for old, new in ((goal.object, twin.object), (goal.destination, twin.destination)):
                if old is not None and new is not None:
                    same |= self._counterparts(old, new)
        return same

    def _counterparts(self, old: ObjectRef, new: ObjectRef) -> dict[str, frozenset[str]]:
        slices = self._lexicon.slices
        cut = frozenset(slices[category] for category in new.categories if category in slices)
        whole = frozenset((*new.categories, *new.loosely))
        return dict.fromkeys(old.categories, whole) | {
            slices[category]: cut for category in old.categories if category in slices
        }

    def _failed(self, call: SkillCall, world: World) -> bool:
        return any(
            one.skill == call.skill
            and one.category in ("", call.target.category, world.category_of(world.held))
            and one.receptacle in ("", call.receptacle.category)
            and one.object in ("", call.subject.id)
            for one in self._avoided
        )


def _like(call: SkillCall, same: dict[str, frozenset[str]]) -> _Like:
    target, receptacle = (
        same.get(category, frozenset({category})) if category else frozenset[str]()
        for category in (call.target.category, call.receptacle.category)
    )
    return _Like(call.skill, target, receptacle)


def _next(way: Sequence[_Like], options: Sequence[Option], done: Sequence[SkillCall]) -> list[Option]:
    """Return the options that are the next step of a way, what is not to be done here passed over."""
    place = 0
    for call in done:
        place = next((n for n, step in enumerate(way[place:], place + 1) if step.fits(call)), place)
    for step in way[place:]:
        if fits := [one for one in options if one.looks_for is None and step.fits(one.call)]:
            return fits[:1]
    return []
