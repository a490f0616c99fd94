# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What Spot's camera sees, by Habitat's pictures: an object is in view when enough of its pixels are."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Intrinsics, Point
from sim_bridge.habitat.client import HabitatClient
from sim_bridge.habitat.mirror import Mirror
from sim_bridge.household.views import camera_pose
from sim_bridge.household.visibility import RANGE, Sight, View
from sim_bridge.household.world import World

_SHARE = 2.5e-5
"""Of the picture's pixels that an object must fill to be seen."""

_LEAST = 3
"""Pixels."""

_TOUCH = 0.15
"""Metres before a point at which what is seen is the point."""

_REMEMBERED = 64

Mask = NDArray[np.bool_]


class RenderedSight(Sight):
    """Lines of sight in a world as Habitat shows it; each view is rendered once until an object moves."""

    def __init__(self, world: World, habitat: HabitatClient, mirror: Mirror, intrinsics: Intrinsics) -> None:
        super().__init__(world)
        self._habitat = habitat
        self._mirror = mirror
        self._least = max(_LEAST, round(_SHARE * intrinsics.width * intrinsics.height))
        self._views: dict[tuple[float, ...], frozenset[str]] = {}
        self._at_version = -1

    def visible(self, view: View) -> tuple[str, ...]:
        """Return the ids of what is in view, nearest first."""
        (seen,) = self._seen([(view.eye, view.yaw, view.pitch)])
        return tuple(sorted(seen, key=lambda name: (math.dist(view.eye, self._world.boxes[name].center), name)))

    def sees(self, name: str, view: View) -> bool:
        """Whether an object is in view."""
        return name in self.visible(view)

    def clear_from(self, name: str, eyes: NDArray[np.float64]) -> Mask:
        """Return for each eye (n, 3) whether it would see the object if it looked there."""
        clear = np.zeros(len(eyes), dtype=np.bool_)
        if not self._counts(name):
            return clear
        goal = self._world.boxes[name].center
        points: list[Point] = [(float(x), float(y), float(z)) for x, y, z in eyes]
        near = [k for k, eye in enumerate(points) if self._in_range(name, eye)]
        seen = self._seen([(points[k], *_towards(points[k], goal)) for k in near])
        clear[near] = [name in names for names in seen]
        return clear

    def clear_point(self, point: tuple[float, float, float], eyes: NDArray[np.float64]) -> Mask:
        """Return for each eye (n, 3) whether nothing hides a point from it."""
        self._mirror.sync()
        points: list[Point] = [(float(x), float(y), float(z)) for x, y, z in eyes]
        poses = [camera_pose(eye, yaw, -pitch) for eye in points for yaw, pitch in [_towards(eye, point)]]
        depths = self._habitat.depth_from(poses)
        away = [math.dist(eye, point) for eye in points]
        return np.array(
            [d <= RANGE and (not depth or depth > d - _TOUCH) for d, depth in zip(away, depths, strict=True)],
            dtype=np.bool_,
        )

    def _seen(self, looks: list[tuple[Point, float, float]]) -> list[frozenset[str]]:
        """Return what is in view from each eye with a yaw and a pitch."""
        self._mirror.sync()
        if self._world.version != self._at_version or len(self._views) > _REMEMBERED:
            self._views.clear()
            self._at_version = self._world.version
        keys = [(*eye, yaw, pitch) for eye, yaw, pitch in looks]
        new = [k for k in dict.fromkeys(keys) if k not in self._views]
        if new:
            names = self._mirror.names()
            pictures = self._habitat.seen_from([camera_pose(k[:3], k[3], -k[4]) for k in new])
            for key, counts in zip(new, pictures, strict=True):
                shown = [names[n] for n, pixels in counts.items() if n in names and pixels >= self._least]
                self._views[key] = frozenset(self._countable(shown, key[:3]))
        return [self._views[key] for key in keys]

    def _countable(self, names: Iterable[str], eye: Point) -> list[str]:
        return [n for n in names if self._counts(n) and self._in_range(n, eye)]

    def _counts(self, name: str) -> bool:
        """Whether something can be seen at all: it is there, not in the hand and not shut in."""
        world = self._world
        return name in world.specs and not world.is_held(name) and not world.closed_around(name)

    def _in_range(self, name: str, eye: Point) -> bool:
        low, high = self._world.boxes[name].low, self._world.boxes[name].high
        return math.dist(eye, [min(max(e, a), b) for e, a, b in zip(eye, low, high, strict=True)]) <= RANGE


def _towards(eye: Point, goal: Point) -> tuple[float, float]:
    """Return the yaw and the pitch of a look from a point to another."""
    dx, dy, dz = (g - e for g, e in zip(goal, eye, strict=True))
    return math.atan2(dy, dx), math.atan2(dz, max(math.hypot(dx, dy), 1e-3))
