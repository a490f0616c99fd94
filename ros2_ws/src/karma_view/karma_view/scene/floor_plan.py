# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws a floor plan: the floor that is free, and walls as boxes through which one sees."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from karma_view.scene.boxes import Color, draw_boxes

WALL = 100
"""Value of cells that are walls."""
WALL_HEIGHT = 0.9
"""Metres; lower than walls are, so that one looks over them into the rooms."""
PERIOD_S = 1.0
"""Between two drawings: a plan that grows is another one every second."""

_FREE: Color = (214, 206, 192)
_WALL: Color = (104, 110, 122)

Rectangle = tuple[int, int, int, int]
"""First row and column, and the row and column after the last."""


def rectangles(cells: NDArray[np.bool_]) -> list[Rectangle]:
    """Return rectangles that cover each cell (rows × columns) that is set once, and no other; few, if not the fewest.

    Runs along a row, joined with those in the next rows that begin and end at the same columns.
    """
    done: list[Rectangle] = []
    growing: dict[tuple[int, int], int] = {}
    """First and last column of what may grow: the row where it begins."""
    for row in range(len(cells) + 1):
        runs = set() if row == len(cells) else set(_runs(cells[row]))
        for run in [run for run in growing if run not in runs]:
            done.append((growing.pop(run), run[0], row, run[1]))
        for run in runs:
            growing.setdefault(run, row)
    return done


class FloorPlanDrawing:
    """A floor plan below a node of viser's scene that is there; an update sends what has changed."""

    def __init__(self, scene: viser.SceneApi, root: str) -> None:
        """`root`: name of the node, such as /now/floor_plan."""
        self._scene = scene
        self._root = root
        self._handles: dict[str, Any] = {}
        self._shown: Any = None
        self._next = 0.0

    def update(self, grid: Any) -> None:
        """Draw a nav_msgs/OccupancyGrid, None for none, unless the last time was just now."""
        if grid is self._shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PERIOD_S
        self._shown = grid
        if grid is None:
            cells = np.zeros((0, 0), np.int8)
        else:
            cells = np.array(grid.data, np.int8).reshape(grid.info.height, grid.info.width)
        self._draw("free", grid, rectangles(cells == 0), (-0.06, -0.05), _FREE, None)
        self._draw("walls", grid, rectangles(cells == WALL), (0.0, WALL_HEIGHT), _WALL, 0.5)

    def _draw(
        self,
        name: str,
        grid: Any,
        areas: list[Rectangle],
        heights: tuple[float, float],
        color: Color,
        opacity: float | None,
    ) -> None:
        if not areas:
            if name in self._handles:
                self._handles.pop(name).remove()
            return
        corners = np.array(areas, np.float32) * grid.info.resolution
        origin = grid.info.origin.position
        low, high = corners[:, [1, 0]], corners[:, [3, 2]]
        count = len(areas)
        middle = np.full((count, 1), origin.z + sum(heights) / 2)
        centers = np.hstack([(low + high) / 2 + (origin.x, origin.y), middle]).astype(np.float32)
        sizes = np.hstack([high - low, np.full((count, 1), heights[1] - heights[0])]).astype(np.float32)
        self._handles[name] = draw_boxes(
            self._scene,
            f"{self._root}/{name}",
            self._handles.get(name),
            centers=centers,
            sizes=sizes,
            color=color,
            opacity=opacity,
        )


def _runs(row: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first column, and that after the last, of each run of cells that are set."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(np.int8), [0]))))
    return [(int(first), int(after)) for first, after in edges.reshape(-1, 2)]
