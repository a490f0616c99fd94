# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.objects.association import Candidate, agreement, associate, overlap, succeed, unlikeness
from karma_perception.objects.colors import color_histograms


def box(category, x, size=0.2, *, tested=False, colors=None):
    center = np.array([x, 0.0, 0.5])
    return Candidate(category, center - size / 2, center + size / 2, colors, tested)


def test_each_observation_takes_the_nearest_of_its_class():
    assert associate([box("Mug", 0.1), box("Mug", 1.0)], [box("Mug", 1.05), box("Mug", 0.0)]) == [1, 0]


def test_of_known_objects_that_overlap_an_observation_the_nearest_is_it():
    for others in ((9.92, 10.02), (10.08, 9.98)):
        assert associate([box("Mug", 10.0)], [box("Mug", x) for x in others]) == [1]


def test_another_class_in_the_same_place_is_another_object():
    assert associate([box("Mug", 0.0)], [box("Cup", 0.0)]) == [None]


def test_what_is_far_from_everything_known_is_new():
    assert associate([box("Mug", 3.0)], [box("Mug", 0.0)]) == [None]


def test_what_stands_beside_a_known_thing_of_its_class_is_new():
    assert associate([box("Cabinet", 0.21)], [box("Cabinet", 0.0)]) == [None]


def test_two_observations_never_share_an_object():
    found = associate([box("Mug", 0.0), box("Mug", 0.1)], [box("Mug", 0.05)])
    assert sorted(found, key=str) == [0, None]


def test_the_mask_that_an_object_s_points_lie_on_tells_more_than_boxes():
    observed, known = [box("Book", 0.0), box("Book", 0.1)], [box("Book", 0.02, tested=True)]
    assert associate(observed, known, np.array([[0.3], [0.6]])) == [None, 0]


def test_boxes_must_agree_better_where_an_object_s_points_were_in_view_and_said_nothing():
    # Of boxes of 0.2 m with 0.03 m around them, 0.2 of 0.26 m overlap at a distance of 0.06 m, and 0.1 at 0.16 m.
    assert associate([box("Book", 0.06)], [box("Book", 0.0, tested=True)]) == [0]
    assert associate([box("Book", 0.16)], [box("Book", 0.0, tested=True)]) == [None]
    assert associate([box("Book", 0.16)], [box("Book", 0.0)]) == [0]


def test_a_thing_that_is_gone_is_what_has_turned_up_since_and_is_most_like_it():
    gone, new = [box("Mug", 0.0)], [box("Mug", 5.0, size=0.35), box("Mug", 6.0, size=0.21)]
    assert succeed(gone, new, np.array([[True, True]]), np.ones((1, 2))) == [1]
    assert succeed(gone, new, np.array([[True, False]]), np.ones((1, 2))) == [0]
    assert succeed(gone, new, np.array([[True, True]]), np.array([[1.5, 0.5]])) == [0]
    assert succeed(gone, new, np.array([[True, True]]), np.zeros((1, 2))) == [None]
    assert succeed(gone, [box("Mug", 5.0, size=1.0)], np.array([[True]]), np.full((1, 1), 9.0)) == [None]


def test_of_a_thing_that_nothing_turned_up_after_nothing_is_known():
    assert succeed([box("Mug", 0.0)], [box("Mug", 5.0)], np.array([[False]]), np.ones((1, 1))) == [None]


def test_a_pair_that_is_not_the_same_costs_the_others_nothing():
    gone, new = [box("Mug", 0.0, size=0.2), box("Mug", 0.0, size=0.8)], [box("Mug", 1.0, 0.45), box("Mug", 1.0, 0.2)]
    # Costs: -1.05 and -0.89; -0.04 and 1.29.
    gain = np.array([[1.8, 0.9], [0.6, 0.0]])
    assert succeed(gone, new, np.ones((2, 2), bool), gain) == [0, None]


def test_of_things_that_are_alike_it_is_the_nearest_and_beyond_ten_metres_none_is_too_far():
    gone = [box("Mug", 4.0)]
    assert succeed(gone, [box("Mug", 0.0), box("Mug", 6.0)], np.array([[True, True]]), np.ones((1, 2))) == [1]
    for gain, found in ((0.099, None), (0.101, 0)):  # a metre costs 0.01, up to 0.1
        assert succeed(gone, [box("Mug", 50.0)], np.array([[True]]), np.full((1, 1), gain)) == [found]


def test_things_of_one_size_do_not_differ_and_of_others_by_the_logarithm_of_their_ratio():
    # With 0.03 m added to each, 0.43 m are twice 0.2 m.
    found = unlikeness([box("Mug", 0.0)], [box("Mug", 5.0), box("Mug", 5.0, size=0.43)])
    assert found == pytest.approx(np.array([[0.0, np.log(2.0)]]))


def test_a_thing_has_not_become_one_of_less_than_a_quarter_of_its_size():
    for size, found in ((0.2, None), (0.25, 0)):
        new = [box("Mug", 5.0, size=size)]
        assert succeed([box("Mug", 0.0, size=1.0)], new, np.array([[True]]), np.full((1, 1), 9.0)) == [found]


def test_a_thing_of_other_colours_is_another_thing():
    red, blue = color_histograms(np.array([[200, 30, 30], [30, 30, 200]], np.uint8), np.array([0, 1]), 2)
    gone = [box("Mug", 0.0, colors=red)]
    assert succeed(gone, [box("Mug", 5.0, colors=blue)], np.array([[True]]), np.full((1, 1), 9.0)) == [None]
    both = [box("Mug", 5.0, colors=0.6 * red + 0.4 * blue), box("Mug", 6.0, colors=red)]
    assert succeed(gone, both, np.array([[True, True]]), np.ones((1, 2))) == [1]


def test_a_small_box_in_a_large_one_overlaps_it_wholly_whichever_comes_first():
    small, large = box("Mug", 0.0, size=0.1), box("Mug", 0.05, size=0.4)
    assert overlap(small, large) == pytest.approx(1.0)
    assert overlap(large, small) == pytest.approx(1.0)


def test_boxes_agree_by_the_space_that_both_fill():
    assert agreement(box("Mug", 0.0), box("Mug", 0.0)) == pytest.approx(1.0)
    # Of 0.26 m with what is added around them, 0.13 m are shared: a third of what both fill together.
    assert agreement(box("Mug", 0.0), box("Mug", 0.13)) == pytest.approx(1 / 3)
    assert agreement(box("Mug", 0.0), box("Mug", 0.5)) == 0.0


def test_nothing_observed_or_known_is_no_match():
    assert associate([], [box("Mug", 0.0)]) == []
    assert associate([box("Mug", 0.0)], []) == [None]
