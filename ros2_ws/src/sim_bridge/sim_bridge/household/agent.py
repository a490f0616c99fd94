# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What every skill works with: the world, the ways through it, what is seen, and the robot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sim_bridge.backend import Code, Point, Progress, RefusedError, SeenObject, Target
from sim_bridge.household.navigation import Grid
from sim_bridge.household.robot import TRAVEL_PITCH, Robot
from sim_bridge.household.targets import matches, nearest
from sim_bridge.household.visibility import Sight
from sim_bridge.household.world import World
from sim_bridge.simulation.body import Moving
from sim_bridge.simulation.senses import Looks, Senses
from sim_bridge.targets import rooms_named


@dataclass
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

    @property
    def holding(self) -> Target:
        """Id and category of what is in the gripper; both empty where that is empty."""
        held = self.world.held
        return Target(held, self.world.category(held)) if held else Target()

    @property
    def elapsed(self) -> float:
        """Simulated seconds since the running skill began."""
        return self.robot.elapsed

    @property
    def travelled(self) -> float:
        """Metres driven since then."""
        return self.robot.travelled

    @property
    def half_width(self) -> float:
        """Radians that the camera sees to each side."""
        return self.robot.half_width

    def begin(self) -> None:
        """Begin a skill: forget what the one before has looked at."""
        self.robot.start_counting()
        self.looks.begin()

    def progress(self, step: str, *, look: bool = True) -> Progress:
        """Report where the running skill is."""
        return self.robot.progress(step, look=look)

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.robot.clock += seconds

    def viewpoints(self, positions: Sequence[Point]) -> Sequence[int]:
        """Return the cells nearest to positions; for none, cells from which all free space is seen."""
        grid = self.grid
        return [grid.nearest(x, y, grid.storey_of(z)) for x, y, z in positions] or grid.viewpoints

    def closest(self, cells: Sequence[int]) -> int:
        """Return the cell that is the shortest way off."""
        distance = self.grid.field(self.robot.cell).distance
        return min(cells, key=lambda c: (distance[c], c))

    def has_way(self, cell: int) -> bool:
        """Whether it can drive to a cell."""
        return bool(self.grid.path(self.robot.cell, cell))

    def drive(self, cell: int, step: str) -> Moving:
        """Drive to a cell; RefusedError where there is no way."""
        path = self.grid.path(self.robot.cell, cell)
        if not path:
            raise RefusedError(Code.PRECONDITION_FAILURE, f"there is no way from here for {step}")
        yield from self.robot.follow(path, step)

    def level(self) -> None:
        """Tilt the camera as for driving and looking around."""
        self.robot.pitch = TRAVEL_PITCH

    def turn_by(self, angle: float, step: str) -> Moving:
        """Turn on the spot by an angle (radians), at once."""
        yield from self.robot.turn(self.robot.yaw + angle, step, abs(angle))

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

    def matches(self, target: Target) -> Collection[str]:
        """Return the id of every object that a target may mean."""
        return matches(self.world, target)

    def is_receptacle(self, name: str) -> bool:
        """Whether things are put on or in an object."""
        return self.world.can(name, "receptacle")

    def room_names(self) -> Sequence[str]:
        """Return the names of all rooms."""
        return [room.name for room in self.world.scene.rooms]

    def rooms_meant(self, target: Target) -> tuple[SeenObject, ...]:
        """Return the rooms that a target names, all for one that names nothing, as FindRoom reports them."""
        scene, seen = self.world.scene, []
        for room in rooms_named(scene.rooms, target) if target.id or target.category else scene.rooms:
            (x0, y0), (x1, y1) = room.low, room.high
            centre = ((x0 + x1) / 2, (y0 + y1) / 2, room.storey * scene.storey_height)
            seen.append(SeenObject(room.name, room.kind, centre, (x1 - x0, y1 - y0, 0.0), movable=False))
        return tuple(seen)

    def on_floor(self, name: str) -> bool:
        """Whether a floor is that of the room that the robot is in."""
        return self.world.specs[name].room == self.grid.rooms[self.robot.cell]

    def could_see(self, name: str) -> bool:
        """Whether an object would be in view if the robot turned to it."""
        if self.world.category(name) == "Floor":
            return self.on_floor(name)
        return bool(self.sight.clear_from(name, np.array([self.robot.eye]))[0])
