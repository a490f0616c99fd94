# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Frontiers (Yamauchi 1997): where known free floor ends at what has not been seen, and from where to look on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from karma_perception.frames.camera import FloatArray
from karma_perception.places.grid import BoolGrid
from karma_perception.places.reach import spread

_EIGHT = np.ones((3, 3), dtype=bool)

_AHEAD = 1.0
"""Metres around the middle of a frontier in which the unknown says where to look."""

_LEAST = 0.4
"""Metres; length of a frontier: through a shorter one the robot would not fit."""

_LEAST_UNKNOWN = 0.25
"""Square metres; a smaller enclosed gap in what was seen is no frontier: the shadow of a table's leg."""

_VIEW = 1.5
"""Metres from where the robot can stand to the middle of a frontier; of what is farther, others show more."""


@dataclass(frozen=True, eq=False)
class Border:
    """A frontier on the grid of one storey."""

    stand: tuple[int, int]
    """Array index of the cell to look from."""
    middle: tuple[int, int]
    """Array index of the frontier's cell nearest to the middle of all."""
    heading: float
    """Radians, counterclockwise from the x axis: from `stand` to the unknown."""
    length: float
    """Metres."""


@dataclass(frozen=True)
class Frontier:
    """A place to explore from."""

    position: tuple[float, float, float]
    """Where to stand, on the floor; metres, map frame."""
    heading: float
    """Radians, counterclockwise from the map's x axis."""
    middle: tuple[float, float, float]
    """Middle of the frontier on the floor, metres, map frame."""
    size: float
    """Length of the frontier, metres."""
    distance: float
    """Metres to drive from where the robot is to `position`."""
    room: str
    """Id of the room that `position` is in, "" when it is in none."""


def find_borders(
    free: BoolGrid, blocked: BoolGrid, standable: BoolGrid, *, resolution: float, radius: float
) -> tuple[Border, ...]:
    """Return the frontiers of one storey, longest first.

    `free`, `blocked`, `standable`: (nx, ny), floor that was seen, what the robot would run into, and where its middle
    can be; what is neither free nor blocked is unknown, as is everything around the grid. `radius`: the robot's, in
    metres; a frontier that leaves it no room is none.
    """
    free, blocked, standable = (np.pad(grid, 1) for grid in (free, blocked, standable))
    unknown = _large(~(free | blocked), int(_LEAST_UNKNOWN / resolution**2))
    edge = _joined(free, standable) & ndimage.binary_dilation(unknown)
    if not edge.any():
        return ()
    clearance = np.asarray(ndimage.distance_transform_edt(~blocked)) * resolution
    away, nearest = ndimage.distance_transform_edt(~standable, return_indices=True)
    labels, _ = ndimage.label(edge, structure=_EIGHT)
    found = []
    for number, window in enumerate(ndimage.find_objects(labels), start=1):
        cells = np.argwhere(labels[window] == number) + [s.start for s in window]
        i, j = cells[int(np.argmin(np.linalg.norm(cells - cells.mean(axis=0), axis=1)))].tolist()
        roomy = float(clearance[cells[:, 0], cells[:, 1]].max()) >= radius
        if len(cells) * resolution < _LEAST or not roomy or away[i, j] * resolution > _VIEW:
            continue
        stand = (int(nearest[0][i, j]), int(nearest[1][i, j]))
        heading = _heading(stand, (i, j), unknown, round(_AHEAD / resolution))
        found.append(Border((stand[0] - 1, stand[1] - 1), (i - 1, j - 1), heading, len(cells) * resolution))
    return tuple(sorted(found, key=lambda b: (-b.length, b.middle)))


def driving_distances(
    robot: tuple[int, FloatArray],
    standable: Mapping[int, BoolGrid],
    origins: Mapping[int, tuple[int, int]],
    stairs: Sequence[tuple[int, FloatArray, int, FloatArray]],
    resolution: float,
) -> dict[int, FloatArray]:
    """Return for each storey that can be driven to the metres from the robot to each of its cells, infinite if none.

    `robot`: its storey and (2,) position; `standable`: storey → (nx, ny), which begins at the world's cell `origins`;
    `stairs`: storey and (3,) position of one end, then of the other.
    """
    fields: dict[int, FloatArray] = {}
    waiting: list[tuple[float, int, FloatArray]] = [(0.0, *robot)]
    while waiting:
        waiting.sort(key=lambda entry: entry[0], reverse=True)
        before, storey, position = waiting.pop()
        grid = standable.get(storey)
        if grid is None or not grid.any():
            continue
        cell = _nearest(grid, np.floor(position[:2] / resolution).astype(int) - np.array(origins[storey]))
        known = fields.get(storey)
        if known is not None and known[cell] <= before:
            continue
        start = np.array([cell], dtype=np.intp)
        _, field = spread(start, np.ones(1, np.int32), grid, np.zeros_like(grid), resolution)
        fields[storey] = before + field if known is None else np.minimum(known, before + field)
        for a, foot, b, head in stairs:
            for here, end, there, other in ((a, foot, b, head), (b, head, a, foot)):
                if here == storey:
                    at = _nearest(grid, np.floor(end[:2] / resolution).astype(int) - np.array(origins[here]))
                    climbed = float(fields[storey][at]) + float(np.linalg.norm(foot - head))
                    if np.isfinite(climbed):
                        waiting.append((climbed, there, other))
    return fields


def _large(cells: BoolGrid, least: int) -> BoolGrid:
    """Return the grid without its connected pieces of fewer cells, but with those that reach its rim."""
    labels, count = ndimage.label(cells)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    rim = np.unique(np.concatenate((labels[0], labels[-1], labels[:, 0], labels[:, -1])))
    keep = sizes >= least
    keep[rim] = True
    keep[0] = False
    return np.asarray(keep[labels])


def _joined(free: BoolGrid, standable: BoolGrid) -> BoolGrid:
    """Return the free cells that are connected to one where the robot can be."""
    labels, _ = ndimage.label(free | standable)
    reached = np.unique(labels[standable])
    return np.asarray(np.isin(labels, reached[reached > 0])) & free


def _heading(stand: tuple[int, int], middle: tuple[int, int], unknown: BoolGrid, reach: int) -> float:
    low = np.maximum(np.array(middle) - reach, 0)
    window = unknown[low[0] : middle[0] + reach + 1, low[1] : middle[1] + reach + 1]
    ahead = np.argwhere(window).mean(axis=0) + low - np.array(stand)
    if float(np.linalg.norm(ahead)) < 1.0:
        ahead = np.array(middle) - np.array(stand)
    return float(np.arctan2(ahead[1], ahead[0]))


def _nearest(grid: BoolGrid, cell: NDArray[np.int_]) -> tuple[int, int]:
    """Return the cell of the grid, which has one at least, that is nearest to a cell."""
    cells = np.argwhere(grid)
    i, j = cells[int(np.argmin(np.linalg.norm(cells - cell, axis=1)))].tolist()
    return i, j
