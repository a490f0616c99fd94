# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""From how near each place has been seen: what turns up where nothing was has come from elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FloatArray
from karma_perception.objects.voxels import cell_keys

_AROUND = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])


class SeenSpace:
    """The cells in which a surface was ever seen, and the smallest distance from which it was."""

    def __init__(self, cell: float = 0.2) -> None:
        """`cell`: edge in metres."""
        self._cell = cell
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._nearest: FloatArray = np.empty(0)

    def note(self, points: FloatArray, ranges: FloatArray) -> None:
        """Take points, (n, 3), metres, map frame, that are seen from the distances `ranges`, (n,), into account."""
        keys, inverse = np.unique(cell_keys(points, self._cell), return_inverse=True)
        new = keys[~np.isin(keys, self._keys, assume_unique=True)]
        if len(new):
            at = np.searchsorted(self._keys, new)
            self._keys, self._nearest = np.insert(self._keys, at, new), np.insert(self._nearest, at, np.inf)
        np.minimum.at(self._nearest, np.searchsorted(self._keys, keys)[inverse], ranges)

    def seen_from(self, low: FloatArray, high: FloatArray) -> float:
        """Return the smallest distance from which what a box stands on was seen, metres; infinity when it never was.

        `low`, `high`: (3,), corners, metres, map frame.
        """
        if not len(self._keys):
            return float("inf")
        middle = (low + high) / 2
        points = np.array([(x, y, low[2]) for x in (low[0], middle[0], high[0]) for y in (low[1], middle[1], high[1])])
        keys = cell_keys(points[:, None] + self._cell * _AROUND, self._cell)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        nearest = np.where(self._keys[at] == keys, self._nearest[at], np.inf)
        return float(np.median(nearest.min(axis=1)))
