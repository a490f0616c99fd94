# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np

from karma_perception.places.areas import place_anchors


def place(standable, before=None, *, rooms=None, origin=(0, 0), start=1):
    rooms = standable.astype(np.int32) if rooms is None else rooms
    return place_anchors(standable, rooms, origin, before or {}, edge=12, enough=60, next_number=start)


def cells(anchors):
    return {a.number: a.cell for group in anchors.values() for a in group}


def test_open_space_gets_one_area_in_the_middle_of_each_square():
    anchors, following = place(np.ones((36, 24), bool))
    found = cells(anchors)
    assert len(found) == 6
    assert following == 7
    for x, y in found.values():
        assert abs(x % 12 - 5.5) <= 1
        assert abs(y % 12 - 5.5) <= 1


def test_a_wall_through_a_square_makes_two_areas():
    standable = np.ones((12, 12), bool)
    standable[5:7] = False
    rooms = standable.astype(np.int32)
    rooms[7:] *= 2
    anchors, _ = place(standable, rooms=rooms)
    assert len(cells(anchors)) == 2


def test_a_sliver_gets_none_of_its_own_but_a_remote_one_does():
    standable = np.zeros((48, 12), bool)
    standable[:14] = True
    standable[40:44, :4] = True
    found = cells(place(standable)[0]).values()
    assert len(found) == 2
    assert max(x for x, _ in found) >= 40


def test_areas_keep_numbers_and_nearly_their_places_as_space_is_explored():
    part = np.zeros((36, 24), bool)
    part[:20] = True
    before, following = place(part)
    after, _ = place(np.ones((36, 24), bool), before, start=following)
    old, new = cells(before), cells(after)
    assert set(old) <= set(new)
    assert old[1] == new[1]


def test_growth_of_the_grid_moves_no_area():
    anchors, following = place(np.ones((24, 24), bool), origin=(0, 0))
    grown = np.zeros((56, 56), bool)
    grown[32:, 32:] = True
    again, _ = place(grown, anchors, origin=(-32, -32), start=following)
    assert cells(again) == cells(anchors)


def test_an_area_whose_place_is_blocked_moves_within_its_square():
    standable = np.ones((12, 12), bool)
    before, following = place(standable)
    standable[4:9, 4:9] = False
    after, _ = place(standable, before, start=following)
    assert set(cells(after)) == {1}
    assert standable[cells(after)[1]]


def test_no_space_is_no_area():
    assert place(np.zeros((12, 12), bool)) == ({}, 1)
