# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""AI2-THOR's agent as the robot of the skills: what it sees, where it stands for something, what its gripper does."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from sim_bridge.ai2thor import gripping
from sim_bridge.ai2thor.agent import Agent
from sim_bridge.ai2thor.rooms import room_at
from sim_bridge.ai2thor.things import Thing, described, holder_of, shut_around
from sim_bridge.backend import Code, Point, RefusedError, SeenObject, Skill, Target
from sim_bridge.household.boxes import distance
from sim_bridge.household.driving import horizontal_distance
from sim_bridge.simulation.categories import KNIVES
from sim_bridge.simulation.senses import RANGE
from sim_bridge.simulation.standing import first_seen, from_all_sides, in_reach
from sim_bridge.targets import NEAR_POSITION, category_of

_LOOKS = -30.0, 0.0, 30.0, 60.0
"""Horizons that are tried to see whether something can be seen from somewhere, all of the camera's range."""

_WITHIN_THE_ARM = 0.6
"""Metres to an object to which ManipulaTHOR's arm gets; it stands farther away only where it can't be closer."""

_FARTHER = 20.0
"""Metres of driving that this is worth."""

_ALREADY = (
    ("OpenObject", "isOpen", "true", "already open"),
    ("CloseObject", "isOpen", "false", "already closed"),
    ("SwitchOn", "isToggled", "true", "already on"),
    ("ToggleOn", "isToggled", "true", "already on"),
    ("SwitchOff", "isToggled", "false", "already off"),
    ("ToggleOff", "isToggled", "false", "already off"),
    ("SwitchOn", "isBroken", "true", "broken: it can't be switched on any more"),
    ("ToggleOn", "isBroken", "true", "broken: it can't be switched on any more"),
    ("BreakObject", "isBroken", "true", "already broken"),
)
"""Skill, state, and its value with which the skill makes no sense; what is told then."""


