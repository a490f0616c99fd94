# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A symbolic house and the skills of the paper's robot on it (appendix C.1): what is where, found out by exploring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from karma_eval.memento.places import Rooms
from karma_language.arranging.places import kind

FLAT = ("table", "chair", "couch", "bed", "bench", "stool", "stand", "shelves", "counter")
"""Kinds of furniture that nothing can be within; nor can it be within a floor."""


@dataclass(frozen=True)
class Seen:
    """An object as the robot sees it."""

    name: str
    category: str
    furniture: str
    """Empty while it is held."""
    room: str


@dataclass(frozen=True)
class Result:
    """What became of a skill."""

    done: bool
    message: str = ""
    """A description, or why it was not done."""


@dataclass
class _Object:
    category: str
    caption: str
    furniture: str
    within: bool = False


class House:
    """Rooms, furniture and small objects. The robot's side are the skills; `snapshot` is the judge's."""

    def __init__(self, rooms: Rooms, objects: Mapping[str, tuple[str, str, str]]) -> None:
        """`objects`: name → (category, caption, furniture it starts on)."""
        self.rooms = rooms
        self._room_of = {furniture: room for room, names in rooms.items() for furniture in names}
        self._objects = {name: _Object(*what) for name, what in objects.items()}
        self._beside: set[frozenset[str]] = set()
        self._robot = next(iter(rooms))
        self._explored: set[str] = set()
        self._open: set[str] = set()
        self._handled: set[str] = set()
        self.held = ""
        """Name of the object in the gripper."""

    def seen(self) -> list[Seen]:
        """Return the objects in the rooms explored so far, and those that were handled, by name."""
        return [
            Seen(name, thing.category, thing.furniture, self._room(name))
            for name, thing in sorted(self._objects.items())
            if self._is_known(name)
        ]

    def explore(self, room: str) -> Result:
        """Look at everything in a room."""
        if room not in self.rooms:
            return Result(False, f"there is no room {room}")
        self._robot = room
        self._explored.add(room)
        return Result(True)

    def describe(self, name: str) -> Result:
        """Say what an object that was seen looks like; one without a caption is described by its category."""
        thing = self._objects.get(name)
        if thing is None or not self._is_known(name):
            return Result(False, f"{name} was not seen yet")
        return Result(True, thing.caption or f"A {thing.category.replace('_', ' ')}.")

    def navigate(self, target: str) -> Result:
        """Go to a room, a piece of furniture, or an object that was seen."""
        room = target if target in self.rooms else self._room_of.get(target, "")
        if not room and target in self._objects and self._is_known(target):
            room = self._room(target)
        if not room:
            return Result(False, f"{target} is not known")
        self._robot = room
        return Result(True)

    def open(self, furniture: str) -> Result:
        """Open a piece of furniture in the room where the robot is."""
        if self._room_of.get(furniture) != self._robot:
            return Result(False, f"not close enough to {furniture}")
        self._open.add(furniture)
        return Result(True)

    def close(self, furniture: str) -> Result:
        """Close a piece of furniture in the room where the robot is."""
        if self._room_of.get(furniture) != self._robot:
            return Result(False, f"not close enough to {furniture}")
        self._open.discard(furniture)
        return Result(True)

    def is_open(self, furniture: str) -> bool:
        """Whether furniture was opened."""
        return furniture in self._open

    def is_within(self, name: str) -> bool:
        """Whether an object is inside something."""
        return name in self._objects and self._objects[name].within

    def pick(self, name: str) -> Result:
        """Take an object in the room where the robot is; one at a time."""
        thing = self._objects.get(name)
        if thing is None or self._room(name) != self._robot:
            return Result(False, f"not close enough to {name}")
        if self.held:
            return Result(False, f"{self.held} is held")
        self.held = name
        self._handled.add(name)
        thing.furniture, thing.within = "", False
        self._beside = {pair for pair in self._beside if name not in pair}
        return Result(True)

    def place(self, name: str, relation: str, furniture: str, beside: str = "") -> Result:
        """Put what is held "on" or "within" furniture (or a floor) here, next to an object on it or furniture here."""
        if self.held != name:
            return Result(False, f"{name} is not held")
        if self._room_of.get(furniture) != self._robot:
            return Result(False, f"not close enough to {furniture}")
        if relation == "within" and (furniture.startswith("floor_") or kind(furniture) in FLAT):
            return Result(False, f"{furniture} has no inside")
        if relation == "within" and furniture not in self._open:
            return Result(False, f"{furniture} is closed")
        if beside in self._objects and self._objects[beside].furniture != furniture:
            return Result(False, f"{beside} is not on {furniture}")
        if beside and beside not in self._objects and self._room_of.get(beside) != self._robot:
            return Result(False, f"{beside} is not here")
        thing = self._objects[name]
        thing.furniture, thing.within = furniture, relation == "within"
        if beside:
            self._beside.add(frozenset({name, beside}))
        self.held = ""
        return Result(True)

    def _is_known(self, name: str) -> bool:
        return self._room(name) in self._explored or name in self._handled

    def _room(self, name: str) -> str:
        furniture = self._objects[name].furniture
        return self._room_of[furniture] if furniture else self._robot

    # the judge's side

    def snapshot(self) -> Snapshot:
        """Return how everything is now."""
        return Snapshot(
            {name: (thing.furniture, thing.within) for name, thing in self._objects.items()},
            {name: self._room(name) for name in self._objects},
            frozenset(self._beside),
        )


@dataclass(frozen=True)
class Snapshot:
    """The whole truth at one instant."""

    where: Mapping[str, tuple[str, bool]]
    """Object → (furniture, whether within it); no furniture while it is held."""
    rooms: Mapping[str, str]
    """Object → room; of what is held, the robot's."""
    beside: frozenset[frozenset[str]]
    """Pairs that were put next to each other and stayed there."""
