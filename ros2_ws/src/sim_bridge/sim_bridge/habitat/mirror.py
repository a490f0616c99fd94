# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps Habitat's objects as the world has them: where they are, what is open, what the hand holds, what is gone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sim_bridge.backend import Point
from sim_bridge.habitat.client import HabitatClient
from sim_bridge.habitat.dataset import template_name, write_object
from sim_bridge.household.furnishing import furnish
from sim_bridge.household.world import World

_MOVED = 1e-4
"""Metres; less is no movement."""


class Mirror:
    """What the skills decide happens in a `World`; this carries it out in Habitat, and reads back what came of it."""

    def __init__(self, world: World, habitat: HabitatClient, numbers: Mapping[str, int], folder: Path | None) -> None:
        """Begin with a scene just loaded.

        `numbers`: object id → Habitat's number. `folder`: where objects are written that change their form; None
        where Habitat's own joints open and close them.
        """
        self._world = world
        self._habitat = habitat
        self._folder = folder
        self._furnishing = furnish(world.scene)
        self._numbers = dict(numbers)
        self._version = world.version
        self._held = ""
        now = habitat.objects()
        self._at = {n: now[k].position for n, k in self._numbers.items()}
        self._offset = {n: _minus(self._at[n], world.boxes[n].center) for n in self._numbers}
        self._opened = {n: world.is_(n, "isOpen") for n in self._numbers}
        self._written: dict[tuple[object, ...], Path] = {}

    def follow(self, world: World) -> None:
        """Have Habitat show another world of the same scene from now on."""
        self._world = world
        self._version = -1

    def names(self) -> dict[int, str]:
        """Return the ids of the objects by what the instance image shows of them."""
        return {k: n for n, k in self._numbers.items()}

    @property
    def held(self) -> str:
        """Id of what Habitat's robot holds, empty for nothing."""
        return self._held

    def sync(self) -> None:
        """Carry out what has changed."""
        world = self._world
        if world.version == self._version:
            return
        if self._held and world.held != self._held:
            self._habitat.hold(0)
            self._held = ""
        for name in [n for n in self._numbers if n not in world.specs]:
            self._habitat.remove(self._numbers.pop(name))
        for name, spec in world.specs.items():
            if spec.category != "Floor":
                self._form(name)
                if not world.is_held(name):
                    self._place(name, world.boxes[name].center)
        if world.held and world.held != self._held:
            self._held = world.held
            self._habitat.hold(self._numbers[self._held])
        self._version = world.version

    def carry(self, hand: Point) -> None:
        """Take along what rests on or in what Habitat's robot holds in its hand at `hand`."""
        if not self._held:
            return
        self._at[self._held] = hand
        moved = _minus(hand, self._world.boxes[self._held].center)
        for name in self._world.contents(self._held):
            self._place(name, _plus(self._world.boxes[name].center, moved))

    def truth(self) -> dict[str, Point]:
        """Return the middle of every object's box by where Habitat has the object."""
        now = self._habitat.objects()
        return {n: _minus(now[k].position, self._offset[n]) for n, k in self._numbers.items()}

    def _form(self, name: str) -> None:
        """Give an object the form that it has now: a new one, one that was opened or closed."""
        world = self._world
        opened = world.is_(name, "isOpen")
        if name in self._numbers and opened == self._opened[name]:
            return
        self._opened[name] = opened
        if self._folder is None:
            self._habitat.set_opened(self._numbers[name], opened)
            return
        middle = world.boxes[name].center
        made = self._habitat.reform(self._numbers.get(name, 0), self._form_of(name, self._folder), middle)
        self._numbers[name], self._at[name], self._offset[name] = made.number, made.position, (0.0, 0.0, 0.0)

    def _form_of(self, name: str, folder: Path) -> Path:
        """Return the file of an object's form, written once: Habitat may keep what it has read of a file."""
        state, box = self._world.object_state(name), self._world.boxes[name]
        key = (name, self._opened[name], box.size)
        if key not in self._written:
            template = template_name(f"form_{state.category}", len(self._written) + 1)
            self._written[key] = write_object(folder, template, self._furnishing, state, box.center)
        return self._written[key]

    def _place(self, name: str, middle: Point) -> None:
        wanted = _plus(middle, self._offset[name])
        shift = _minus(wanted, self._at[name])
        if np.linalg.norm(shift) > _MOVED:
            self._at[name] = self._habitat.move(self._numbers[name], shift).position


def _plus(a: Point, b: Point) -> Point:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
