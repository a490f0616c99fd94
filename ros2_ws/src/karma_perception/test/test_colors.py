# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.objects.colors import color_histograms, color_likeness


def histogram(*colors):
    (result,) = color_histograms(np.array(colors, np.uint8), np.zeros(len(colors), np.intp), 1)
    return result


def test_every_group_has_a_histogram_of_sum_one():
    rgb = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255]], np.uint8)
    found = color_histograms(rgb, np.array([0, 2, 2]), 3)
    assert found.sum(axis=1) == pytest.approx([1.0, 0.0, 1.0])


def test_less_light_on_the_same_thing_changes_less_than_another_colour():
    red = histogram((200, 40, 40))
    assert color_likeness(red, histogram((150, 30, 30))) > 0.7
    assert color_likeness(red, histogram((40, 40, 200))) < 0.5


def test_a_little_more_light_changes_little():
    assert color_likeness(histogram((120, 90, 60)), histogram((124, 93, 62))) > 0.95
