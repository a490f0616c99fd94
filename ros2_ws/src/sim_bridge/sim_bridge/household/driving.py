# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where to stand for something, and how to get there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Point
from sim_bridge.household.model import Box
from sim_bridge.household.navigation import Grid
from sim_bridge.household.visibility import CAMERA_HEIGHT, Sight
from sim_bridge.simulation.motion import REACH

_COMFORTABLE = 0.8
"""Metres to an object that are no worse than closer."""

_MARGIN = 0.1
"""Metres to spare when choosing where to stand for something in reach."""

_SETTING_OUT = 0.5
"""Metres that turning away to drive, and back, is worth: for 0.25 m the robot stays where it is."""

_AT_ONCE = 8


def horizontal_distance(box: Box, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the horizontal distances in metres from points (n, >= 2) to the nearest point of a box."""
    low, high = np.array(box.low[:2]), np.array(box.high[:2])
    xy = points[:, :2]
    return np.linalg.norm(np.maximum(np.maximum(low - xy, xy - high), 0.0), axis=1)  # type: ignore[no-any-return]


def standing_cells(grid: Grid, here: int, box: Box, storey: int) -> Iterator[list[int]]:
    """Yield the cells from which a box is in reach, a few at a time, those that are best to drive to first."""
    away = horizontal_distance(box, grid.points)
    driven = grid.field(here).distance
    cost = driven + 2.0 * np.maximum(away - _COMFORTABLE, 0.0) + np.where(away < 0.2, 1.0, 0.0)
    cost += np.where(driven > 0.0, _SETTING_OUT, 0.0)
    cells = np.flatnonzero((away <= REACH - _MARGIN) & (grid.storeys == storey) & np.isfinite(driven))
    cells = cells[np.argsort(cost[cells], kind="stable")]
    for k in range(0, len(cells), _AT_ONCE):
        yield cells[k : k + _AT_ONCE].tolist()


def stand_for_object(grid: Grid, here: int, sight: Sight, name: str, box: Box) -> int | None:
    """Return the best cell from which an object can be reached and seen; where none, one to reach it from; or None."""
    reachable = None
    for cells in standing_cells(grid, here, box, grid.storey_of(box.low[2])):
        reachable = cells[0] if reachable is None else reachable
        clear = sight.clear_from(name, eyes_at(grid, cells))
        if clear.any():
            return cells[int(np.argmax(clear))]
    return reachable


def stands_for_position(grid: Grid, here: int, sight: Sight, point: Point, most: int) -> list[int]:
    """Return cells from which to look at a position, the best first, each from another side; at least one."""
    box = Box(point, (0.05, 0.05, 0.05))
    storey = grid.storey_of(point[2])
    chosen: list[int] = []
    for cells in standing_cells(grid, here, box, storey):
        clear = sight.clear_point(point, eyes_at(grid, cells))
        for cell, seen in zip(cells, clear.tolist(), strict=True):
            apart = all(np.linalg.norm(grid.points[cell] - grid.points[c]) >= 0.7 for c in chosen)
            if seen and apart:
                chosen.append(cell)
        if len(chosen) >= most:
            return chosen[:most]
    return chosen or [grid.nearest(point[0], point[1], storey)]


def eyes_at(grid: Grid, cells: list[int]) -> NDArray[np.float64]:
    """Return where the camera is on each of some cells: (n, 3)."""
    return grid.points[cells] + np.array([0.0, 0.0, CAMERA_HEIGHT])  # type: ignore[no-any-return]
