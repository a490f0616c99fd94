# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A bounded set of surface points: one running mean for each occupied voxel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FloatArray

_BITS = 21
"""Of a voxel's index along one axis: 10 km either way for voxels of 1 cm, more than any frame reaches."""

_OFFSET = 1 << (_BITS - 1)
_MAX_WEIGHT = 64.0
"""Points after which a voxel's mean forgets old ones, so that a slow drift is followed."""


class VoxelSet:
    """Surface points of one object, at most `capacity` voxels; the voxels double in size when there would be more.

    The mean within a voxel, not its centre, is the point, so that boxes are finer than the voxels.
    """

    def __init__(self, size: float, capacity: int) -> None:
        """`size`: edge of a voxel in metres; `capacity`: most voxels kept."""
        if not size > 0 or capacity < 1:
            raise ValueError(f"a voxel set needs a positive size and capacity, got {size} and {capacity}")
        self.size = size
        self.capacity = capacity
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._means: FloatArray = np.empty((0, 3))
        self._weights: FloatArray = np.empty(0)
        self._ranges: FloatArray = np.empty(0)

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def points(self) -> FloatArray:
        """Mean point of each voxel, (n, 3), metres, map frame. Not to be written to."""
        return self._means

    @property
    def ranges(self) -> FloatArray:
        """Smallest distance, (n,), metres, from which each voxel was measured. Not to be written to."""
        return self._ranges

    def insert(self, points: FloatArray, ranges: FloatArray | None = None) -> None:
        """Add points, (n, 3), measured from the distances `ranges`, (n,), metres; 0 where they are not known."""
        if len(points):
            ranges = np.zeros(len(points)) if ranges is None else ranges
            self._merge(cell_keys(points, self.size), points, np.ones(len(points)), ranges)
            while len(self) > self.capacity:
                self.size *= 2
                means, weights, ranges = self._means, self._weights, self._ranges
                self._clear()
                self._merge(cell_keys(means, self.size), means, weights, ranges)

    def remove(self, gone: NDArray[np.bool_]) -> None:
        """Forget the voxels where `gone`, (n,), is true; the order is that of `points`."""
        keep = ~gone
        self._keys, self._means = self._keys[keep], self._means[keep]
        self._weights, self._ranges = self._weights[keep], self._ranges[keep]

    def bounds(self, trim: float) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest corner, (3,) each, less the share `trim` at either end of each axis.

        ValueError when there is no voxel.
        """
        if not len(self):
            raise ValueError("an empty voxel set has no bounds")
        return trimmed_bounds(self._means, trim)

    def _clear(self) -> None:
        self._keys, self._means = np.empty(0, np.int64), np.empty((0, 3))
        self._weights, self._ranges = np.empty(0), np.empty(0)

    def _merge(self, keys: NDArray[np.int64], points: FloatArray, weights: FloatArray, ranges: FloatArray) -> None:
        """Merge weighted points into the sorted voxels."""
        all_keys = np.concatenate((self._keys, keys))
        order = np.argsort(all_keys, kind="stable")
        all_keys = all_keys[order]
        all_weights = np.concatenate((self._weights, weights))[order]
        weighted = np.concatenate((self._means, points))[order] * all_weights[:, None]
        starts = np.flatnonzero(np.concatenate(([True], all_keys[1:] != all_keys[:-1])))
        total = np.add.reduceat(all_weights, starts)
        self._ranges = np.minimum.reduceat(np.concatenate((self._ranges, ranges))[order], starts)
        self._means = np.add.reduceat(weighted, starts, axis=0) / total[:, None]
        self._keys = all_keys[starts]
        self._weights = np.minimum(total, _MAX_WEIGHT)


def cell_keys(points: FloatArray, size: float) -> NDArray[np.int64]:
    """Return a number, (…,), for the cell with edges of `size` metres that each of the points, (…, 3), lies in."""
    cells = np.floor(points / size).astype(np.int64) + _OFFSET
    return np.asarray((cells[..., 0] << (2 * _BITS)) | (cells[..., 1] << _BITS) | cells[..., 2])


def trimmed_bounds(points: FloatArray, trim: float) -> tuple[FloatArray, FloatArray]:
    """Return the corners, (3,) each, of the box around points, (n, 3), less the share `trim` at either end."""
    drop = int(len(points) * trim)
    if drop == 0:
        return points.min(axis=0), points.max(axis=0)
    ordered = np.sort(points, axis=0)
    return ordered[drop], ordered[-1 - drop]
