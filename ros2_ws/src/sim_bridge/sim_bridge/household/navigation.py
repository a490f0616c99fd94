# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ways over the free cells of a scene.

The robot drives from cell to cell, straight or diagonally; diagonally only where both cells beside are free too.
Doorways are free cells like any other; the cells of a staircase lead from one storey to the next.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim_bridge.household.model import CELL, Cell, Scene
from sim_bridge.household.structure import stair_heights

_MEMORY = 256
"""Distance fields that are remembered."""

_OVERLOOKED = 1.5
"""Metres from a viewpoint within which all free cells of its room are overlooked."""


@dataclass(frozen=True)
class Field:
    """Driving distances from one cell to every other."""

    distance: NDArray[np.float64]
    """(cells,) metres; infinite where there is no way."""
    previous: NDArray[np.int32]
    """(cells,) index of the cell before on the way, -1 for none."""


class Grid:
    """The free cells of a scene as a graph. Positions in metres, map frame."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.cells: tuple[Cell, ...] = tuple(sorted(scene.free))
        self.index = {c: i for i, c in enumerate(self.cells)}
        stairs = _stair_heights(scene)
        self.points: NDArray[np.float64] = np.array(
            [(i * CELL, j * CELL, stairs.get((i, j, s), s * scene.storey_height)) for i, j, s in self.cells]
        )
        """(cells, 3): x, y and the height of the floor."""
        self.storeys: NDArray[np.int32] = np.array([c[2] for c in self.cells], dtype=np.int32)
        self.rooms: tuple[str, ...] = tuple(scene.free[c] for c in self.cells)
        self._neighbours = self._connect()
        self._fields: dict[int, Field] = {}

    def _connect(self) -> list[list[tuple[int, float]]]:
        neighbours: list[list[tuple[int, float]]] = [[] for _ in self.cells]
        for (i, j, s), here in self.index.items():
            for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                there = self.index.get((i + a, j + b, s))
                if there is not None:
                    neighbours[here].append((there, CELL))
            for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                there = self.index.get((i + a, j + b, s))
                if there is not None and (i + a, j, s) in self.index and (i, j + b, s) in self.index:
                    neighbours[here].append((there, CELL * math.sqrt(2)))
        for doorway in self.scene.doorways:
            if doorway.stairs:
                for first, second in zip(doorway.cells, doorway.cells[1:], strict=False):
                    if first[2] != second[2]:
                        a, b = self.index[first], self.index[second]
                        step = float(np.linalg.norm(self.points[a] - self.points[b]))
                        neighbours[a].append((b, step))
                        neighbours[b].append((a, step))
        return neighbours

    def field(self, source: int) -> Field:
        """Return the driving distances from a cell (its index)."""
        known = self._fields.pop(source, None)
        if known is None:
            known = self._search(source)
            if len(self._fields) >= _MEMORY:
                del self._fields[next(iter(self._fields))]
        self._fields[source] = known
        return known

    def _search(self, source: int) -> Field:
        distance = [math.inf] * len(self.cells)
        previous = [-1] * len(self.cells)
        distance[source] = 0.0
        queue = [(0.0, source)]
        while queue:
            so_far, here = heapq.heappop(queue)
            if so_far > distance[here]:
                continue
            for there, step in self._neighbours[here]:
                total = so_far + step
                if total < distance[there] - 1e-9:
                    distance[there] = total
                    previous[there] = here
                    heapq.heappush(queue, (total, there))
        return Field(np.array(distance), np.array(previous, dtype=np.int32))

    def path(self, source: int, goal: int) -> tuple[int, ...]:
        """Return the cells from `source` to `goal`, both included; empty where there is no way."""
        field = self.field(source)
        if not math.isfinite(field.distance[goal]):
            return ()
        way = [goal]
        while way[-1] != source:
            way.append(int(field.previous[way[-1]]))
        return tuple(reversed(way))

    def storey_of(self, z: float) -> int:
        """Return the storey on which something at height `z` is."""
        storeys = {r.storey for r in self.scene.rooms}
        return min(max(math.floor((z + 0.2) / self.scene.storey_height), min(storeys)), max(storeys))

    def nearest(self, x: float, y: float, storey: int) -> int:
        """Return the free cell of a storey nearest to a point."""
        away = np.hypot(self.points[:, 0] - x, self.points[:, 1] - y)
        return int(np.argmin(np.where(self.storeys == storey, away, np.inf)))

    @cached_property
    def viewpoints(self) -> tuple[int, ...]:
        """Cells from which all free space is overlooked: every free cell is near one in its room; chosen greedily."""
        rooms = np.array([sorted(set(self.rooms)).index(r) for r in self.rooms])
        away = np.hypot(*(self.points[:, None, a] - self.points[None, :, a] for a in (0, 1)))
        covers = (
            (away <= _OVERLOOKED)
            & (rooms[:, None] == rooms[None, :])
            & (self.storeys[:, None] == self.storeys[None, :])
        )
        left = np.ones(len(self.cells), dtype=bool)
        chosen: list[int] = []
        while left.any():
            chosen.append(int(np.argmax((covers & left).sum(axis=1))))
            left &= ~covers[chosen[-1]]
        return tuple(chosen)


def _stair_heights(scene: Scene) -> dict[Cell, float]:
    """Return the height of the floor on the cells of staircases."""
    stairs = [d for d in scene.doorways if d.stairs]
    return {c: z for d in stairs for c, z in zip(d.cells, stair_heights(scene, d), strict=True)}
