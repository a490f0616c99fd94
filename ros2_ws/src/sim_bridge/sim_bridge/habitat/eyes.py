# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What Spot's camera sees, by Habitat's pictures.

What is listed as in view fills some pixels; of a thing that is asked for, one pixel is enough. What is in something
open is a part of it, as in the household: its boards hide from the camera's height what a robot at it could look at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Intrinsics, Point
from sim_bridge.habitat.client import HabitatClient
from sim_bridge.habitat.mirror import Mirror
from sim_bridge.household.boxes import distance
from sim_bridge.household.views import camera_pose
from sim_bridge.household.visibility import Sight, View, in_frame
from sim_bridge.household.world import World
from sim_bridge.simulation.categories import CUPBOARDS
from sim_bridge.simulation.senses import RANGE

_SHARE = 2.5e-5
"""Of the picture's pixels that an object must fill in the middle of the picture to be seen."""

_LEAST = 1
"""Pixels."""

_TOUCH = 0.15
"""Metres before a point at which what is seen is the point."""

_REMEMBERED = 64

Mask = NDArray[np.bool_]
Key = tuple[float, float, float, float, float]
"""Where a camera is, its yaw and its pitch."""


class RenderedSight(Sight):
    """Lines of sight in a world as Habitat shows it; each view is rendered once until an object moves."""

    def __init__(self, world: World, habitat: HabitatClient, mirror: Mirror, intrinsics: Intrinsics) -> None:
        super().__init__(world)
        self._habitat = habitat
        self._mirror = mirror
        self._least = max(_LEAST, round(_SHARE * intrinsics.width * intrinsics.height))
        self._intrinsics = intrinsics
        self._half_width = math.atan(intrinsics.width / 2 / intrinsics.fx)
        self._half_height = math.atan(intrinsics.height / 2 / intrinsics.fy)
        self._views: dict[Key, dict[str, float]] = {}
        self._at_version = -1

    def visible(self, view: View) -> tuple[str, ...]:
        """Return the ids of what is in view, nearest first."""
        (pixels,) = self._pixels([(view.eye, view.yaw, view.pitch)])
        seen = [name for name, filled in pixels.items() if filled >= self._least]
        return tuple(sorted(seen, key=lambda name: (math.dist(view.eye, self._world.boxes[name].center), name)))

    def sees(self, name: str, view: View) -> bool:
        """Whether an object is in view."""
        (pixels,) = self._pixels([(view.eye, view.yaw, view.pitch)])
        return name in pixels

    def clear_from(self, name: str, eyes: NDArray[np.float64]) -> Mask:
        """Return for each eye (n, 3) whether it would see any of the object if it looked there."""
        clear = np.zeros(len(eyes), dtype=np.bool_)
        if not self._counts(name):
            return clear
        goal = self._world.boxes[name].center
        points: list[Point] = [(float(x), float(y), float(z)) for x, y, z in eyes]
        near = [k for k, eye in enumerate(points) if self._in_range(name, eye)]
        seen = self._pixels([(points[k], *_towards(points[k], goal)) for k in near])
        clear[near] = [name in pixels for pixels in seen]
        return clear

    def clear_point(self, point: tuple[float, float, float], eyes: NDArray[np.float64]) -> Mask:
        """Return for each eye (n, 3) whether nothing hides a point from it."""
        self._mirror.sync()
        points: list[Point] = [(float(x), float(y), float(z)) for x, y, z in eyes]
        poses = [aimed(eye, *_towards(eye, point), self._intrinsics) for eye in points]
        depths = self._habitat.depth_from(poses)
        away = [math.dist(eye, point) for eye in points]
        return np.array(
            [d <= RANGE and (not depth or depth > d - _TOUCH) for d, depth in zip(away, depths, strict=True)],
            dtype=np.bool_,
        )

    def _pixels(self, looks: list[tuple[Point, float, float]]) -> list[dict[str, float]]:
        """Return what is in the picture from each eye with a yaw and a pitch, and how many pixels it fills.

        Each counts as many as it would fill in the middle: towards the edges things are drawn larger.
        """
        self._mirror.sync()
        if self._world.version != self._at_version or len(self._views) > _REMEMBERED:
            self._views.clear()
            self._at_version = self._world.version
        keys: list[Key] = [(*eye, yaw, pitch) for eye, yaw, pitch in looks]
        new = [k for k in dict.fromkeys(keys) if k not in self._views]
        if new:
            names = self._mirror.names()
            pictures = self._habitat.seen_from([aimed(k[:3], k[3], k[4], self._intrinsics) for k in new])
            for key, counts in zip(new, pictures, strict=True):
                eye, axis = key[:3], _direction(key[3], key[4])
                shown: dict[str, float] = {names[n]: pixels for n, pixels in counts.items() if n in names}
                self._views[key] = {
                    n: pixels * self._slant(n, eye, axis) ** 3
                    for n, pixels in {**shown, **self._inside(shown, key)}.items()
                    if self._counts(n) and self._in_range(n, eye)
                }
        return [self._views[key] for key in keys]

    def _inside(self, shown: Mapping[str, float], key: Key) -> dict[str, float]:
        """Return what is in the furniture that a picture shows, its middle in the picture, with that one's pixels."""
        world, (x, y, z, yaw, pitch) = self._world, key
        view = View((x, y, z), yaw, pitch, self._half_width, self._half_height)
        return {
            name: pixels
            for furniture, pixels in shown.items()
            if world.category(furniture) in CUPBOARDS
            for name in world.contents(furniture)
            if in_frame(np.array(world.boxes[name].center), view)
        }

    def _slant(self, name: str, eye: Point, axis: Point) -> float:
        """Return the cosine of the angle at which an object lies off the camera's axis; 1 where it is all around."""
        towards = [g - e for g, e in zip(self._world.boxes[name].center, eye, strict=True)]
        away = math.hypot(*towards)
        cosine = sum(t * a for t, a in zip(towards, axis, strict=True)) / away if away else 1.0
        return cosine if cosine > 0.0 else 1.0

    def _counts(self, name: str) -> bool:
        """Whether something can be seen at all: it is there, not in the hand and not shut in."""
        world = self._world
        return name in world.specs and not world.is_held(name) and not world.closed_around(name)

    def _in_range(self, name: str, eye: Point) -> bool:
        return distance(self._world.boxes[name], eye) <= RANGE


def _direction(yaw: float, pitch: float) -> Point:
    return math.cos(yaw) * math.cos(pitch), math.sin(yaw) * math.cos(pitch), math.sin(pitch)


def _towards(eye: Point, goal: Point) -> tuple[float, float]:
    """Return the yaw and the pitch of a look from a point to another."""
    dx, dy, dz = (g - e for g, e in zip(goal, eye, strict=True))
    return math.atan2(dy, dx), math.atan2(dz, max(math.hypot(dx, dy), 1e-3))


def aimed(eye: Point, yaw: float, pitch: float, camera: Intrinsics) -> NDArray[np.float64]:
    """Return the pose (4, 4) of a camera that has what it looks at in a pixel, not between two.

    The middle of an even number of pixels lies between two, where a thin thing (a knife seen from the side) would be
    missed: the camera is turned by half a pixel.
    """
    across = math.atan(0.5 / camera.fx) if camera.width % 2 == 0 else 0.0
    along = math.atan(0.5 / camera.fy) if camera.height % 2 == 0 else 0.0
    return camera_pose(eye, yaw + across, -(pitch + along))
