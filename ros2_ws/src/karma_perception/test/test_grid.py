# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.places.grid import GridOptions, StoreyGrid

HERE = np.array([0.05, 0.05, 1.1])


def patch(x0, x1, z, step=0.02):
    xs, ys = np.meshgrid(np.arange(x0, x1, step), np.arange(0.0, 0.5, step))
    return np.stack((xs, ys, np.full(xs.shape, z)), -1).reshape(-1, 3)


def seen(*clouds, structure=False):
    grid = StoreyGrid(0.0, GridOptions())
    points = np.concatenate(clouds)
    grid.integrate(points, np.full(len(points), structure), HERE)
    return grid


def at(grid, layer, x, y=0.25):
    i, j = grid.cells(np.array([[x, y]]))[0]
    return layer[i, j]


def test_seen_floor_is_free_and_unseen_is_not():
    grid = seen(patch(1.0, 2.0, 0.0))
    assert at(grid, grid.free, 1.55)
    assert not at(grid, grid.free, 2.5 - 0.45 + 0.4)


def test_furniture_blocks_and_what_hangs_high_or_lies_flat_does_not():
    grid = seen(patch(1.0, 2.0, 0.0), patch(1.0, 1.5, 0.7), patch(1.5, 2.0, 2.0), patch(1.5, 2.0, 0.05))
    assert at(grid, grid.blocked, 1.25)
    assert at(grid, grid.free, 1.75)


def test_the_building_is_wall_up_to_the_lintels():
    assert seen(patch(1.0, 1.5, 1.0), structure=True).wall.any()
    assert not seen(patch(1.0, 1.5, 2.2), structure=True).wall.any()


def test_what_was_taken_away_is_free_again_after_some_looks():
    grid = seen(patch(1.0, 2.0, 0.0), patch(1.0, 1.5, 0.7))
    floor = patch(1.0, 2.0, 0.0)
    for _ in range(3):
        grid.integrate(floor, np.zeros(len(floor), bool), HERE)
    assert at(grid, grid.free, 1.25)


def test_where_the_robot_drove_is_free_and_joined():
    grid = StoreyGrid(0.0, GridOptions())
    none = np.zeros((0, 3))
    for x in (0.05, 0.55, 1.05):
        grid.integrate(none, np.zeros(0, bool), np.array([x, 0.05, 1.1]))
    assert all(at(grid, grid.free, x, 0.05) for x in np.arange(0.05, 1.05, 0.1))


def test_a_jump_of_the_robot_is_no_path():
    grid = StoreyGrid(0.0, GridOptions())
    for x in (0.05, 3.05):
        grid.integrate(np.zeros((0, 3)), np.zeros(0, bool), np.array([x, 0.05, 1.1]))
    assert not at(grid, grid.free, 1.55, 0.05)


def test_the_grid_keeps_what_it_knows_when_it_grows():
    grid = seen(patch(1.0, 2.0, 0.0))
    before = int(grid.free.sum())
    floor = patch(-9.0, -8.5, 0.0)
    grid.integrate(floor, np.zeros(len(floor), bool), np.array([-7.0, 0.25, 1.1]))
    assert at(grid, grid.free, 1.55)
    assert grid.free.sum() > before


def test_cells_and_positions_are_each_others_inverse():
    grid = seen(patch(1.0, 2.0, 0.0))
    cells = np.argwhere(grid.free)
    np.testing.assert_array_equal(grid.cells(grid.positions(cells)), cells)


def test_a_pose_that_would_make_the_map_huge_is_refused_and_changes_nothing():
    grid = seen(patch(1.0, 2.0, 0.0))
    shape = grid.shape
    with pytest.raises(ValueError, match="pose"):
        grid.integrate(patch(5000.0, 5001.0, 0.0), np.zeros(len(patch(5000.0, 5001.0, 0.0)), bool), HERE + 5000.0)
    assert grid.shape == shape


def test_furniture_that_is_missed_now_and_then_is_no_wall():
    grid = seen(patch(1.0, 1.5, 0.7))
    table = patch(1.0, 1.5, 0.7)
    for missed in (False, True, False):
        grid.integrate(table, np.full(len(table), missed), HERE)
    assert not grid.walls.any()
    assert at(grid, grid.blocked, 1.25)


def test_a_few_points_above_the_floor_are_its_noise():
    grid = seen(patch(1.0, 2.0, 0.0), patch(1.0, 2.0, 0.15, step=0.06))
    assert at(grid, grid.free, 1.55)
