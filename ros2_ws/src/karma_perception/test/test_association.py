# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.objects.association import Candidate, agreement, associate, succeed
from karma_perception.objects.colors import color_histograms


def box(category, x, size=0.2, *, tested=False, colors=None):
    center = np.array([x, 0.0, 0.5])
    return Candidate(category, center - size / 2, center + size / 2, colors, tested)


def test_each_observation_takes_the_nearest_of_its_class():
    assert associate([box("Mug", 0.1), box("Mug", 1.0)], [box("Mug", 1.05), box("Mug", 0.0)]) == [1, 0]


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


def test_a_thing_of_other_colours_is_another_thing():
    red, blue = color_histograms(np.array([[200, 30, 30], [30, 30, 200]], np.uint8), np.array([0, 1]), 2)
    gone = [box("Mug", 0.0, colors=red)]
    assert succeed(gone, [box("Mug", 5.0, colors=blue)], np.array([[True]]), np.full((1, 1), 9.0)) == [None]
    both = [box("Mug", 5.0, colors=0.6 * red + 0.4 * blue), box("Mug", 6.0, colors=red)]
    assert succeed(gone, both, np.array([[True, True]]), np.ones((1, 2))) == [1]


def test_boxes_agree_by_the_space_that_both_fill():
    assert agreement(box("Mug", 0.0), box("Mug", 0.0)) == pytest.approx(1.0)
    # Of 0.26 m with what is added around them, 0.13 m are shared: a third of what both fill together.
    assert agreement(box("Mug", 0.0), box("Mug", 0.13)) == pytest.approx(1 / 3)
    assert agreement(box("Mug", 0.0), box("Mug", 0.5)) == 0.0


def test_nothing_observed_or_known_is_no_match():
    assert associate([], [box("Mug", 0.0)]) == []
    assert associate([box("Mug", 0.0)], []) == [None]
