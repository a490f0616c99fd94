# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans that look around everywhere: by the robot's own means where it has any, else frontier by frontier."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from planner_node.plan.steps import GoalFailed, Step, Steps
from planner_node.skills import Code, Outcome, Point, SkillCall, SkillTable, Target
from planner_node.world import World

_SAME = 0.5
"""Metres; a frontier as near to one that was looked at before is not looked at again: it can't be seen better."""

_SHOWN = 2.0
"""Metres around where the robot looked from, in the same room, in which it need not look again."""

_IN_VAIN = 5
"""Frontiers in a row that the robot can't get to, after which it gives up."""


@dataclass(frozen=True)
class Frontier:
    """Where known free floor ends; see karma_interfaces/Frontier."""

    position: Point
    """Where to look from, metres, map frame."""
    middle: Point
    """Middle of the frontier, metres, map frame."""
    room: str = ""
    """Id of the room that `position` is in, empty when that is not known."""


@dataclass(frozen=True)
class Area:
    """Floor that perception knows; an area node of its scene graph."""

    position: Point
    """Metres, map frame."""
    room: str = ""
    """Id of the room that it is in, empty when that is not known."""


class Places(Protocol):
    """What the planner needs of perception."""

    def frontiers(self, after: float) -> tuple[Frontier, ...] | None:
        """Return where exploring can go on, nearest first; None where nobody knows.

        Waits, for a bounded time, until what the robot has seen up to `after` (seconds) is taken into account.
        """

    def areas(self) -> tuple[Area, ...]:
        """Return the floor that was seen so far, about a metre apart; empty where nobody knows."""


class Exploring:
    """Looks around everywhere, once for each instruction: what was looked at is not looked at again.

    Where floor ends that was seen, and then where floor was known before the instruction: people move things.
    """

    def __init__(self, world: World, table: SkillTable, places: Places | None, *, by_frontiers: bool = False) -> None:
        """`by_frontiers`: go frontier by frontier even where the robot can explore by itself."""
        self._world = world
        self._table = table
        self._places = places
        self._by_frontiers = by_frontiers
        self._looked_at: list[Frontier] = []
        self._looked_from: list[Area] = []
        self._known: tuple[Area, ...] | None = None
        """Floor that was known when the instruction began; None until that was asked for."""

    def everywhere(self, category: str, why: str, found: Callable[[Outcome], bool]) -> Steps[None]:
        """Look around until an object of `category` ("": none) is seen, `found` holds, or everything has been seen.

        `found` is asked after each skill. GoalFailed when the robot can't explore.
        """
        if self._places is None or (self._explores_alone() and not self._by_frontiers):
            yield from self._alone(category, why, found)
            return
        frontiers = self._next(first=True)
        if frontiers is None:
            yield from self._alone(category, why, found)
            return
        if self._known is None:
            self._known = self._places.areas()
        failed = 0
        while (place := self._choose(frontiers or ())) is not None:
            self._looked_from.append(place)
            outcome = yield Step(self._look_from(place.position, category), why)
            if found(outcome):
                return
            failed = 0 if outcome.code in (Code.SUCCESS, Code.NOT_FOUND) else failed + 1
            if failed >= _IN_VAIN:
                raise GoalFailed(outcome.code, f"I can't get to what I have not seen yet: {outcome.message}")
            frontiers = self._next()

    def _choose(self, frontiers: tuple[Frontier, ...]) -> Area | None:
        """Return where to look from next: the nearest frontier, else known floor that was not looked at; None: done."""
        if frontiers:
            self._looked_at.append(frontiers[0])
            return Area(frontiers[0].position, frontiers[0].room)
        left = [a for a in self._known or () if not any(_shows(other, a) for other in self._looked_from)]
        here = self._looked_from[-1].position if self._looked_from else self._world.position
        return min(left, key=lambda area: math.dist(area.position, here or area.position), default=None)

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


def _shows(one: Area, other: Area) -> bool:
    """Whether looking around at a place shows what is at another."""
    together = one.room == other.room or not (one.room and other.room)
    return together and math.dist(one.position, other.position) < _SHOWN


def _same(one: Frontier, other: Frontier) -> bool:
    return math.dist(one.position, other.position) < _SAME or math.dist(one.middle, other.middle) < _SAME
