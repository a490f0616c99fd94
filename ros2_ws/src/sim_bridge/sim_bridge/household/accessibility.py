# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot can see and reach from the free cells of a scene.

Of the 1,895 things that can be carried in the recorded rooms, a handful lie where no agent gets at them: on a table
beyond a bed, in a closed-off shower, behind a chest of drawers. A robot's task about one of those could not be done, so
they are put to the nearest place in the room where they can be seen and reached.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sim_bridge.household.driving import eyes_at, horizontal_distance
from sim_bridge.household.model import Scene
from sim_bridge.household.navigation import Grid
from sim_bridge.household.placement import refusal, spot
from sim_bridge.household.visibility import Sight
from sim_bridge.household.world import World
from sim_bridge.simulation.categories import ACCEPTS_ONLY, HANGING
from sim_bridge.simulation.motion import REACH

_AT_ONCE = 6

_DEEP = 0.05
"""Metres; the sides of what is lower hide nothing."""


def accessible(world: World, grid: Grid, sight: Sight, name: str) -> bool:
    """Whether an object can be seen and reached from some free cell, things that are closed staying closed."""
    if _at_the_bottom(world, name):
        return False
    box = world.boxes[name]
    away = horizontal_distance(box, grid.points)
    cells = np.flatnonzero((away <= REACH) & (grid.storeys == grid.storey_of(box.low[2])))
    cells = cells[np.argsort(away[cells], kind="stable")]
    return any(
        bool(sight.clear_from(name, eyes_at(grid, cells[k : k + _AT_ONCE].tolist())).any())
        for k in range(0, len(cells), _AT_ONCE)
    )


def _at_the_bottom(world: World, name: str) -> bool:
    """Whether an object lies so low in a bowl or the like that the rim hides it."""
    parent = world.parents[name]
    if parent not in world.specs or not world.specs[parent].movable:
        return False
    vessel = world.boxes[parent]
    return world.boxes[name].high[2] < vessel.center[2] and vessel.size[2] > _DEEP


def inaccessible(scene: Scene) -> tuple[str, ...]:
    """Return what can be carried and is not closed in, but can't be both seen and reached from anywhere."""
    world = World(scene)
    grid, sight = Grid(scene), Sight(world)
    carried = (n for n, s in world.specs.items() if s.movable and not world.closed_around(n))
    return tuple(n for n in carried if not accessible(world, grid, sight, n))


def within_reach(scene: Scene) -> Scene:
    """Return the scene with what is inaccessible put to the nearest place in its room where it is not."""
    stuck = inaccessible(scene)
    if not stuck:
        return scene
    world = World(scene)
    grid, sight = Grid(scene), Sight(world)
    for name in stuck:
        _bring_near(world, grid, sight, name)
    objects = tuple(replace(o, box=world.boxes[o.id], parent=world.parents[o.id]) for o in scene.objects)
    return replace(scene, objects=objects)


def _bring_near(world: World, grid: Grid, sight: Sight, name: str) -> None:
    box, parent = world.boxes[name], world.parents[name]
    cell = int(np.argmin(horizontal_distance(box, grid.points)))
    near = (float(grid.points[cell, 0]), float(grid.points[cell, 1]))

    def distance(receptacle: str) -> tuple[float, str]:
        return math.dist(world.boxes[receptacle].center, box.center), receptacle

    others = [n for n, s in world.specs.items() if _suits(world, name, n) and s.id != parent]
    for receptacle in [parent] * _suits(world, name, parent) + sorted(others, key=distance):
        place = spot(world, name, receptacle, near)
        if place is not None:
            world.place(name, receptacle, place)
            if accessible(world, grid, sight, name):
                return
    if parent:
        world.place(name, parent, box)


def _suits(world: World, name: str, receptacle: str) -> bool:
    spec = world.specs.get(receptacle)
    if spec is None or spec.movable or spec.category in {"GarbageCan", "Toilet", *HANGING, *ACCEPTS_ONLY}:
        return False
    return not world.hides(receptacle) and not refusal(world, name, receptacle)
