# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the skills, which are the same in every simulator, ask of its robot."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim_bridge import targets
from sim_bridge.backend import Outcome, Point, Pose2D, Progress, SeenObject, Skill, Target
from sim_bridge.simulation.motion import Motion
from sim_bridge.simulation.senses import Looks, Senses
from sim_bridge.targets import rooms_named

Running = Generator[Progress, None, Outcome]
"""A skill: its progress wherever it can be stopped, and what it did."""

Moving = Generator[Progress, None, None]
"""A motion, which can be left at any step."""


class Room(targets.Room, Protocol):
    """A room and the rectangle around it; metres, map frame."""

    @property
    def low(self) -> tuple[float, float]:
        """Smallest x and y."""

    @property
    def high(self) -> tuple[float, float]:
        """Largest x and y."""


class Body(ABC):
    """A robot in a simulator's scene.

    Objects go by their ids, rooms by their names; cells are places that it can stand on, by their numbers. The
    simulators have no clock of their own: seconds and metres are counted here. What the simulator does not allow is a
    RefusedError.
    """

    def __init__(self, rooms: Sequence[Room], senses: Senses, fails: Callable[[], bool], half_width: float) -> None:
        """`fails` decides each time whether a movement of the arm fails.

        `half_width`: radians that the camera sees to each side.
        """
        self.rooms = rooms
        self.senses = senses
        self.fails = fails
        self.half_width = half_width
        self.looks = Looks()
        """What the running skill has looked at so far."""
        self.motion = Motion()
        self.clock = 0.0
        """Seconds since the scene was loaded."""
        self.odometer = 0.0
        """Metres driven since then."""
        self._began = 0.0
        self._departed = 0.0

    # Time and way

    @property
    def elapsed(self) -> float:
        """Seconds since the running skill began."""
        return self.clock - self._began

    @property
    def travelled(self) -> float:
        """Metres driven since then."""
        return self.odometer - self._departed

    def begin(self) -> None:
        """Begin a skill: forget what the one before has looked at."""
        self._began, self._departed = self.clock, self.odometer
        self.looks.begin()

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.clock += seconds

    def drove(self, metres: float) -> None:
        """Count a way."""
        self.clock += metres / self.motion.speed
        self.odometer += metres

    def turned(self, radians: float) -> None:
        """Count a turn, of the body or of the camera."""
        self.clock += abs(radians) / self.motion.turn_rate

    def acted(self) -> None:
        """Count a movement of the arm."""
        self.clock += self.motion.act_time

    def progress(self, step: str, *, look: bool = True) -> Progress:
        """Report where the running skill is."""
        return Progress(self.elapsed, step, self.pose, look)

    # Where it is, and how it moves

    @property
    @abstractmethod
    def pose(self) -> Pose2D:
        """Pose of the base."""

    @property
    @abstractmethod
    def eye(self) -> Point:
        """Where the camera is."""

    @property
    @abstractmethod
    def camera_pose(self) -> NDArray[np.float64]:
        """(4, 4) transform from camera_optical_frame to map."""

    @property
    @abstractmethod
    def points(self) -> NDArray[np.float64]:
        """(cells, 2): x, y of each cell in metres."""

    @property
    @abstractmethod
    def cell_rooms(self) -> Sequence[str]:
        """The room of each cell."""

    @abstractmethod
    def viewpoints(self, positions: Sequence[Point]) -> Sequence[int]:
        """Return the cells nearest to positions; for none, cells from which all free space is seen."""

    @abstractmethod
    def closest(self, cells: Sequence[int]) -> int:
        """Return the cell that is the shortest way off."""

    @abstractmethod
    def has_way(self, cell: int) -> bool:
        """Whether it can drive to a cell, as far as is known."""

    @abstractmethod
    def stand_for(self, name: str) -> int | None:
        """Return the best cell to reach and see an object from; where none, one to reach it from; or None."""

    @abstractmethod
    def stands_for(self, target: Target, position: Point, most: int) -> Sequence[int]:
        """Return cells from which to look for a target at a position, each from another side; at least one."""

    @abstractmethod
    def drive(self, cell: int, step: str) -> Moving:
        """Drive to a cell; RefusedError where there is no way."""

    @abstractmethod
    def turn(self, yaw: float, step: str, most: float) -> Moving:
        """Turn on the spot to a heading, the shorter way, by `most` radians at once."""

    def turn_by(self, angle: float, step: str) -> Moving:
        """Turn on the spot by an angle (radians), at once."""
        yield from self.turn(self.pose.yaw + angle, step, abs(angle))

    @abstractmethod
    def level(self) -> None:
        """Tilt the camera as for driving and looking around."""

    @abstractmethod
    def face(self, point: Point, step: str) -> Moving:
        """Turn to a point and look at it."""

    # What it sees

    @abstractmethod
    def look(self) -> Sequence[str]:
        """Return the ids of what is in view, less what is overlooked, nearest first."""

    @abstractmethod
    def in_view(self, target: Target) -> str:
        """Return the id of what is in view and may be meant by a target; empty for nothing."""

    def sees(self, name: str) -> bool:
        """Whether an object to which it has turned is seen; a floor is where the robot stands on it."""
        return self.could_see(name)

    @abstractmethod
    def could_see(self, name: str) -> bool:
        """Whether an object is in view, or would be if the robot turned to it."""

    @abstractmethod
    def matches(self, target: Target) -> Collection[str]:
        """Return the id of every object that a target may mean."""

    @abstractmethod
    def resolve(self, target: Target) -> str:
        """Return the id of the object that a target means among what it can see from here; empty for none.

        An id is taken at its word whether it is seen or not.
        """

    @abstractmethod
    def described_with_contents(self, name: str) -> tuple[SeenObject, ...]:
        """Return an object and what can be seen on or in it."""

    def described(self, names: Iterable[str]) -> tuple[SeenObject, ...]:
        """Return objects as one who sees them would report them; those that are gone are left out."""
        eye, seen = self.eye, (self.truth(n) for n in names if self.exists(n))
        return tuple(s if s.relation == "held" else replace(s, center=self.senses.blurred(s.center, eye)) for s in seen)

    # What there is

    def rooms_meant(self, target: Target) -> tuple[SeenObject, ...]:
        """Return the rooms that a target names, all for one that names nothing, as FindRoom reports them."""
        found = []
        for room in rooms_named(self.rooms, target) if target.id or target.category else self.rooms:
            (x0, y0), (x1, y1) = room.low, room.high
            center = (x0 + x1) / 2, (y0 + y1) / 2, self.floor_height(room.name)
            found.append(SeenObject(room.name, room.kind, center, (x1 - x0, y1 - y0, 0.0), movable=False))
        return tuple(found)

    def floor_height(self, room: str) -> float:
        """Return the height of a room's floor, metres."""
        return 0.0

    @property
    @abstractmethod
    def holding(self) -> Target:
        """Id and category of what is in the gripper; both empty where that is empty."""

    @abstractmethod
    def carries(self, name: str) -> bool:
        """Whether an object is in the gripper, or on or in what is."""

    @abstractmethod
    def exists(self, name: str) -> bool:
        """Whether an object is there, and not sliced or broken into others."""

    @abstractmethod
    def truth(self, name: str) -> SeenObject:
        """Return an object as it really is; RefusedError when it is gone."""

    def distance(self, name: str, point: Point) -> float:
        """Return the distance in metres from a point to an object's box; 0 inside."""
        seen = self.truth(name)
        return math.hypot(
            *(max(abs(p - c) - s / 2, 0.0) for p, c, s in zip(point, seen.center, seen.size, strict=True))
        )

    def away(self, name: str) -> float:
        """Return the horizontal distance in metres from the middle of the base to an object's box."""
        return self.distance(name, (self.pose.x, self.pose.y, self.truth(name).center[2]))

    def on_storey(self, name: str) -> bool:
        """Whether an object is on the storey that the robot is on."""
        return True

    @abstractmethod
    def room_of(self, name: str) -> str:
        """Return the room that an object belongs to."""

    @abstractmethod
    def floor(self) -> str:
        """Return the floor that the robot stands on."""

    @abstractmethod
    def is_receptacle(self, name: str) -> bool:
        """Whether things are put on or in an object."""

    @abstractmethod
    def closed(self) -> Iterable[str]:
        """Return the receptacles that are closed, so that they hide what is in them."""

    @abstractmethod
    def closed_around(self, name: str) -> str:
        """Return the outermost closed receptacle that hides an object; empty for none."""

    @abstractmethod
    def contents(self, name: str) -> Sequence[str]:
        """Return what rests on or in an object, and on or in that, and so on."""

    @abstractmethod
    def controls(self, name: str) -> Sequence[str]:
        """Return what an object switches: a stove's knob its burner."""

    # What its gripper does

    thrown = "was thrown"
    """What is told of a thing after `throw`."""

    def require_possible(self, skill: Skill, name: str) -> None:  # noqa: B027
        """Refuse, before the arm moves, a skill on an object that the simulator would carry out, or not explain."""

    def hinder(self, skill: str, name: str) -> None:  # noqa: B027
        """Refuse a skill on an object where an obstacle stands against it."""

    @abstractmethod
    def take(self, name: str) -> None:
        """Take an object into the gripper."""

    @abstractmethod
    def lay(self, receptacle: str, beside: str) -> None:
        """Put what is held on or in a receptacle, near another object where one is given."""

    @abstractmethod
    def set_open(self, name: str, value: bool) -> None:
        """Open or close an object."""

    @abstractmethod
    def switch(self, name: str, value: bool) -> None:
        """Switch an object on or off."""

    @abstractmethod
    def slice(self, name: str) -> Sequence[str]:
        """Cut an object with the knife that is held; return its slices."""

    @abstractmethod
    def break_up(self, name: str) -> Sequence[str]:
        """Break an object; return what came of it where that is something new."""

    @abstractmethod
    def throw(self) -> Sequence[str]:
        """Throw what is held, ahead; return what is there then: it, or what came of it."""
