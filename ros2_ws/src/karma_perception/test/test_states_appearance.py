# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from raycast import pose, room, shoot, thing

from karma_perception.states.appearance import cut_out, difference, histogram
from karma_perception.states.estimator import SeenInstance

MUG = thing("Mug", (2.5, 1.5, 1.0), (0.3, 0.3, 0.3), movable=True)
WORLD = [*room(0, 0, 5, 3), MUG]


def seen(solid):
    return SeenInstance(solid.id, solid.category, np.array(solid.low), np.array(solid.high))


def crop_from(x, yaw, *, solid=MUG, margin=0.0, least=10):
    return cut_out(shoot(WORLD, pose(x, 1.5, yaw, pitch_deg=0)), seen(solid), margin=margin, least=least)


def test_cut_out_shows_the_object():
    crop = crop_from(1.0, 0)
    # The front face, 1.35 m away, is 160 px/m / 1.35 m * 0.3 m = 36 pixels wide, and nothing of the box sticks out.
    assert crop.shape == pytest.approx((36, 36, 3), abs=2)
    assert np.all(crop[3:-3, 3:-3] == (200, 40, 40))


def test_margin_shows_what_is_around():
    assert crop_from(1.0, 0, margin=0.25).shape == pytest.approx((54, 54, 3), abs=3)


def test_object_that_is_far_outside_or_behind_is_not_cut_out():
    assert crop_from(1.0, 0, least=60) is None
    assert crop_from(1.0, 55) is None
    assert crop_from(1.0, 180) is None
    assert crop_from(2.5, 0) is None


def test_same_thing_from_another_side_looks_alike_and_another_colour_does_not():
    near, far = histogram(crop_from(1.0, 0)), histogram(crop_from(0.6, 3))
    assert difference(near, near) == 0
    assert difference(near, far) < 0.1
    blue = np.full((30, 30, 3), (20, 30, 220), np.uint8)
    assert difference(near, histogram(blue)) > 0.9
    assert histogram(blue).sum() == pytest.approx(1)
