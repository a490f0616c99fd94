# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np

from karma_perception.association import Candidate, associate


def box(category, x, size=0.2, *, missing=False):
    center = np.array([x, 0.0, 0.5])
    return Candidate(category, center - size / 2, center + size / 2, missing=missing)


def test_each_observation_takes_the_nearest_of_its_class():
    assert associate([box("Mug", 0.1), box("Mug", 1.0)], [box("Mug", 1.05), box("Mug", 0.0)]) == [1, 0]


def test_another_class_in_the_same_place_is_another_object():
    assert associate([box("Mug", 0.0)], [box("Cup", 0.0)]) == [None]


def test_what_is_far_from_everything_known_is_new():
    assert associate([box("Mug", 3.0)], [box("Mug", 0.0)]) == [None]


def test_two_observations_never_share_an_object():
    found = associate([box("Mug", 0.0), box("Mug", 0.1)], [box("Mug", 0.05)])
    assert sorted(found, key=str) == [0, None]


def test_a_missing_object_is_found_anywhere_but_only_by_something_of_its_size():
    known = [box("Mug", 0.0, missing=True)]
    assert associate([box("Mug", 5.0)], known) == [0]
    assert associate([box("Mug", 5.0, size=1.0)], known) == [None]


def test_an_object_at_its_place_goes_before_a_missing_one():
    assert associate([box("Mug", 2.0)], [box("Mug", 9.0, missing=True), box("Mug", 2.0)]) == [1]


def test_nothing_observed_or_known_is_no_match():
    assert associate([], [box("Mug", 0.0)]) == []
    assert associate([box("Mug", 0.0)], []) == [None]
