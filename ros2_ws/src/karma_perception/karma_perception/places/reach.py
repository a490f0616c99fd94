# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Driving distances on a grid: which place each cell is nearest to, and which places touch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from karma_perception.frames.camera import FloatArray
from karma_perception.places.grid import BoolGrid

OwnerGrid = NDArray[np.int32]
"""Number of the place that each cell is nearest to, (nx, ny); 0 = none."""

_STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))

OFF_ROAD = 3.0
"""Reaching over furniture counts as so much driving."""


def spread(
    cells: NDArray[np.intp], numbers: NDArray[np.int32], drivable: BoolGrid, open_cells: BoolGrid, resolution: float
) -> tuple[OwnerGrid, FloatArray]:
    """Return for each cell the number of the nearest place and the distance to it in metres.

    `cells`, (n, 2), and `numbers`, (n,): where the places are and their numbers (> 0). Distances go through `drivable`
    cells; beyond them through other `open_cells`, which costs `OFF_ROAD` times as much, and never back.
    """
    owner = np.zeros(drivable.shape, np.int32)
    distance = np.full(drivable.shape, np.inf)
    if not len(cells):
        return owner, distance
    usable = drivable | open_cells
    usable[cells[:, 0], cells[:, 1]] = True
    index = np.full(drivable.shape, -1, np.int32)
    count = int(np.count_nonzero(usable))
    index[usable] = np.arange(count, dtype=np.int32)
    rows, columns, weights = [], [], []
    for a, b, length in _neighbours(drivable.shape):
        for source, target in ((a, b), (b, a)):
            both = usable[source] & usable[target] & ~(drivable[target] & ~drivable[source])
            rows.append(index[source][both])
            columns.append(index[target][both])
            on_road = drivable[source][both] & drivable[target][both]
            weights.append(np.where(on_road, 1.0, OFF_ROAD) * length * resolution)
    graph = sparse.csr_matrix(
        (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))), shape=(count, count)
    )
    seeds = index[cells[:, 0], cells[:, 1]]
    far, _, nearest = csgraph.dijkstra(graph, indices=seeds, min_only=True, return_predecessors=True)
    number_of = np.zeros(count, np.int32)
    number_of[seeds] = numbers
    distance[usable] = far
    owner[usable] = np.where(np.isfinite(far), number_of[np.maximum(nearest, 0)], 0)
    return owner, distance


def touching(
    owner: OwnerGrid, distance: FloatArray, drivable: BoolGrid, resolution: float
) -> dict[tuple[int, int], float]:
    """Return the pairs of places, smaller number first, whose drivable cells touch → driving distance, metres."""
    pairs: dict[tuple[int, int], float] = {}
    for a, b, length in _neighbours(drivable.shape):
        border = drivable[a] & drivable[b] & (owner[a] != owner[b]) & (owner[a] > 0) & (owner[b] > 0)
        total = distance[a][border] + distance[b][border] + length * resolution
        low = np.minimum(owner[a][border], owner[b][border])
        high = np.maximum(owner[a][border], owner[b][border])
        for first, second, d in zip(low.tolist(), high.tolist(), total.tolist(), strict=True):
            pairs[first, second] = min(d, pairs.get((first, second), np.inf))
    return pairs


def _neighbours(shape: tuple[int, ...]) -> Iterator[tuple[tuple[slice, slice], tuple[slice, slice], float]]:
    """Yield pairs of windows that lay each cell on one of its eight neighbours, with the distance in cells."""
    for i, j in _STEPS:
        a = (slice(0, shape[0] - i), slice(max(0, -j), shape[1] - max(0, j)))
        b = (slice(i, shape[0]), slice(max(0, j), shape[1] - max(0, -j)))
        yield a, b, float(np.hypot(i, j))
