# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the simulated robot's hand meets where it is: a hand knows no ids, only places."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sim_bridge.backend import Code, Outcome, Point, Skill, Target
from sim_bridge.backend import execute as run
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.boxes import distance
from sim_bridge.household.model import Box
from sim_bridge.simulation.motion import REACH

_GRASP = 0.1
"""Metres from a thing at which the fingers get it."""
_TOUCH = 0.15
"""Metres from a handle, a switch or what is to be cut at which the hand gets it."""
_AT = 0.05
"""Metres from a thing at which the hand is at it: what is farther is got only where there is nothing else."""
_BELOW = 0.4
"""Metres that what is let go may fall."""
_NOTHING = Outcome(Code.NOT_FOUND, "the hand is at nothing that this can be done to")


def reaches(backend: HouseholdBackend, point: Point) -> bool:
    """Whether the arm reaches a point from where the base is."""
    return math.dist(backend.robot.position, point[:2]) <= REACH + _TOUCH


def grasp(backend: HouseholdBackend, point: Point) -> Outcome:
    """Close the gripper at a point."""
    return _act(backend, "PickupObject", point, "pickupable", _GRASP)


def release(backend: HouseholdBackend, point: Point) -> Outcome:
    """Open the gripper at a point: what was in it rests on or in what is there or below."""
    world = backend.world
    candidates = [
        name for name in _with(backend, "receptacle") if not world.is_held(name) and _under(world.boxes[name], point)
    ]
    if not candidates:
        return Outcome(Code.PRECONDITION_FAILURE, "there is nothing below the hand to put something down on")
    place = min(candidates, key=lambda name: math.prod(world.boxes[name].size))
    return run(backend, Skill("PutObject", receptacle=Target(place)))


def pull(backend: HouseholdBackend, point: Point, value: bool) -> Outcome:
    """Open or close what the hand is at."""
    return _act(backend, "OpenObject" if value else "CloseObject", point, "openable", _TOUCH)


def press(backend: HouseholdBackend, point: Point, value: bool) -> Outcome:
    """Switch what the hand is at on or off."""
    return _act(backend, "ToggleOn" if value else "ToggleOff", point, "toggleable", _TOUCH)


def cut(backend: HouseholdBackend, point: Point) -> Outcome:
    """Cut what the hand is at."""
    return _act(backend, "SliceObject", point, "sliceable", _TOUCH)


def strike(backend: HouseholdBackend, point: Point) -> Outcome:
    """Strike what the hand is at."""
    return _act(backend, "BreakObject", point, "breakable", _TOUCH)


def throw(backend: HouseholdBackend) -> Outcome:
    """Throw what is held, ahead."""
    return run(backend, Skill("ThrowObject"))


def _act(backend: HouseholdBackend, skill: str, point: Point, affordance: str, near: float) -> Outcome:
    thing = met(backend, point, affordance, near)
    return run(backend, Skill(skill, Target(thing))) if thing else _NOTHING


def met(backend: HouseholdBackend, point: Point, affordance: str, near: float = _TOUCH) -> str:
    """Return what the hand meets at a point that something can be done to, empty where there is nothing."""
    world = backend.world
    there = {
        name: away
        for name in _with(backend, affordance)
        if (away := distance(world.boxes[name], point)) <= near and not world.is_held(name)
    }

    def unlikely(name: str) -> tuple[bool, float, float]:
        box = world.boxes[name]
        return there[name] > _AT, math.dist(box.center, point), math.prod(box.size)

    return min(there, key=unlikely, default="")


def _with(backend: HouseholdBackend, affordance: str) -> Iterable[str]:
    return (name for name in backend.world if backend.world.can(name, affordance))


def _under(box: Box, point: Point) -> bool:
    """Whether a point is in a box, or a little above it; as much below it as a hand that is at it may be off."""
    flat = all(box.low[a] <= point[a] <= box.high[a] for a in (0, 1))
    return flat and box.low[2] - _AT <= point[2] <= box.high[2] + _BELOW
