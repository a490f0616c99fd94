# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of one storey as a picture: where the floor is free, what stands there, and which room is where.

The same as an occupancy grid tells walls from lower things: `UNKNOWN`, `FREE`, `FURNITURE`, `WALL`. What the detector
names is furniture, anything else that stands up from the floor is the building: with exact masks those are its walls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karma_perception.places.grid import BoolGrid, StoreyGrid

UNKNOWN, FREE, FURNITURE, WALL = -1, 0, 60, 100
"""Values of an occupancy grid's cells; occupied is what a robot would run into, be it furniture or a wall."""


@dataclass(frozen=True, eq=False)
class FloorPlan:
    """Grids of one storey, (nx, ny) each; cell (i, j) begins at `origin` + (i, j) times `resolution`."""

    height: float
    """Of the floor, metres, map frame."""
    origin: tuple[float, float]
    """x, y in metres, map frame."""
    resolution: float
    """Metres."""
    free: BoolGrid
    """Floor that has been seen or driven on, with nothing that the robot would run into."""
    furniture: BoolGrid
    wall: BoolGrid


def floor_plan(grid: StoreyGrid) -> FloorPlan:
    """Return what a grid knows of a floor."""
    return FloorPlan(
        height=grid.height,
        origin=(grid.origin[0] * grid.resolution, grid.origin[1] * grid.resolution),
        resolution=grid.resolution,
        free=grid.free,
        furniture=grid.blocked & ~grid.walls,
        wall=grid.blocked & grid.walls,
    )


@dataclass(frozen=True, eq=False)
class Occupancy:
    """The part of a floor that something is known of; cell (i, j) begins at `origin` + (i, j) times `resolution`."""

    origin: tuple[float, float, float]
    """x, y of the first cell's lower corner, z of the floor; metres, map frame."""
    resolution: float
    """Metres."""
    cells: NDArray[np.int8]
    """(nx, ny): `UNKNOWN`, `FREE`, `FURNITURE` or `WALL`."""

    def same(self, other: Occupancy) -> bool:
        """Return whether both say the same of the same floor."""
        where = (self.origin, self.resolution) == (other.origin, other.resolution)
        return where and np.array_equal(self.cells, other.cells)


def occupancy(plan: FloorPlan | None) -> Occupancy:
    """Return what is known of a floor as cells, without the rows and columns around it of which nothing is.

    No cells of None, or of a floor of which nothing is known.
    """
    if plan is None:
        return Occupancy((0.0, 0.0, 0.0), 0.0, np.zeros((0, 0), np.int8))
    cells = np.full(plan.free.shape, UNKNOWN, np.int8)
    for grid, value in ((plan.free, FREE), (plan.furniture, FURNITURE), (plan.wall, WALL)):
        cells[grid] = value
    known = cells != UNKNOWN
    rows, columns = (np.flatnonzero(known.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return Occupancy((*plan.origin, plan.height), plan.resolution, cells[:0, :0])
    cells = cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    x, y = plan.origin[0] + float(rows[0]) * plan.resolution, plan.origin[1] + float(columns[0]) * plan.resolution
    return Occupancy((x, y, plan.height), plan.resolution, cells)
