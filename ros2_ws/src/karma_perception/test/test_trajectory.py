# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""Poses between and beside those that were told."""

import math

import numpy as np
import pytest

from karma_perception.frames.camera import FrameError
from karma_perception.frames.trajectory import Trajectory
from karma_perception.frames.transforms import TransformTree

S = 1_000_000_000
NEAR = {"reach": S // 10, "gap": S}


def turned(x, yaw):
    return (x, 0.0, 0.0, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))


def yaw_of(pose):
    return math.atan2(pose[1, 0], pose[0, 0])


def test_between_two_poses_it_moves_evenly_the_shorter_way_round():
    track = Trajectory()
    track.add(10 * S, 10 * S, turned(0.0, math.radians(170)))
    track.add(11 * S, 11 * S, turned(4.0, math.radians(-150)))
    quarter = track.at(10 * S + S // 4, 10 * S, **NEAR)
    assert quarter[0, 3] == pytest.approx(1.0)
    assert abs(math.degrees(yaw_of(quarter))) == pytest.approx(180.0, abs=1e-6)
    np.testing.assert_allclose(quarter[:3, :3] @ quarter[:3, :3].T, np.eye(3), atol=1e-12)


def test_at_a_stamp_it_is_that_pose_and_outside_only_nearby():
    track = Trajectory()
    for second in (10, 12):  # a longer gap than is bridged
        track.add(second * S, second * S, turned(float(second), 0.0))
    assert track.at(12 * S, 12 * S, **NEAR)[0, 3] == 12.0
    assert track.at(12 * S + S // 20, 12 * S, **NEAR)[0, 3] == 12.0
    assert track.at(10 * S + S // 20, 12 * S, **NEAR)[0, 3] == 10.0
    assert track.at(11 * S, 11 * S, **NEAR) is None
    assert track.at(12 * S + S // 5, 12 * S, **NEAR) is None
    assert Trajectory().at(0, 0, **NEAR) is None


def test_out_of_order_is_sorted_and_a_loop_is_told_apart_by_receipt():
    track = Trajectory()
    for stamp in (10.0, 10.4, 10.2, 10.6):
        track.add(int(stamp * S), int(stamp * S), turned(stamp, 0.0))
    assert track.at(int(10.3 * S), int(10.3 * S), **NEAR)[0, 3] == pytest.approx(10.3)
    for stamp in (5.0, 10.2, 10.6):
        track.add(int(stamp * S), int((stamp + 100) * S), turned(-stamp, 0.0))
    assert track.at(int(10.2 * S), int(110.2 * S), **NEAR)[0, 3] == -10.2
    assert track.at(int(10.2 * S), int(10.2 * S), **NEAR)[0, 3] == 10.2
    assert len(track) == 7


def tree():
    made = TransformTree(reach=S // 10, gap=S)
    made.add("map", "odom", 0, 0, turned(10.0, 0.0), fixed=True)
    for second in (1, 2):
        made.add("odom", "/base", second * S, second * S, turned(float(second), 0.0), fixed=False)
    made.add("base", "eye", 0, 0, (0.0, 0.0, 1.5, -0.5, 0.5, -0.5, 0.5), fixed=True)
    made.add("base", "arm", 0, 0, turned(0.5, 0.0), fixed=True)
    return made


def test_transforms_are_chained_up_down_and_across():
    found = tree().at("map", "eye", int(1.5 * S), 0)
    np.testing.assert_allclose(found[:3, 3], (11.5, 0.0, 1.5))
    np.testing.assert_allclose(found[:3, 2], (1.0, 0.0, 0.0), atol=1e-12)  # the optical axis looks forward
    np.testing.assert_allclose(tree().at("eye", "map", S, S) @ tree().at("map", "eye", S, S), np.eye(4), atol=1e-12)
    np.testing.assert_allclose(tree().at("arm", "eye", S, S)[:3, 3], (-0.5, 0.0, 1.5))
    assert tree().at("map", "eye", 9 * S, 9 * S) is None


def test_what_moves_and_what_is_connected():
    made = tree()
    assert made.fixed("arm", "eye")
    assert not made.fixed("map", "eye")
    assert made.connected("map", "eye")
    assert not made.connected("map", "moon")
    assert made.root("eye") == "map"


def test_circles_and_transforms_that_are_none_are_refused():
    made = tree()
    with pytest.raises(FrameError, match="circle"):
        made.add("eye", "map", 0, 0, turned(0.0, 0.0), fixed=True)
    with pytest.raises(FrameError, match="finite"):
        made.add("base", "hand", 0, 0, (math.nan, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), fixed=True)
    assert made.root("map") == "map"
