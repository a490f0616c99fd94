# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Upright boxes around objects, turned about the vertical axis as the objects are.

The turn is that of the box whose sides the points lie closest to (Zhang, Xu, Dong, Dolan: Efficient L-Shape Fitting for
Vehicle Detection Using Laser Scanners, IV 2017; criterion "closeness"). The box of least area will not do: of a thing
of which two sides were seen, one across the corner is as small. docs/architecture.md has the measurements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from karma_perception.frames.camera import FloatArray
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.voxels import trimmed_bounds

_TURNED = 1.3
"""Times as close as to a box along the map's axes that points must be to a turned one: round things have no turn."""

_STILL_TURNED = 1.15
"""The same for a box that is turned already."""

_ON_SIDE = 0.02
"""Metres within which a point lies on a side: means of points are that exact, also in larger voxels."""

_FEWEST = 50
"""Points that tell a turn."""

_MOST = 250
"""Points that are looked at."""

_GROWN = 0.25
"""Share of its points by which an object must have grown or shrunk before its turn is determined anew."""

_SHIFTED = 0.05
"""Metres by which a side of its box must have moved for the same."""

_SMALL = 0.15
"""Metres; things that are smaller from above have no turn that could be told from depth's noise."""

_COARSE = np.deg2rad(np.arange(-45.0, 45.0, 5.0))
_FINE = np.deg2rad(np.arange(-4.0, 5.0, 1.0))


@dataclass(frozen=True, eq=False)
class UprightBox:
    """A box that stands upright in the map frame."""

    center: FloatArray
    """(3,) metres."""
    size: FloatArray
    """(3,) full extents along its own axes, metres."""
    yaw: float
    """Radians by which it is turned about the map's z axis, from -π/4 to π/4."""


@dataclass(frozen=True, eq=False)
class _Fit:
    yaw: float
    points: int
    low: FloatArray
    high: FloatArray

    def holds(self, o: MappedObject) -> bool:
        grown = abs(len(o.voxels) - self.points) > _GROWN * self.points
        shifted = max(float(np.max(np.abs(o.low - self.low))), float(np.max(np.abs(o.high - self.high))))
        return not grown and shifted <= _SHIFTED


class OrientedBoxes:
    """The boxes of a map's objects; remembers their turns, which rarely change."""

    def __init__(self, trim: float) -> None:
        """`trim`: share of points cut off at either end of each axis."""
        self._trim = trim
        self._fits: dict[str, _Fit] = {}

    def of(self, objects: Mapping[str, MappedObject]) -> dict[str, UprightBox]:
        """Return id → box of the objects of the map as it is now."""
        self._fits = {name: self._fit(name, o) for name, o in objects.items()}
        return {name: self._box(o, self._fits[name].yaw) for name, o in objects.items()}

    def _fit(self, name: str, o: MappedObject) -> _Fit:
        known = self._fits.get(name)
        if known is not None and known.holds(o):
            return known
        turned = known is not None and known.yaw != 0.0
        small = o.held or float(np.max(o.size[:2])) < _SMALL
        yaw = 0.0 if small else upright_turn(o.voxels.points, self._trim, turned=turned)
        return _Fit(yaw, len(o.voxels), o.low, o.high)

    def _box(self, o: MappedObject, yaw: float) -> UprightBox:
        if yaw == 0.0:
            return UprightBox(o.center, o.size, 0.0)
        axes = _axes(np.array([yaw]))[:, :, 0]
        low, high = trimmed_bounds(o.voxels.points[:, :2] @ axes.T, self._trim)
        across, up = axes.T @ ((low + high) / 2), (o.low[2] + o.high[2]) / 2
        return UprightBox(np.array([*across, up]), np.array([*(high - low), o.high[2] - o.low[2]]), yaw)


def upright_turn(points: FloatArray, trim: float, *, turned: bool = False) -> float:
    """Return the turn about z, radians from -π/4 to π/4, of the box whose sides points, (n, 3), lie closest to.

    0 for few points, and where no turned box is clearly closer than one along the axes. `trim`: share of points beyond
    either end; `turned`: whether it was turned before.
    """
    if len(points) < _FEWEST:
        return 0.0
    flat = points[:: len(points) // _MOST + 1, :2]
    near = _COARSE[int(np.argmax(_closeness(flat, _COARSE, trim)))]
    angles = np.concatenate(([0.0], near + _FINE))
    scores = _closeness(flat, angles, trim)
    best = int(np.argmax(scores))
    if scores[best] < (_STILL_TURNED if turned else _TURNED) * scores[0]:
        return 0.0
    return float((angles[best] + np.pi / 4) % (np.pi / 2) - np.pi / 4)


def _closeness(flat: FloatArray, angles: FloatArray, trim: float) -> FloatArray:
    """Return how close points, (n, 2), are to the sides of the boxes at angles, (k,): 1 when all lie on them."""
    drop = int(len(flat) * trim)
    distance = np.full((len(flat), len(angles)), np.inf)
    for x, y in _axes(angles):
        along = flat[:, :1] * x + flat[:, 1:] * y
        ordered = np.sort(along, axis=0)
        np.minimum(distance, np.abs(along - ordered[drop]), out=distance)
        np.minimum(distance, np.abs(along - ordered[-1 - drop]), out=distance)
    return np.asarray((_ON_SIDE / np.maximum(distance, _ON_SIDE)).mean(axis=0))


def _axes(angles: FloatArray) -> FloatArray:
    """Return the axes of boxes at angles, (k,): (axis, coordinate, k)."""
    c, s = np.cos(angles), np.sin(angles)
    return np.array([[c, s], [-s, c]])
