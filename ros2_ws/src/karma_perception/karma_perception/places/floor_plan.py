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

from karma_perception.places.grid import StoreyGrid

UNKNOWN, FREE, FURNITURE, WALL = -1, 0, 60, 100
"""Values of an occupancy grid's cells; occupied is what a robot would run into, be it furniture or a wall."""


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


def occupancy(grid: StoreyGrid | None) -> Occupancy:
    """Return what is known of a floor as cells, without the rows and columns around it of which nothing is.

    No cells of None, or of a floor of which nothing is known.
    """
    if grid is None:
        return Occupancy((0.0, 0.0, 0.0), 0.0, np.zeros((0, 0), np.int8))
    cells = np.full(grid.free.shape, UNKNOWN, np.int8)
    cells[grid.free] = FREE
    cells[grid.blocked] = np.where(grid.walls, WALL, FURNITURE)[grid.blocked]
    known = cells != UNKNOWN
    rows, columns = (np.flatnonzero(known.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return Occupancy((0.0, 0.0, grid.height), grid.resolution, cells[:0, :0])
    x = (grid.origin[0] + int(rows[0])) * grid.resolution
    y = (grid.origin[1] + int(columns[0])) * grid.resolution
    cells = cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return Occupancy((x, y, grid.height), grid.resolution, cells)
