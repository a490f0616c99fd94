# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ways over reachable positions."""

from __future__ import annotations

import math

import pytest

from sim_bridge.ai2thor.navigation import Grid

EAST, NORTH = 0.0, math.pi / 2


def grid(*rows: str) -> Grid:
    """Positions a quarter of a metre apart, the first row the farthest north; # is not reachable."""
    points = [(0.25 * i, 0.25 * j, 0.0) for j, row in enumerate(reversed(rows)) for i, c in enumerate(row) if c != "#"]
    return Grid(points, 0.25)


def at(g: Grid, i: int, j: int) -> int:
    return g.nearest(0.25 * i, 0.25 * j)


def test_the_straight_way_is_taken() -> None:
    g = grid("....")
    assert g.path(at(g, 0, 0), EAST, at(g, 3, 0)) == tuple(at(g, i, 0) for i in range(4))
    assert g.distances(at(g, 0, 0), EAST)[at(g, 3, 0)] == pytest.approx(0.75)


def test_turns_count_as_half_a_metre_each() -> None:
    g = grid("..", "..")
    assert g.distances(at(g, 0, 0), EAST)[at(g, 0, 1)] == pytest.approx(0.5 + 0.25)
    assert g.distances(at(g, 0, 0), NORTH)[at(g, 0, 1)] == pytest.approx(0.25)
    assert g.distances(at(g, 0, 0), NORTH)[at(g, 1, 1)] == pytest.approx(0.25 + 0.5 + 0.25)


def test_a_longer_way_with_fewer_turns_is_better() -> None:
    g = grid("...", ".#.", "...")
    path = g.path(at(g, 0, 0), EAST, at(g, 2, 2))
    assert path == (at(g, 0, 0), at(g, 1, 0), at(g, 2, 0), at(g, 2, 1), at(g, 2, 2))


def test_a_barred_step_is_gone_around_and_both_ways_are_barred() -> None:
    g = grid("...", "...")
    g.bar(at(g, 0, 0), at(g, 1, 0))
    path = g.path(at(g, 0, 0), EAST, at(g, 1, 0))
    assert path == (at(g, 0, 0), at(g, 0, 1), at(g, 1, 1), at(g, 1, 0))
    assert g.path(at(g, 1, 0), EAST, at(g, 0, 0))[1] != at(g, 0, 0)


def test_where_there_is_no_way_there_is_no_path() -> None:
    g = grid(".#.")
    assert g.path(at(g, 0, 0), EAST, at(g, 2, 0)) == ()
    assert math.isinf(g.distances(at(g, 0, 0), EAST)[at(g, 2, 0)])


def test_every_cell_is_near_a_viewpoint() -> None:
    g = grid(*["." * 12] * 8)
    viewpoints = g.points[list(g.cover(1.0))]
    for point in g.points:
        assert min(math.dist(point, v) for v in viewpoints) <= 1.0
    assert len(viewpoints) < 12


def test_positions_that_are_off_the_origin_make_the_same_grid() -> None:
    g = Grid([(0.1 + 0.25 * i, 0.2, 0.0) for i in range(3)], 0.25)
    assert g.heading(g.nearest(0.1, 0.2), g.nearest(0.35, 0.2)) == 0.0


def test_a_scene_without_reachable_positions_is_refused() -> None:
    with pytest.raises(ValueError, match="reach nothing"):
        Grid([], 0.25)
