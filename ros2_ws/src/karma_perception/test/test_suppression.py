# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.detectors.candidates import Candidates
from karma_perception.detectors.suppression import intersection_over_union, suppress


def candidates(*rows):
    """Make candidates from (box, score, class)."""
    boxes, scores, classes = zip(*rows, strict=True) if rows else ((), (), ())
    return Candidates(
        np.array(boxes, np.float32).reshape(-1, 4), np.array(scores, np.float32), np.array(classes, np.intp)
    )


def naive(found, overlap):
    """Suppress one by one, as in the textbooks; returns the indices that stay."""
    kept = []
    for i in np.argsort(-found.scores, kind="stable"):
        shares = intersection_over_union(found.boxes)[i]
        if all(shares[k] <= overlap if found.classes[k] == found.classes[i] else shares[k] <= 0.85 for k in kept):
            kept.append(i)
    return kept


def test_overlap_of_boxes_is_that_of_a_hand_calculation():
    boxes = np.array([(0, 0, 10, 10), (5, 0, 15, 10), (20, 20, 30, 30), (3, 3, 3, 3)], np.float32)
    expected = np.array([[1, 1 / 3, 0, 0], [1 / 3, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(intersection_over_union(boxes), expected, atol=1e-6)


def test_of_two_views_of_a_thing_the_better_stays_and_other_classes_are_left_alone():
    found = candidates(
        ((0, 0, 10, 10), 0.6, 1), ((1, 0, 11, 10), 0.9, 1), ((2, 0, 12, 10), 0.5, 2), ((40, 40, 50, 50), 0.3, 1)
    )
    kept = suppress(found, 0.5)
    assert kept.scores.tolist() == pytest.approx([0.9, 0.5, 0.3])


def test_one_box_with_two_classes_is_one_thing():
    kept = suppress(candidates(((0, 0, 10, 10), 0.6, 1), ((0, 0, 10, 10.2), 0.7, 2)), 0.5)
    assert kept.classes.tolist() == [2]


def test_what_was_suppressed_suppresses_nothing():
    chain = candidates(((0, 0, 10, 10), 0.9, 0), ((4, 0, 14, 10), 0.8, 0), ((8, 0, 18, 10), 0.7, 0))
    assert suppress(chain, 0.3).scores.tolist() == pytest.approx([0.9, 0.7])


def test_random_boxes_are_suppressed_as_one_by_one():
    random = np.random.default_rng(7)
    low = random.uniform(0, 60, (80, 2))
    boxes = np.concatenate([low, low + random.uniform(5, 40, (80, 2))], axis=1).astype(np.float32)
    found = Candidates(boxes, random.random(80).astype(np.float32), random.integers(0, 3, 80))
    kept = suppress(found, 0.4)
    np.testing.assert_array_equal(kept.boxes, found.boxes[naive(found, 0.4)])


def test_nothing_stays_nothing():
    assert len(suppress(candidates(), 0.5)) == 0
