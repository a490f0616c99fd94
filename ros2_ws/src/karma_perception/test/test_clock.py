# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import pytest

from karma_perception.frames.camera import FrameError
from karma_perception.frames.clock import FrameClock


def clock(*stamps):
    made = FrameClock()
    for stamp in stamps:
        assert not made.advance(stamp)
    return made


def doubts(clock, stamp):
    with pytest.raises(FrameError, match="stamp"):
        clock.advance(stamp)


def test_time_passes_and_a_frame_may_come_a_little_late():
    made = clock(10.0, 10.5, 11.0, 10.2)
    assert made.now == 11.0
    assert not made.advance(600.0)


@pytest.mark.parametrize("wrong", [2e9, 0.0])
def test_one_wrong_stamp_is_doubted_and_changes_nothing(wrong):
    made = clock(10.0, 10.5, 11.0)
    doubts(made, wrong)
    assert not made.advance(11.5)
    assert made.now == 11.5


def test_a_wrong_stamp_that_is_believed_sets_no_clock_back():
    made = clock(10.0, 10.5, 11.0, 600.0)
    for stamp in (11.5, 12.0, 12.5, 13.0, 13.5):
        assert not made.advance(stamp)
    assert made.now == 13.5


def test_wrong_stamps_that_agree_on_nothing_are_doubted():
    made = clock(10.0, 10.5)
    for stamp in (2e9, 1e9, 0.0, 1.5e9):
        doubts(made, stamp)
    assert not made.advance(11.0)


def test_three_older_stamps_in_a_row_are_a_clock_set_back():
    made = clock(100.0, 100.5)
    doubts(made, 0.0)
    doubts(made, 0.5)
    assert made.advance(1.0)
    assert not made.advance(1.5)
    assert made.now == 1.5


def test_three_newer_stamps_in_a_row_are_the_time():
    made = clock(100.0, 100.5)
    doubts(made, 9000.0)
    doubts(made, 9000.5)
    assert not made.advance(9001.0)
    assert made.now == 9001.0
