# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot in a world: where it stands, what it sees, and what its gripper does; every motion can be left anywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Code, Intrinsics, Point, Pose2D, RefusedError, SeenObject, Target
from sim_bridge.household import interactions
from sim_bridge.household.driving import eyes_at, horizontal_distance
from sim_bridge.household.model import Box
from sim_bridge.household.navigation import Grid
from sim_bridge.household.obstacles import Obstacle
from sim_bridge.household.views import camera_pose
from sim_bridge.household.visibility import CAMERA_HEIGHT, Sight, View
from sim_bridge.household.world import World
from sim_bridge.simulation.body import Body, Moving
from sim_bridge.simulation.motion import turns
from sim_bridge.simulation.senses import Senses
from sim_bridge.simulation.standing import first_seen, from_all_sides, in_reach
from sim_bridge.targets import NEAR_POSITION, category_of

TRAVEL_PITCH = math.radians(-15.0)
"""The camera's pitch while driving and looking around: the floor from a metre ahead, and shelves across the room."""

_PITCH_LIMITS = math.radians(-60.0), math.radians(45.0)
_TURN_STEP = math.radians(45.0)
_GRIPPER = 0.35, -0.25, 0.75
"""Metres ahead, to the left, and above the floor."""

_SETTING_OUT = 0.5
"""Metres that turning away to drive, and back, is worth: for 0.25 m the robot stays where it is."""

_THROW = 1.5
"""Metres ahead."""


