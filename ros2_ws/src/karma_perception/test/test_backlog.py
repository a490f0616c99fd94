# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from raycast import pose, room, shoot

from karma_perception.frames.backlog import FrameBacklog, view_change
from karma_perception.frames.camera import Intrinsics

SMALL = Intrinsics(8, 6, 4.0, 4.0, 3.5, 2.5)
WORLD = room(0, 0, 4, 3)


def frame(yaw=0.0, x=2.0, **options):
    return shoot(WORLD, pose(x, 1.5, yaw), intrinsics=SMALL, stamp=yaw, **options)


def test_frames_come_out_in_the_order_they_came_in():
    backlog = FrameBacklog(4)
    for yaw in (0, 90, 180):
        backlog.push(frame(yaw))
    assert [backlog.pop().stamp for _ in range(3)] == [0, 90, 180]
    assert backlog.pop() is None


def test_when_it_is_full_the_most_redundant_view_goes_and_the_newest_stays():
    backlog = FrameBacklog(4)
    for yaw in (0, 90, 92, 180, 181):
        backlog.push(frame(yaw))
    assert backlog.dropped == 1
    assert [backlog.pop().stamp for _ in range(4)] == [0, 90, 180, 181]


def test_large_frames_are_dropped_before_there_are_too_many():
    # 8 x 6 pixels of 4 bytes depth, 3 bytes colour and 2 bytes instances.
    assert frame().nbytes == 432
    backlog = FrameBacklog(100, max_bytes=3 * 432)
    for yaw in (0, 90, 92, 180):
        backlog.push(frame(yaw))
    assert backlog.dropped == 1
    assert [backlog.pop().stamp for _ in range(3)] == [0, 90, 180]
    for yaw in (0, 90, 180):
        backlog.push(frame(yaw))
    assert backlog.dropped == 1


def test_the_newest_frame_is_kept_however_large():
    backlog = FrameBacklog(100, max_bytes=1)
    for yaw in (0, 90, 180):
        backlog.push(frame(yaw))
    assert len(backlog) == 1
    assert backlog.pop().stamp == 180


def test_a_frame_with_another_scene_start_or_gripper_is_not_redundant():
    assert view_change(frame(), frame(resets=1)) == math.inf
    assert view_change(frame(), frame(held="Mug|1")) == math.inf
    assert view_change(frame(), frame(scene="other")) == math.inf


def test_the_change_of_a_view_is_way_and_turn():
    assert view_change(frame(0), frame(0)) == pytest.approx(0.0, abs=1e-6)
    assert view_change(frame(0), frame(0, x=2.5)) == pytest.approx(0.5)
    assert view_change(frame(0), frame(90)) > view_change(frame(0), frame(45)) > 0.5


def test_a_backlog_needs_room_for_two():
    with pytest.raises(ValueError, match="at least 2"):
        FrameBacklog(1)


def test_a_cleared_backlog_is_empty():
    backlog = FrameBacklog(2)
    backlog.push(frame())
    backlog.clear()
    assert len(backlog) == 0
