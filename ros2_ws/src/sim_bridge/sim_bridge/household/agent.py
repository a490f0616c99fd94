# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What every skill works with: the world, the ways through it, what is seen, and the robot."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from sim_bridge.backend import Outcome, Point, Progress, SeenObject, Target
from sim_bridge.household.model import SensorNoise
from sim_bridge.household.navigation import Grid
from sim_bridge.household.robot import Robot
from sim_bridge.household.targets import matches, nearest
from sim_bridge.household.visibility import RANGE, Sight
from sim_bridge.household.world import World

Running = Generator[Progress, None, Outcome]
Moving = Generator[Progress, None, None]


class Senses:
    """What is imperfect about what the robot reports to see."""

    def __init__(self, noise: SensorNoise, rng: random.Random) -> None:
        self._noise = noise
        self._random = rng

    def miss(self) -> bool:
        """Whether something in view is overlooked this time."""
        return self._noise.missed_instances > 0 and self._random.random() < self._noise.missed_instances

    def blurred(self, point: Point, eye: Point) -> Point:
        """Return a point as measured from an eye: off along the ray as the depth camera is, within its range."""
        away = math.dist(point, eye)
        if not self._noise.depth or not away:
            return point
        stretch = 1.0 + self._random.gauss(0.0, self._noise.depth * min(away, RANGE) ** 2) / away
        x, y, z = (e + (p - e) * stretch for p, e in zip(point, eye, strict=True))
        return x, y, z


@dataclass
class Looks:
    """What the running skill has looked at so far."""

    seen: dict[str, None] = field(default_factory=dict)
    """Ids, in the order in which they came into view."""
    steps: int = 0
    """Viewpoints looked around from."""


@dataclass(frozen=True)
class Agent:
    """A robot in a world, for the skills."""

    world: World
    grid: Grid
    sight: Sight
    robot: Robot
    senses: Senses
    fails: Callable[[], bool]
    """Decides each time whether a movement of the arm fails."""
    hinder: Callable[[str, str], None] = lambda skill, name: None
    """Raises RefusedError where an obstacle stands against a skill on a thing (id)."""
    looks: Looks = field(default_factory=Looks)

    def begin(self) -> None:
        """Forget what the skill before has looked at."""
        self.looks.seen.clear()
        self.looks.steps = 0

    def look(self) -> tuple[str, ...]:
        """Return what is in view, less what is overlooked, nearest first."""
        visible = tuple(n for n in self.sight.visible(self.robot.view) if not self.senses.miss())
        self.looks.seen.update(dict.fromkeys(visible))
        return visible

    def described(self, names: Iterable[str]) -> tuple[SeenObject, ...]:
        """Return objects as one who sees them would report them; those that are gone are left out."""
        eye = self.robot.eye
        seen = (self.world.describe(n) for n in names if n in self.world.specs)
        return tuple(s if s.relation == "held" else replace(s, center=self.senses.blurred(s.center, eye)) for s in seen)

    def described_with_contents(self, name: str) -> tuple[SeenObject, ...]:
        """Return an object and what can be seen on or in it."""
        inside = [n for n in self.world.contents(name) if not self.world.closed_around(n)]
        eye = np.array([self.robot.eye])
        seen = [n for n in inside if self.sight.clear_from(n, eye)[0] and not self.senses.miss()]
        return self.described([name, *seen])

    def in_view(self, target: Target) -> str:
        """Return what is in view and may be meant by the target."""
        view = self.robot.view
        found = [n for n in matches(self.world, target) if self.sight.sees(n, view) and not self.senses.miss()]
        return nearest(self.world, found, target, self.robot, set())

    def on_floor(self, name: str) -> bool:
        """Whether a floor is that of the room that the robot is in."""
        return self.world.specs[name].room == self.grid.rooms[self.robot.cell]

    def could_see(self, name: str) -> bool:
        """Whether an object would be in view if the robot turned to it."""
        if self.world.category(name) == "Floor":
            return self.on_floor(name)
        return bool(self.sight.clear_from(name, np.array([self.robot.eye]))[0])