class Robot(Body):
    """Stands on a free cell of a world's grid. See `sim_bridge.simulation.body.Body`."""

    thrown = "lies on the floor"

    def __init__(
        self, world: World, grid: Grid, sight: Sight, intrinsics: Intrinsics, senses: Senses, fails: Callable[[], bool]
    ) -> None:
        """`fails` decides each time whether a movement of the arm fails."""
        super().__init__(world.scene.rooms, senses, fails, math.atan(intrinsics.width / 2 / intrinsics.fx))
        self.world = world
        self.grid = grid
        self.sight = sight
        self.half_height = math.atan(intrinsics.height / 2 / intrinsics.fy)
        """Radians that the camera sees upwards and downwards."""
        self.cell = grid.index[grid.scene.start]
        self.yaw = 0.0
        self.pitch = TRAVEL_PITCH
        self.camera_height = CAMERA_HEIGHT
        """Metres above its floor."""
        self.obstacles: Sequence[Obstacle] = ()

    # Where it is, and how it moves

    @property
    def pose(self) -> Pose2D:
        """Pose of the base."""
        x, y, z = self.grid.points[self.cell].tolist()
        return Pose2D(x, y, self.yaw, z)

    @property
    def position(self) -> tuple[float, float]:
        """Where the base stands: x, y."""
        x, y, _ = self.grid.points[self.cell].tolist()
        return x, y

    @property
    def storey(self) -> int:
        """The storey that it is on."""
        return int(self.grid.storeys[self.cell])

    @property
    def points(self) -> NDArray[np.float64]:
        """(cells, 2): x, y of each cell in metres."""
        return self.grid.points[:, :2]

    @property
    def cell_rooms(self) -> Sequence[str]:
        """The room of each cell."""
        return self.grid.rooms

    @property
    def view(self) -> View:
        """Where the camera is and looks."""
        return View(self.eye, self.yaw, self.pitch, self.half_width, self.half_height)

    @property
    def eye(self) -> Point:
        """Where the camera is."""
        x, y, z = self.grid.points[self.cell].tolist()
        return x, y, z + self.camera_height

    @property
    def camera_pose(self) -> NDArray[np.float64]:
        """(4, 4) transform from camera_optical_frame to map."""
        return camera_pose(self.eye, self.yaw, -self.pitch)

    def gripped(self, box: Box) -> Box:
        """Return where a box is when it is in the gripper."""
        ahead, left, up = _GRIPPER
        x, y, z = self.grid.points[self.cell].tolist()
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return Box((x + ahead * cos - left * sin, y + ahead * sin + left * cos, z + up), box.size)

    def viewpoints(self, positions: Sequence[Point]) -> Sequence[int]:
        """Return the cells nearest to positions; for none, cells from which all free space is seen."""
        grid = self.grid
        return [grid.nearest(x, y, grid.storey_of(z)) for x, y, z in positions] or grid.viewpoints

    def closest(self, cells: Sequence[int]) -> int:
        """Return the cell that is the shortest way off."""
        distance = self.grid.field(self.cell).distance
        return min(cells, key=lambda c: (distance[c], c))

    def has_way(self, cell: int) -> bool:
        """Whether it can drive to a cell."""
        return bool(self.grid.path(self.cell, cell))

    def stand_for(self, name: str) -> int | None:
        """Return the best cell to reach and see an object from; where none, one to reach it from; or None."""

        def seen_from(cells: list[int]) -> list[int]:
            return list(compress(cells, self.sight.clear_from(name, eyes_at(self.grid, cells)).tolist()))

        return first_seen(self._in_reach(self.world.boxes[name]), seen_from)

    def stands_for(self, target: Target, position: Point, most: int) -> Sequence[int]:
        """Return cells from which to look at a position, each from another side; at least one."""
        grid = self.grid
        clear = (
            cell
            for cells in self._in_reach(Box(position, (0.05, 0.05, 0.0)))
            for cell in compress(cells, self.sight.clear_point(position, eyes_at(grid, cells)).tolist())
        )
        return from_all_sides(clear, grid.points, most) or self.viewpoints([position])

    def _in_reach(self, box: Box) -> Sequence[list[int]]:
        """Return the cells from which a box is in reach, a few at a time, those that are best to drive to first."""
        grid, driven = self.grid, self.grid.field(self.cell).distance
        beside = grid.storeys == grid.storey_of(box.low[2])
        away = np.where(beside, horizontal_distance(box, grid.points), np.inf)
        return in_reach(away, driven, np.where(driven > 0.0, _SETTING_OUT, 0.0))

    def drive(self, cell: int, step: str) -> Moving:
        """Drive to a cell; RefusedError where there is no way."""
        path = self.grid.path(self.cell, cell)
        if not path:
            raise RefusedError(Code.PRECONDITION_FAILURE, f"there is no way from here for {step}")
        yield from self.follow(path, step)

    def level(self) -> None:
        """Tilt the camera as for driving and looking around."""
        self.pitch = TRAVEL_PITCH

    def follow(self, path: Sequence[int], step: str) -> Moving:
        """Drive along cells, the first of which it stands on."""
        self.pitch = TRAVEL_PITCH
        for cell in path[1:]:
            here, there = self.grid.points[self.cell], self.grid.points[cell]
            flat = float(np.hypot(*(there - here)[:2]))
            if flat > 0.0:
                yield from self.turn(math.atan2(there[1] - here[1], there[0] - here[0]), step)
            length = float(np.linalg.norm(there - here))
            self.cell = cell
            self.drove(length)
            yield self.progress(step)

    def turn(self, yaw: float, step: str, most: float = _TURN_STEP) -> Moving:
        """Turn on the spot to a heading, the shorter way."""
        for heading in turns(self.yaw, yaw, most):
            self.turned(math.remainder(heading - self.yaw, math.tau))
            self.yaw = heading
            yield self.progress(step)

    def face(self, point: Point, step: str) -> Moving:
        """Turn to a point and look at it."""
        x, y, z = self.eye
        dx, dy = point[0] - x, point[1] - y
        flat = math.hypot(dx, dy)
        low, high = _PITCH_LIMITS
        before = self.pitch
        self.pitch = min(max(math.atan2(point[2] - z, max(flat, 1e-3)), low), high)
        if flat > 0.05:
            yield from self.turn(math.atan2(dy, dx), step)
        if abs(self.pitch - before) > 1e-3:
            self.turned(self.pitch - before)
            yield self.progress(step)

    # What it sees

    def look(self) -> Sequence[str]:
        """Return the ids of what is in view, less what is overlooked, nearest first."""
        visible = [n for n in self.sight.visible(self.view) if not self.senses.miss()]
        self.looks.seen.update(dict.fromkeys(visible))
        return visible

    def in_view(self, target: Target) -> str:
        """Return the id of what is in view and may be meant by a target; empty for nothing."""
        view = self.view
        found = [n for n in self.matches(target) if self.sight.sees(n, view) and not self.senses.miss()]
        return self._nearest(found, target, set())

    def could_see(self, name: str) -> bool:
        """Whether an object would be in view if the robot turned to it."""
        if self.world.category(name) == "Floor":
            return self.room_of(name) == self.cell_rooms[self.cell]
        return bool(self.sight.clear_from(name, np.array([self.eye]))[0])

    def matches(self, target: Target) -> Sequence[str]:
        """Return the id of every object that a target may mean: the one with its id, or all of its category."""
        if target.id in self.world.specs:
            return (target.id,)
        return self.world.of_category(category_of(target))

    def resolve(self, target: Target) -> str:
        """Return the id of the object that a target means among what it can see from here; empty for none.

        An id is taken at its word whether it is seen or not, then a floor as that of the room in question.
        """
        if target.id in self.world.specs:
            return target.id
        names = self.matches(target)
        (cell,) = [self.cell] if target.position is None else self.viewpoints([target.position])
        floors = (n for n in names if self.world.category(n) == "Floor" and self.room_of(n) == self.cell_rooms[cell])
        floor = next(floors, "")
        if floor:
            return floor
        eye = np.array([self.eye])
        seen = [n for n in names if self.carries(n) or self.sight.clear_from(n, eye)[0]]
        in_view = set(self.sight.visible(self.view)) if len(seen) > 1 else set()
        return self._nearest(seen, target, in_view)

    def _nearest(self, names: Iterable[str], target: Target, preferred: set[str]) -> str:
        """Return the object nearest to the target's position if that is near, else those preferred and near."""
        x, y = self.position

        def rank(name: str) -> tuple[bool, float, bool, float, str]:
            cx, cy, cz = self.world.boxes[name].center
            away = math.inf
            if target.position is not None:
                away = math.dist(target.position, (cx, cy, cz))
            close = away <= NEAR_POSITION
            return not close, away if close else 0.0, name not in preferred, math.hypot(cx - x, cy - y), name

        return min(names, key=rank, default="")

    def described_with_contents(self, name: str) -> tuple[SeenObject, ...]:
        """Return an object and what can be seen on or in it."""
        inside = [n for n in self.contents(name) if not self.closed_around(n)]
        eye = np.array([self.eye])
        seen = [n for n in inside if self.sight.clear_from(n, eye)[0] and not self.senses.miss()]
        return self.described([name, *seen])

    # What there is

    def floor_height(self, room: str) -> float:
        """Return the height of a room's floor, metres."""
        scene = self.world.scene
        return next(r.storey for r in scene.rooms if r.name == room) * scene.storey_height

    @property
    def holding(self) -> Target:
        """Id and category of what is in the gripper; both empty where that is empty."""
        held = self.world.held
        return Target(held, self.world.category(held)) if held else Target()

    def carries(self, name: str) -> bool:
        """Whether an object is in the gripper, or on or in what is."""
        return self.world.is_held(name)

    def exists(self, name: str) -> bool:
        """Whether an object is there, and not sliced or broken into others."""
        return name in self.world.specs

    def truth(self, name: str) -> SeenObject:
        """Return an object as it really is; RefusedError when it is gone."""
        if name not in self.world.specs:
            raise RefusedError(Code.NOT_FOUND, f"{name} is gone")
        return self.world.describe(name)

    def on_storey(self, name: str) -> bool:
        """Whether an object is on the storey that the robot is on."""
        return self.grid.storey_of(self.world.boxes[name].low[2]) == self.storey

    def room_of(self, name: str) -> str:
        """Return the room that an object was recorded in."""
        return self.world.specs[name].room

    def floor(self) -> str:
        """Return the floor that the robot stands on."""
        room = self.cell_rooms[self.cell]
        floors = [n for n in self.world.of_category("Floor") if self.room_of(n) == room]
        if not floors:
            raise RefusedError(Code.NOT_FOUND, f"{room} has no recorded floor to put things on")
        return floors[0]

    def is_receptacle(self, name: str) -> bool:
        """Whether things are put on or in an object."""
        return self.world.can(name, "receptacle")

    def closed(self) -> Iterable[str]:
        """Return the receptacles that are closed, so that they hide what is in them."""
        return filter(self.world.hides, self.world)

    def closed_around(self, name: str) -> str:
        """Return the outermost closed receptacle that hides an object; empty for none."""
        return self.world.closed_around(name)

    def contents(self, name: str) -> Sequence[str]:
        """Return what rests on or in an object, and on or in that, and so on."""
        return self.world.contents(name)

    def controls(self, name: str) -> Sequence[str]:
        """Return what an object switches: a stove's knob its burner."""
        return self.world.specs[name].controls

    # What its gripper does

    def hinder(self, skill: str, name: str) -> None:
        """Refuse a skill on an object where an obstacle stands against it."""
        for obstacle in self.obstacles:
            obstacle.check(self.world, skill, name)

    def take(self, name: str) -> None:
        """Take an object into the gripper."""
        interactions.pick_up(self.world, name)

    def lay(self, receptacle: str, beside: str) -> None:
        """Put what is held on or in a receptacle, near another object where one is given."""
        near = self.world.boxes[beside].center[:2] if beside else self.position
        interactions.put(self.world, receptacle, near, beside)

    def set_open(self, name: str, value: bool) -> None:
        """Open or close an object."""
        interactions.set_open(self.world, name, value)

    def switch(self, name: str, value: bool) -> None:
        """Switch an object on or off."""
        interactions.set_toggled(self.world, name, value)

    def slice(self, name: str) -> Sequence[str]:
        """Cut an object with the knife that is held; return its slices."""
        return interactions.slice_object(self.world, name)

    def break_up(self, name: str) -> Sequence[str]:
        """Break an object; return what came of it where that is something new."""
        return interactions.break_object(self.world, name)

    def throw(self) -> Sequence[str]:
        """Throw what is held, ahead; return what is there then: it, or what came of it."""
        x, y = self.position
        ahead = (x + _THROW * math.cos(self.yaw), y + _THROW * math.sin(self.yaw))
        landing = self.points[self.grid.nearest(*ahead, self.storey)]
        return interactions.throw(self.world, self.floor(), (float(landing[0]), float(landing[1])))
