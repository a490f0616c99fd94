# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the camera really showed of every object: pixels, and the box around the surface that they cover."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karma_perception.objects.instances import STRUCTURE
from sim_bridge.backend import Observation

MIN_PIXELS = 64
"""Pixels of 640 x 480 that an object must show in one picture, within `MAX_RANGE`, to count as visible: 8 x 8."""

MAX_RANGE = 4.0
"""Metres along the optical axis."""

_STRIDE = 2

_BEFORE = 0.02
"""Metres that a surface may lie before a place without hiding it."""


@dataclass(frozen=True, eq=False)
class Target:
    """An object as the pictures showed it."""

    id: str
    category: str
    low: NDArray[np.float64]
    """(3,) corner of the box around what was visible, metres, map frame."""
    high: NDArray[np.float64]
    """(3,) opposite corner."""
    visible: bool
    """Whether it was seen well enough that it must be found; what was only glimpsed may be."""


@dataclass(eq=False)
class _Record:
    category: str
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    pixels: int = 0
    """Most within range in one picture."""


class VisibleTruth:
    """Takes exact pictures, without the sensor's noise, and says what could be seen in them."""

    def __init__(self) -> None:
        self._records: dict[str, _Record] = {}
        self._left: dict[str, NDArray[np.float64]] = {}
        self._emptied: set[str] = set()

    def record(self, picture: Observation, carried: Collection[str] = ()) -> None:
        """Take a picture into account; what is `carried` has no place. ValueError when it has no instance image."""
        if picture.instances is None:
            raise ValueError("truth needs an instance image")
        self._watch(picture)
        near = (picture.depth > 0) & (picture.depth <= MAX_RANGE)
        pixels = np.bincount(picture.instances[near], minlength=0x10000)
        points, values = _surface(picture)
        order = np.argsort(values, kind="stable")
        values, points = values[order], points[order]
        present, starts = np.unique(values, return_index=True)
        lows = np.minimum.reduceat(points, starts) if len(starts) else points
        highs = np.maximum.reduceat(points, starts) if len(starts) else points
        for value, low, high in zip(present.tolist(), lows, highs, strict=True):
            label = picture.labels.get(value)
            if label is None or label.category in STRUCTURE or label.id == picture.held or label.id in carried:
                continue
            known = self._records.setdefault(label.id, _Record(label.category, low, high))
            known.low, known.high = np.minimum(known.low, low), np.maximum(known.high, high)
            known.pixels = max(known.pixels, int(pixels[value]))

    def forget(self, names: Iterable[str]) -> None:
        """Forget objects that are somewhere else now, until they are seen there; watch the places that they left."""
        for name in names:
            record = self._records.pop(name, None)
            if record is not None:
                self._left[name] = (record.low + record.high) / 2
                self._emptied.discard(name)

    @property
    def emptied(self) -> frozenset[str]:
        """Objects whose old place the pictures have shown since they were moved, so that one can know it."""
        return frozenset(self._emptied)

    def targets(self) -> Mapping[str, Target]:
        """Return what has been seen, id → target."""
        return {
            name: Target(name, r.category, r.low, r.high, r.pixels >= MIN_PIXELS) for name, r in self._records.items()
        }

    def _watch(self, picture: Observation) -> None:
        """Note which of the places that were left are in the picture, within range and with nothing before them."""
        k = picture.intrinsics
        for name in self._left.keys() - self._emptied:
            x, y, z = (self._left[name] - picture.camera_pose[:3, 3]) @ picture.camera_pose[:3, :3]
            if not 0.1 < z <= MAX_RANGE:
                continue
            u, v = round(x / z * k.fx + k.cx), round(y / z * k.fy + k.cy)
            if 0 <= u < k.width and 0 <= v < k.height and picture.depth[v, u] >= z - _BEFORE:
                self._emptied.add(name)


def _surface(picture: Observation) -> tuple[NDArray[np.float64], NDArray[np.uint16]]:
    """Return map-frame points, (n, 3), of every other pixel that shows an object, and their values, (n,)."""
    k, pose = picture.intrinsics, picture.camera_pose
    assert picture.instances is not None
    depth = picture.depth[::_STRIDE, ::_STRIDE]
    values = picture.instances[::_STRIDE, ::_STRIDE]
    rows, columns = np.nonzero((depth > 0) & (values > 0))
    z = depth[rows, columns].astype(np.float64)
    x = (columns * _STRIDE - k.cx) / k.fx * z
    y = (rows * _STRIDE - k.cy) / k.fy * z
    return np.stack((x, y, z), axis=1) @ pose[:3, :3].T + pose[:3, 3], values[rows, columns]
