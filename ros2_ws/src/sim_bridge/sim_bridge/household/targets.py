# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which object a target means: by id, then by category near the position, then by category among what is visible."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from sim_bridge.backend import Target
from sim_bridge.household.robot import Robot
from sim_bridge.household.visibility import Sight
from sim_bridge.household.world import World
from sim_bridge.targets import NEAR_POSITION, category_of


def matches(world: World, target: Target) -> tuple[str, ...]:
    """Return every object that the target may mean: the one with its id, or all of its category."""
    if target.id in world.specs:
        return (target.id,)
    return tuple(world.of_category(category_of(target)))


def resolve(world: World, sight: Sight, robot: Robot, target: Target) -> str:
    """Return the id of the object that a target means among what the robot can see from here; empty for none.

    An id is taken at its word whether it is seen or not.
    """
    if target.id in world.specs:
        return target.id
    floor = _floor_meant(world, robot, target)
    if floor:
        return floor
    eye = np.array([robot.eye])
    seen = [n for n in matches(world, target) if world.is_held(n) or sight.clear_from(n, eye)[0]]
    in_view = set(sight.visible(robot.view)) if len(seen) > 1 else set()
    return nearest(world, seen, target, robot, in_view)


def _floor_meant(world: World, robot: Robot, target: Target) -> str:
    """Return the floor of the room that the target's position, or else the robot, is in; empty for another category."""
    grid, cell = robot.grid, robot.cell
    if target.position is not None:
        x, y, z = target.position
        cell = grid.nearest(x, y, grid.storey_of(z))
    floors = (n for n in matches(world, target) if world.category(n) == "Floor")
    return next((n for n in floors if world.specs[n].room == grid.rooms[cell]), "")


def nearest(world: World, names: Iterable[str], target: Target, robot: Robot, preferred: set[str]) -> str:
    """Return the object nearest to the target's position if that is near, else those preferred and near the robot."""
    x, y = robot.position

    def rank(name: str) -> tuple[bool, float, bool, float, str]:
        cx, cy, cz = world.boxes[name].center
        away = math.inf
        if target.position is not None:
            away = math.dist(target.position, (cx, cy, cz))
        close = away <= NEAR_POSITION
        return not close, away if close else 0.0, name not in preferred, math.hypot(cx - x, cy - y), name

    return min(names, key=rank, default="")
