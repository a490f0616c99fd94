# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Walls stand around rooms and leave their doorways and stairs open."""

from __future__ import annotations

import itertools

import pytest

from sim_bridge.household.model import CELL, WALL_HEIGHT, Box, Doorway, Room, Scene
from sim_bridge.household.structure import DOOR_HEIGHT, floor_height, stair_heights, stairwells, structure

LEFT = Room("left", "Kitchen", "FloorPlan1", 0, (0.0, 0.0), (3.0, 3.0))
RIGHT = Room("right", "Bedroom", "FloorPlan301", 0, (3.5, 0.0), (6.5, 3.0))
DOOR = Doorway(("left", "right"), ((12, 6, 0), (13, 6, 0), (14, 6, 0)))
UP = Doorway(
    ("left", "loft"), tuple((4 + i, 14, 0) for i in range(6)) + tuple((10 + i, 14, 1) for i in range(6)), stairs=True
)
LOFT = Room("loft", "Bedroom", "FloorPlan302", 1, (0.0, 0.0), (3.0, 3.0))
HOME = Scene("home", (LEFT, RIGHT, LOFT), (DOOR, UP), (), {}, (4, 4, 0))


def inside(boxes: tuple[Box, ...], x: float, y: float, z: float) -> bool:
    return any(all(lo < v < hi for lo, v, hi in zip(b.low, (x, y, z), b.high, strict=True)) for b in boxes)


def test_every_room_is_walled_in() -> None:
    walls = structure(HOME).walls
    for x, y in ((-0.05, 1.0), (1.0, -0.05), (3.05, 1.0), (6.55, 1.0), (5.0, 3.05)):
        assert inside(walls, x, y, 1.0)


@pytest.mark.parametrize("cell", DOOR.cells)
def test_a_doorway_is_open_up_to_its_lintel_and_closed_above(cell: tuple[int, int, int]) -> None:
    walls = structure(HOME).walls
    x, y = cell[0] * CELL, cell[1] * CELL
    assert not inside(walls, x, y, 0.5)
    assert not inside(walls, x, y, DOOR_HEIGHT - 0.01)
    if 3.0 < x < 3.5:
        assert inside(walls, x, y, DOOR_HEIGHT + 0.1)


def test_a_passage_between_two_rooms_has_walls_at_its_sides_and_a_floor() -> None:
    around = structure(HOME)
    assert inside(around.walls, 3.25, 1.5 + CELL / 2 + 0.1, 1.0)
    assert inside(around.walls, 3.25, 1.5 - CELL / 2 - 0.1, 1.0)
    assert inside(around.steps, 3.25, 1.5, -0.05)


def test_no_wall_stands_in_a_room() -> None:
    walls = structure(HOME).walls
    for room in HOME.rooms:
        z = floor_height(HOME, room.storey)
        for i in range(1, 30):
            for j in range(1, 30):
                x = room.low[0] + (room.high[0] - room.low[0]) * i / 30
                y = room.low[1] + (room.high[1] - room.low[1]) * j / 30
                assert not inside(walls, x, y, z + 1.2)


def test_stairs_rise_evenly_from_one_storey_to_the_next() -> None:
    heights = stair_heights(HOME, UP)
    assert heights[0] == 0.0
    assert heights[-1] == pytest.approx(3.0)
    rises = {round(b - a, 6) for a, b in itertools.pairwise(heights)}
    assert rises == {round(3.0 / 11, 6)}


def test_one_can_walk_up_the_stairs_without_hitting_anything() -> None:
    around = structure(HOME)
    solid = around.walls + around.steps + around.ceilings
    for (i, j, _), z in zip(UP.cells, stair_heights(HOME, UP), strict=True):
        assert inside(solid, i * CELL, j * CELL, z - 0.02)
        for height in (0.02, 0.5, 1.0, 1.8):
            assert not inside(solid, i * CELL, j * CELL, z + height)


def test_ceilings_leave_the_stairwell_open() -> None:
    well = stairwells(HOME)[0]
    ceilings = structure(HOME).ceilings
    assert not inside(ceilings, *well.center)
    assert inside(ceilings, 1.5, 1.5, WALL_HEIGHT + 0.05)
