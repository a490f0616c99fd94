# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.household.model import Doorway, Room, Scene
from sim_bridge.household.navigation import Grid
from sim_bridge.household.scenes import load_scene
from sim_bridge.simulation.motion import turns


def scene(cells: list[tuple[int, int, int]], doorways: tuple[Doorway, ...] = ()) -> Scene:
    storeys = sorted({c[2] for c in cells})
    rooms = tuple(Room(f"r{s}", "Kitchen", "FloorPlan1", s, (-9.0, -9.0), (9.0, 9.0)) for s in storeys)
    return Scene("test", rooms, doorways, (), {c: f"r{c[2]}" for c in cells}, cells[0])


def test_the_way_around_a_wall_is_found_and_measured() -> None:
    # A U of five cells: (0,0) (0,1) (1,1) (2,1) (2,0); no diagonal cuts a corner.
    grid = Grid(scene([(0, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0), (2, 0, 0)]))
    start, goal = grid.index[(0, 0, 0)], grid.index[(2, 0, 0)]
    assert [grid.cells[c] for c in grid.path(start, goal)] == [(0, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0), (2, 0, 0)]
    assert grid.field(start).distance[goal] == pytest.approx(4 * 0.25)


def test_a_diagonal_is_driven_where_both_sides_are_free() -> None:
    grid = Grid(scene([(i, j, 0) for i in range(3) for j in range(3)]))
    assert grid.field(grid.index[(0, 0, 0)]).distance[grid.index[(2, 2, 0)]] == pytest.approx(2 * 0.25 * math.sqrt(2))


def test_what_cannot_be_driven_to_has_no_path() -> None:
    grid = Grid(scene([(0, 0, 0), (5, 5, 0)]))
    assert grid.path(0, 1) == ()
    assert grid.field(0).distance[1] == math.inf


def test_stairs_lead_up_and_the_floor_rises_along_them() -> None:
    cells = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 1), (4, 0, 1), (5, 0, 1)]
    stairs = Doorway(("r0", "r1"), tuple(cells[1:5]), stairs=True)
    grid = Grid(scene(cells, (stairs,)))
    path = grid.path(grid.index[(0, 0, 0)], grid.index[(5, 0, 1)])
    assert [grid.points[c, 2] for c in path] == pytest.approx([0.0, 0.0, 1.0, 2.0, 3.0, 3.0])


def test_the_nearest_cell_is_on_the_storey_asked_for() -> None:
    grid = Grid(scene([(0, 0, 0), (4, 0, 1)]))
    assert grid.cells[grid.nearest(0.0, 0.0, 1)] == (4, 0, 1)
    assert grid.storey_of(0.9) == 0
    assert grid.storey_of(3.1) == 1
    assert grid.storey_of(-5.0) == 0
    assert grid.storey_of(50.0) == 1


@pytest.mark.parametrize("name", ["FloorPlan1", "FloorPlan230", "home5"])
def test_every_free_cell_is_near_a_viewpoint_of_its_room(name: str) -> None:
    grid = Grid(load_scene(name))
    for cell, room in enumerate(grid.rooms):
        x, y, _ = grid.points[cell]
        assert any(
            grid.rooms[v] == room and math.hypot(grid.points[v, 0] - x, grid.points[v, 1] - y) <= 1.5 + 1e-9
            for v in grid.viewpoints
        )


angles = st.floats(-10.0, 10.0)


@given(angles, angles, st.floats(0.1, 2.0))
def test_turning_is_in_even_small_steps_the_shorter_way(start: float, goal: float, step: float) -> None:
    headings = [start, *turns(start, goal, step)]
    assert math.remainder(headings[-1] - goal, math.tau) == pytest.approx(0.0, abs=1e-5)
    changes = [math.remainder(b - a, math.tau) for a, b in itertools.pairwise(headings)]
    assert all(abs(c) <= step + 1e-6 for c in changes)
    assert abs(sum(changes)) <= math.pi + 1e-6
