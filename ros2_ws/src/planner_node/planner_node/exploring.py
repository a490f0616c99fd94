# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans that look around everywhere: by the robot's own means where it has any, else frontier by frontier."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from planner_node.skills import Code, Outcome, Point, SkillCall, SkillTable, Target
from planner_node.steps import GoalFailed, Step, Steps
from planner_node.world import World

_SAME = 0.5
"""Metres; a frontier as near to one that was looked at before is not looked at again: it can't be seen better."""

_IN_VAIN = 5
"""Frontiers in a row that the robot can't get to, after which it gives up."""


@dataclass(frozen=True)
class Frontier:
    """Where known free floor ends; see karma_interfaces/Frontier."""

    position: Point
    """Where to look from, metres, map frame."""
    middle: Point
    """Middle of the frontier, metres, map frame."""


class Places(Protocol):
    """What the planner needs of perception."""

    def frontiers(self, after: float) -> tuple[Frontier, ...] | None:
        """Return where exploring can go on, nearest first; None where nobody knows.

        Waits, for a bounded time, until what the robot has seen up to `after` (seconds) is taken into account.
        """


class Exploring:
    """Looks around everywhere, once for each instruction: what was looked at is not looked at again."""

    def __init__(self, world: World, table: SkillTable, places: Places | None, *, by_frontiers: bool = False) -> None:
        """`by_frontiers`: go frontier by frontier even where the robot can explore by itself."""
        self._world = world
        self._table = table
        self._places = places
        self._by_frontiers = by_frontiers
        self._looked_at: list[Frontier] = []

    def everywhere(self, category: str, why: str, found: Callable[[Outcome], bool]) -> Steps[None]:
        """Look around until an object of `category` ("": none) is seen, `found` holds, or everything has been seen.

        `found` is asked after each skill. GoalFailed when the robot can't explore.
        """
        if self._places is None or (self._explores_alone() and not self._by_frontiers):
            yield from self._alone(category, why, found)
            return
        left = self._next(first=True)
        if left is None:
            yield from self._alone(category, why, found)
            return
        failed = 0
        while left is not None and left:
            self._looked_at.append(left[0])
            outcome = yield Step(self._look_from(left[0].position, category), why)
            if found(outcome):
                return
            failed = 0 if outcome.code in (Code.SUCCESS, Code.NOT_FOUND) else failed + 1
            if failed >= _IN_VAIN:
                raise GoalFailed(outcome.code, f"I can't get to what I have not seen yet: {outcome.message}")
            left = self._next()

    def _alone(self, category: str, why: str, found: Callable[[Outcome], bool]) -> Steps[None]:
        """Have the robot look around by its own means."""
        outcome = yield Step(SkillCall("Explore", Target(category=category)), why)
        if outcome.code not in (Code.SUCCESS, Code.NOT_FOUND):
            raise GoalFailed(outcome.code, f"Exploring failed: {outcome.message}")
        found(outcome)

    def _explores_alone(self) -> bool:
        """Whether the robot's Explore does without positions."""
        explore = self._table.get("Explore")
        return explore is not None and not any(p.name == "positions" and p.required for p in explore.parameters)

    def _look_from(self, position: Point, category: str) -> SkillCall:
        if "Explore" in self._table:
            return SkillCall("Explore", Target(category=category), positions=(position,))
        return SkillCall("Navigate", Target(position=position))

    def _next(self, *, first: bool = False) -> tuple[Frontier, ...] | None:
        """Return the frontiers that have not been looked at, nearest first; None where nobody knows."""
        assert self._places is not None
        frontiers = self._places.frontiers(self._world.clock)
        if frontiers is None:
            return None if first else ()
        return tuple(f for f in frontiers if not any(_same(f, other) for other in self._looked_at))


def _same(one: Frontier, other: Frontier) -> bool:
    return math.dist(one.position, other.position) < _SAME or math.dist(one.middle, other.middle) < _SAME
