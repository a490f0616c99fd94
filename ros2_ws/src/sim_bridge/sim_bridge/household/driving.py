# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How far something is from places to stand on, and where the camera is there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim_bridge.household.model import Box
from sim_bridge.household.navigation import Grid
from sim_bridge.household.visibility import CAMERA_HEIGHT


def horizontal_distance(box: Box, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the horizontal distances in metres from points (n, >= 2) to the nearest point of a box."""
    low, high = np.array(box.low[:2]), np.array(box.high[:2])
    xy = points[:, :2]
    return np.linalg.norm(np.maximum(np.maximum(low - xy, xy - high), 0.0), axis=1)  # type: ignore[no-any-return]


def eyes_at(grid: Grid, cells: list[int]) -> NDArray[np.float64]:
    """Return where the camera is on each of some cells: (n, 3)."""
    return grid.points[cells] + np.array([0.0, 0.0, CAMERA_HEIGHT])  # type: ignore[no-any-return]