class Robot(Agent):
    """See `sim_bridge.simulation.body.Body`."""

    # What it sees

    def look(self) -> Sequence[str]:
        """Return the ids of what is in view, less what is overlooked, nearest first."""
        eye = self.eye
        seen = [t for t in self.things.values() if t.visible and not self.senses.miss()]
        seen.sort(key=lambda t: math.dist(t.center, eye))
        self.looks.seen.update(dict.fromkeys(t.id for t in seen))
        return [t.id for t in seen]

    def sees(self, name: str) -> bool:
        """Whether an object to which it has turned is seen; a floor always is."""
        thing = self.thing(name)
        return thing.visible or thing.category == "Floor"

    def could_see(self, name: str) -> bool:
        """Whether an object is in view, or would be if the robot turned to it."""
        thing = self.thing(name)
        if thing.category == "Floor":
            return self._stands_on(thing)
        return thing.visible or bool(self._views(name, [self.cell]))

    def matches(self, target: Target) -> Collection[str]:
        """Return the id of every object that a target may mean."""
        return [t.id for t in self._matching(target)]

    def _matching(self, target: Target) -> list[Thing]:
        """Return every object that the target may mean: the one with its id, or all of its category."""
        if target.id in self.things:
            return [self.things[target.id]]
        wanted = category_of(target).casefold()
        return [t for t in self.things.values() if t.category.casefold() == wanted]

    def resolve(self, target: Target) -> str:
        """Return the id of the object that a target means among what it can see from here; empty for none.

        An id is taken at its word whether it is seen or not.
        """
        if target.id in self.things:
            return target.id
        found = self._by_nearness((t for t in self._matching(target) if t.visible or self.carries(t.id)), target)
        if found:
            return found[0].id
        pose = self.pose
        near = (t for t in self._by_nearness(self._matching(target), target) if t.away(pose.x, pose.y) <= RANGE)
        return next((t.id for t in near if self.could_see(t.id)), "")

    def in_view(self, target: Target) -> str:
        """Return the id of what is in view and may be meant by a target; empty for nothing."""
        seen = [t for t in self._matching(target) if t.visible and not self.senses.miss()]
        return next((t.id for t in self._by_nearness(seen, target)), "")

    def _by_nearness(self, things: Iterable[Thing], target: Target) -> list[Thing]:
        """Return things by how well they fit: near the target's position, then in view, then near the robot.

        A floor is meant where it is the one of the room that the position, or else the robot, is in.
        """
        pose = self.pose
        here = target.position[:2] if target.position is not None else (pose.x, pose.y)

        def rank(thing: Thing) -> tuple[bool, bool, float, bool, float, str]:
            elsewhere = thing.category == "Floor" and room_at(self.rooms, thing.center[:2]) != room_at(self.rooms, here)
            away = math.dist(target.position, thing.center) if target.position is not None else math.inf
            close = away <= NEAR_POSITION
            from_robot = math.hypot(thing.center[0] - pose.x, thing.center[1] - pose.y)
            return elsewhere, not close, away if close else 0.0, not thing.visible, from_robot, thing.id

        return sorted(things, key=rank)

    def _stands_on(self, floor: Thing) -> bool:
        """Whether a floor is that of the room that the robot is in."""
        pose = self.pose
        return floor.away(pose.x, pose.y) == 0.0 and room_at(self.rooms, floor.center[:2]) == self.room

    def _views(self, name: str, cells: Iterable[int]) -> set[int]:
        """Return those of some cells from which AI2-THOR says a thing would be visible, the camera turned to it."""
        points = {c: (float(self.grid.points[c][0]), float(self.grid.points[c][1])) for c in cells}
        positions = [{"x": x, "y": self._height, "z": y} for x, y in points.values()]
        if not positions:
            return set()
        poses = self.act(
            "GetInteractablePoses", objectId=name, positions=positions, horizons=list(_LOOKS), standings=[True]
        )
        return {self.grid.nearest(p["x"], p["z"]) for p in poses or ()}

    def described_with_contents(self, name: str) -> tuple[SeenObject, ...]:
        """Return an object and what can be seen on or in it."""
        things = self.things
        inside = [t for t in things.values() if t.visible and (holder_of(t, things) or t).id == name and t.id != name]
        return self.described([name, *(t.id for t in inside if not self.senses.miss())])

    # Where it stands for something

    def stand_for(self, name: str) -> int | None:
        """Return the best cell to reach and see a thing from; where none, one to reach it from; or None."""
        away = horizontal_distance(self.thing(name), self.grid.points)
        return first_seen(self._in_reach(away), partial(self._views, name))

    def stands_for(self, target: Target, position: Point, most: int) -> Sequence[int]:
        """Return cells from which to look at the target's position, the best first, each from another side.

        Where a thing that may be meant is still there, they are those from which it is visible.
        """
        there = [t for t in self._by_nearness(self._matching(target), target) if distance(t, position) <= NEAR_POSITION]
        cells = self._in_reach(np.hypot(*(self.grid.points - position[:2]).T))
        seen = next(filter(None, (self._views(there[0].id, some) for some in cells)), set()) if there else set()
        everywhere = list(chain.from_iterable(cells))
        chosen = from_all_sides([c for c in everywhere if c in seen] or everywhere, self.grid.points, most)
        return chosen or self.viewpoints([position])

    def _in_reach(self, away: NDArray[np.float64]) -> Sequence[list[int]]:
        """Return the cells that reach something, given how far it is from each, the best to drive to first."""
        reluctance = np.where(away > _WITHIN_THE_ARM, _FARTHER, 0.0) if self.arm else 0.0
        return in_reach(away, self.grid.distances(self.cell, self.pose.yaw), reluctance)

    # What there is

    def truth(self, name: str) -> SeenObject:
        """Return an object as it really is; RefusedError when it is gone."""
        return described(self.thing(name), self.things)

    def exists(self, name: str) -> bool:
        """Whether an object is there, and not sliced or broken into others."""
        return name in self.things

    def room_of(self, name: str) -> str:
        """Return the room that the middle of an object is in."""
        return room_at(self.rooms, self.thing(name).center[:2]).name

    def floor(self) -> str:
        """Return the floor that the robot stands on."""
        for thing in self.things.values():
            if thing.category == "Floor" and self._stands_on(thing):
                return thing.id
        raise RefusedError(Code.PRECONDITION_FAILURE, "there is no floor here to put things on")

    def is_receptacle(self, name: str) -> bool:
        """Whether things are put on or in an object."""
        return self.thing(name).receptacle

    def closed(self) -> Iterable[str]:
        """Return the receptacles that are closed, so that they hide what is in them."""
        return [t.id for t in self.things.values() if t.shut]

    def closed_around(self, name: str) -> str:
        """Return the outermost closed receptacle that hides an object; empty for none."""
        shut = shut_around(self.thing(name), self.things)
        return shut.id if shut else ""

    def contents(self, name: str) -> Sequence[str]:
        """Return what rests on or in an object, and on or in that, and so on."""
        return [t.id for t in self.things.values() if name in t.holders]

    def controls(self, name: str) -> Sequence[str]:
        """Return what an object switches: a stove's knob its burner."""
        return self.thing(name).controls

    # What its gripper does

    def require_possible(self, skill: Skill, name: str) -> None:
        """Refuse, before the arm moves, what AI2-THOR does all the same, or does not explain."""
        reason = self._impossible(skill, name)
        if reason:
            raise RefusedError(Code.PRECONDITION_FAILURE, reason)

    def _impossible(self, skill: Skill, name: str) -> str:
        thing, holding = self.thing(name), self.holding
        if skill.name == "PickupObject":
            if holding.id:
                already = f"{name} is already in the gripper" if holding.id == name else ""
                return already or f"the gripper holds {holding.id}: put it down first"
            return "" if thing.pickupable else f"{name} can't be carried: a {thing.category} is not pickupable"
        if skill.name == "PutObject":
            if self.carries(name):
                return f"{name} is in the gripper: nothing can be put on, in or near it"
            return f"{name} is closed: open it first" if thing.shut and skill.relation != "near" else ""
        if skill.name == "SliceObject" and not holding.id:
            return f"the gripper is empty: slicing {name} needs a knife: pick one up first"
        if skill.name == "SliceObject" and holding.category not in KNIVES:  # AI2-THOR cuts without
            return f"slicing {name} needs a knife, and the gripper holds {holding.id}: put it down and take a knife"
        return next(
            (f"{name} is {told}" for s, k, v, told in _ALREADY if s == skill.name and thing.states.get(k) == v), ""
        )

    def take(self, name: str) -> None:
        """Take an object into the gripper."""
        gripping.take(self, self.thing(name))

    def lay(self, receptacle: str, beside: str) -> None:
        """Put what is held on or in a receptacle, near another object where one is given."""
        held = self.thing(self.holding.id)
        gripping.put(self, held, self.thing(receptacle), self.thing(beside) if beside else None)

    def set_open(self, name: str, value: bool) -> None:
        """Open or close an object."""
        self.act("OpenObject" if value else "CloseObject", objectId=name)

    def switch(self, name: str, value: bool) -> None:
        """Switch an object on or off."""
        self.act("ToggleObjectOn" if value else "ToggleObjectOff", objectId=name)

    def slice(self, name: str) -> Sequence[str]:
        """Cut an object with the knife that is held; return its slices."""
        before = set(self.things)
        self.act("SliceObject", objectId=name)
        return [n for n in self.things if n not in before]

    def break_up(self, name: str) -> Sequence[str]:
        """Break an object; return what came of it where that is something new."""
        before = set(self.things)
        self.act("BreakObject", objectId=name)
        return [n for n in self.things if n not in before]

    def throw(self) -> Sequence[str]:
        """Throw what is held, ahead; return what is there then: it, or what came of it."""
        held, before = self.holding.id, set(self.things)
        gripping.throw(self)
        return [n for n in self.things if n not in before] or [held]
