# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.places.reach import OFF_ROAD, spread, touching

RES = 0.1


def world():
    """Make a corridor of 21 x 3 cells with a place at either end, and one in the middle behind a wall."""
    drivable = np.ones((21, 3), bool)
    cells = np.array([[0, 1], [20, 1]])
    return drivable, cells, np.array([5, 9], np.int32)


def test_every_cell_belongs_to_the_place_that_is_nearest_to_drive_to():
    drivable, cells, numbers = world()
    owner, distance = spread(cells, numbers, drivable, drivable, RES)
    assert (owner[:10] == 5).all()
    assert (owner[11:] == 9).all()
    assert distance[5, 1] == pytest.approx(0.5)
    assert distance[1, 2] == pytest.approx(np.sqrt(2) * 0.1)


def test_places_whose_cells_touch_are_joined_by_the_driving_distance():
    drivable, cells, numbers = world()
    owner, distance = spread(cells, numbers, drivable, drivable, RES)
    assert touching(owner, distance, drivable, RES) == {(5, 9): pytest.approx(2.0)}


def test_a_wall_separates():
    drivable, cells, numbers = world()
    drivable[10] = False
    owner, distance = spread(cells, numbers, drivable, drivable, RES)
    assert touching(owner, distance, drivable, RES) == {}
    assert (owner[10] == 0).all()
    assert np.isinf(distance[10]).all()


def test_furniture_is_reached_over_but_not_driven_through():
    drivable, cells, numbers = world()
    drivable[5:16] = False
    owner, distance = spread(cells, numbers, drivable, np.ones_like(drivable), RES)
    assert owner[7, 1] == 5
    assert owner[13, 1] == 9
    assert distance[6, 1] == pytest.approx(0.4 + OFF_ROAD * 0.2)
    assert touching(owner, distance, drivable, RES) == {}


def test_no_places_reach_nothing():
    drivable = np.ones((4, 4), bool)
    owner, distance = spread(np.zeros((0, 2), np.intp), np.zeros(0, np.int32), drivable, drivable, RES)
    assert not owner.any()
    assert np.isinf(distance).all()
