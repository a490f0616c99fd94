# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.places.rooms import keep_numbers, room_kind, segment


def two_rooms(door=8):
    """Make two rooms of 3 x 3 m at 0.1 m, with a wall of 0.1 m between and a door of so many cells."""
    grid = np.zeros((63, 32), bool)
    grid[1:31, 1:31] = True
    grid[32:62, 1:31] = True
    grid[31, 12 : 12 + door] = True
    return grid


def test_a_door_separates_two_rooms():
    rooms = segment(two_rooms(), door_cells=10, min_core=20)
    assert set(np.unique(rooms)) == {0, 1, 2}
    assert len(np.unique(rooms[1:30, 1:31])) == 1
    assert len(np.unique(rooms[33:62, 1:31])) == 1
    assert rooms[5, 5] != rooms[50, 5]


def test_an_opening_wider_than_a_door_does_not():
    rooms = segment(two_rooms(door=16), door_cells=10, min_core=20)
    assert set(np.unique(rooms)) == {0, 1}


def test_every_cell_of_the_interior_has_a_room_and_no_other():
    interior = two_rooms()
    rooms = segment(interior, door_cells=10, min_core=20)
    np.testing.assert_array_equal(rooms > 0, interior)


def test_a_narrow_place_alone_is_a_room_too():
    corridor = np.zeros((40, 8), bool)
    corridor[2:38, 2:6] = True
    rooms = segment(corridor, door_cells=10, min_core=20)
    assert set(np.unique(rooms[corridor])) == {1}


def test_no_interior_is_no_room():
    assert not segment(np.zeros((10, 10), bool), door_cells=10, min_core=20).any()


def test_a_room_keeps_its_number_while_it_grows():
    small = np.zeros((10, 10), np.int32)
    small[:4] = 7
    grown = np.zeros((10, 10), np.int32)
    grown[:9] = 1
    numbered, following = keep_numbers(grown, small, 8)
    assert set(np.unique(numbered)) == {0, 7}
    assert following == 8


def test_rooms_that_merge_keep_the_number_of_the_larger():
    old = np.zeros((10, 10), np.int32)
    old[:7], old[7:] = 3, 4
    numbered, _ = keep_numbers(np.ones((10, 10), np.int32), old, 5)
    assert set(np.unique(numbered)) == {3}


def test_when_a_room_splits_the_larger_part_keeps_the_number_and_the_other_gets_a_new_one():
    new = np.zeros((10, 10), np.int32)
    new[:7], new[7:] = 1, 2
    numbered, following = keep_numbers(new, np.full((10, 10), 3, np.int32), 4)
    assert numbered[0, 0] == 3
    assert numbered[9, 9] == 4
    assert following == 5


@pytest.mark.parametrize(
    ("contents", "kind"),
    [
        (["Fridge", "StoveBurner", "Cabinet"], "Kitchen"),
        (["Bed", "Desk", "Pillow", "Television"], "Bedroom"),
        (["Toilet", "SinkBasin", "GarbageCan"], "Bathroom"),
        (["Sofa", "Television", "ArmChair"], "LivingRoom"),
        (["GarbageCan", "LightSwitch"], ""),
        (["Pillow"], ""),
        ([], ""),
    ],
)
def test_contents_name_a_room(contents, kind):
    assert room_kind(contents) == kind


def test_many_pillows_do_not_outvote_a_sofa_and_a_television():
    assert room_kind(["Sofa", "Television", *["Pillow"] * 10]) == "LivingRoom"
