# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which object a target means: by id, then by category near the position, then by category among what is visible."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from sim_bridge.backend import Target
from sim_bridge.household.model import Room, Scene
from sim_bridge.household.robot import Robot
from sim_bridge.household.visibility import Sight
from sim_bridge.household.world import World

NEAR_POSITION = 1.0
"""Metres within which an object of the right category is taken for the one that was remembered there."""


def named(target: Target) -> str:
    """Return how to speak of a target."""
    if target.id or target.category:
        return target.id or target.category
    if target.position is not None:
        return "({:.2f}, {:.2f}, {:.2f})".format(*target.position)
    return "nothing"


def category_of(target: Target) -> str:
    """Return the category that a target names, by itself or as the first part of its id."""
    return target.category or target.id.rpartition("/")[2].partition("|")[0]


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


def rooms_named(scene: Scene, target: Target) -> tuple[Room, ...]:
    """Return the rooms that a target names, by name or kind; upper and lower case and spaces do not matter."""

    def plain(text: str) -> str:
        return "".join(c for c in text.casefold() if c.isalnum())

    wanted = {plain(t) for t in (target.id, target.category) if t} - {""}
    by_name = tuple(r for r in scene.rooms if plain(r.name) in wanted)
    return by_name or tuple(r for r in scene.rooms if plain(r.kind) in wanted)
