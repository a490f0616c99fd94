# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ways over the positions that AI2-THOR's agent can reach.

It moves from one to the next of a grid, in the four directions that it is made for (with others it gets stuck between
the grid's points), and has to turn before: turning counts.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Point

Cell = tuple[int, int]
"""Indices along x and y of the map."""

DIRECTIONS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Headings of 0, 90, 180 and 270 degrees."""

_TURN = 0.5
"""Metres that a turn by 90 degrees is worth: the time it takes."""


class Grid:
    """Reachable positions of a scene, in the map frame, `step` metres apart."""

    def __init__(self, positions: Iterable[Point], step: float) -> None:
        """ValueError when there are none."""
        points = sorted((x, y) for x, y, _ in positions)
        if not points:
            raise ValueError("AI2-THOR's agent can reach nothing in this scene")
        self.step = step
        self._origin = points[0]
        cells = {self.cell(x, y): (x, y) for x, y in points}
        self.cells: tuple[Cell, ...] = tuple(sorted(cells))
        self.points: NDArray[np.float64] = np.array([cells[c] for c in self.cells])
        """(cells, 2): x, y in metres."""
        self._index = {c: i for i, c in enumerate(self.cells)}
        self._barred: set[tuple[Cell, Cell]] = set()

    def cell(self, x: float, y: float) -> Cell:
        """Return the indices of a position, whether it is reachable or not."""
        return round((x - self._origin[0]) / self.step), round((y - self._origin[1]) / self.step)

    def nearest(self, x: float, y: float) -> int:
        """Return the reachable cell (its index) nearest to a point."""
        return int(np.argmin(np.hypot(self.points[:, 0] - x, self.points[:, 1] - y)))

    def bar(self, here: int, there: int) -> None:
        """Note that there is no way between two neighbours, because something stood there."""
        a, b = self.cells[here], self.cells[there]
        self._barred |= {(a, b), (b, a)}

    def distances(self, source: int, yaw: float) -> NDArray[np.float64]:
        """Return (cells,): the cost in metres of the way to each, turns included; infinite where there is none."""
        cost, _ = self._search(source, yaw)
        return np.array(cost).min(axis=1)  # type: ignore[no-any-return]

    def path(self, source: int, yaw: float, goal: int) -> tuple[int, ...]:
        """Return the cells from `source` to `goal`, both included, cheapest first; empty where there is no way."""
        cost, before = self._search(source, yaw)
        heading = int(np.argmin(cost[goal]))
        if not math.isfinite(cost[goal][heading]):
            return ()
        way, state = [goal], (goal, heading)
        while state in before:
            state = before[state]
            if state[0] != way[-1]:
                way.append(state[0])
        return tuple(reversed(way))

    def _search(self, source: int, yaw: float) -> tuple[list[list[float]], dict[tuple[int, int], tuple[int, int]]]:
        """Return what it costs to be in each cell with each heading, and from which cell and heading one comes."""
        cost = [[math.inf] * 4 for _ in self.cells]
        before: dict[tuple[int, int], tuple[int, int]] = {}
        queue: list[tuple[float, int, int]] = []
        for heading in range(4):
            turned = abs(math.remainder(heading * math.pi / 2 - yaw, math.tau))
            cost[source][heading] = _TURN * turned / (math.pi / 2)
            heapq.heappush(queue, (cost[source][heading], source, heading))
        while queue:
            so_far, here, heading = heapq.heappop(queue)
            if so_far > cost[here][heading]:
                continue
            steps = [(here, (heading + turn) % 4, _TURN) for turn in (1, 3)]
            ahead = self._ahead(here, heading)
            if ahead is not None:
                steps.append((ahead, heading, self.step))
            for there, faced, price in steps:
                if so_far + price < cost[there][faced] - 1e-9:
                    cost[there][faced] = so_far + price
                    before[there, faced] = (here, heading)
                    heapq.heappush(queue, (so_far + price, there, faced))
        return cost, before

    def _ahead(self, here: int, heading: int) -> int | None:
        (i, j), (a, b) = self.cells[here], DIRECTIONS[heading]
        return None if ((i, j), (i + a, j + b)) in self._barred else self._index.get((i + a, j + b))

    def heading(self, here: int, there: int) -> float:
        """Return the heading in radians from a cell to its neighbour."""
        (i, j), (k, m) = self.cells[here], self.cells[there]
        return math.atan2(m - j, k - i)

    def cover(self, radius: float) -> tuple[int, ...]:
        """Return cells such that every one is within `radius` metres of one of them; greedy."""
        away = np.hypot(*(self.points[:, None, a] - self.points[None, :, a] for a in (0, 1)))
        covers, left = away <= radius, np.ones(len(self.cells), dtype=bool)
        chosen: list[int] = []
        while left.any():
            chosen.append(int(np.argmax((covers & left).sum(axis=1))))
            left &= ~covers[chosen[-1]]
        return tuple(chosen)
