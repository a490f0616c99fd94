# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What appliances do to what is in them: heat, cold, water and coffee."""

from __future__ import annotations

import math

from sim_bridge.household.world import World
from sim_bridge.simulation.categories import BASINS, WATER_SOURCES

_WATER_REACH = 0.6
"""Metres, horizontally, from a tap to the nearest point of the basin that its water falls into."""


def settle(world: World) -> None:
    """Let every appliance that runs act on what is in it now."""
    for name, spec in list(world.specs.items()):
        if spec.category == "Fridge":
            _cool(world, name)
        elif spec.category in WATER_SOURCES and world.is_(name, "isToggled"):
            _rinse(world, name)
        elif world.is_(name, "isToggled"):
            if spec.category == "CoffeeMachine":
                _brew(world, name)
            elif "isHeatSource" in spec.affordances:
                _heat(world, name)


def _cool(world: World, fridge: str) -> None:
    for name in world.contents(fridge):
        if name not in world.cooled or world.temperature[name] != "Cold":
            world.set_temperature(name, "Cold")
            world.cooled.add(name)


def _heat(world: World, source: str) -> None:
    for name in world.contents(source):
        world.set_temperature(name, "Hot")
        world.heated.add(name)
        if world.can(name, "cookable") and not world.is_(name, "isCooked"):
            world.set_state(name, "isCooked", True)


def _brew(world: World, machine: str) -> None:
    for name in world.children(machine):
        if world.can_be_filled(name):
            world.fill(name, "coffee")
            world.set_temperature(name, "Hot")
            world.heated.add(name)


def _rinse(world: World, tap: str) -> None:
    for basin in basins_of(world, tap):
        for name in world.contents(basin):
            world.washed.add(name)
            if world.states[name].get("isDirty", True):
                world.set_state(name, "isDirty", False)
            if world.can_be_filled(name):
                world.fill(name, "water")


def basins_of(world: World, tap: str) -> list[str]:
    """Return the basins that a tap's water falls into: the nearest one and what it is part of."""
    x, y, z = world.boxes[tap].center
    near = []
    for name, spec in world.specs.items():
        if spec.category in BASINS and spec.room == world.specs[tap].room:
            low, high = world.boxes[name].low, world.boxes[name].high
            if low[2] > z + 0.1:
                continue
            distance = math.hypot(max(low[0] - x, 0.0, x - high[0]), max(low[1] - y, 0.0, y - high[1]))
            near.append((distance, name))
    if not near:
        return []
    closest = min(near)[0]
    return [name for distance, name in near if distance <= min(closest + 0.3, _WATER_REACH)]
