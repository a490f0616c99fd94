# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of one storey as a picture: where the floor is free, what stands there, and which room is where."""

from __future__ import annotations

from dataclasses import dataclass

from karma_perception.grid import BoolGrid, StoreyGrid, move_grid
from karma_perception.rooms import RoomGrid


@dataclass(frozen=True, eq=False)
class FloorPlan:
    """Grids of one storey, (nx, ny) each; cell (i, j) begins at `origin` + (i, j) times `resolution`."""

    floor: str
    """Id of the floor's node."""
    origin: tuple[float, float]
    """x, y in metres, map frame."""
    resolution: float
    """Metres."""
    free: BoolGrid
    """Floor that has been seen or driven on, with nothing that the robot would run into."""
    furniture: BoolGrid
    wall: BoolGrid
    rooms: RoomGrid
    """Number of the room that a cell belongs to, 0 = none; room n is the node room_n."""


def floor_plan(floor: str, grid: StoreyGrid, rooms: RoomGrid, origin: tuple[int, int]) -> FloorPlan:
    """Return what a grid knows of a floor; `rooms`, whose first cell is `origin`, may be those of a smaller grid."""
    return FloorPlan(
        floor=floor,
        origin=(grid.origin[0] * grid.resolution, grid.origin[1] * grid.resolution),
        resolution=grid.resolution,
        free=grid.free,
        furniture=grid.blocked & ~grid.walls,
        wall=grid.blocked & grid.walls,
        rooms=move_grid(rooms, origin, grid.origin, grid.shape),
    )
