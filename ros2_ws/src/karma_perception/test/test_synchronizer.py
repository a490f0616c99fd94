# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import pytest

from karma_perception.frames.synchronizer import StampSynchronizer


def make(capacity=3, max_bytes=100):
    return StampSynchronizer(("depth", "pose"), capacity=capacity, max_bytes=max_bytes, size=len)


def test_items_of_one_stamp_come_together_in_any_order():
    sync = make()
    assert sync.add("pose", 1, "p1") is None
    assert sync.add("depth", 2, "d2") is None
    assert sync.add("depth", 1, "d1") == {"depth": "d1", "pose": "p1"}
    assert sync.add("pose", 2, "p2") == {"depth": "d2", "pose": "p2"}


def test_different_stamps_never_mix():
    sync = make()
    assert sync.add("pose", 1, "p") is None
    assert sync.add("depth", 2, "d") is None


def test_a_silent_stream_costs_bounded_memory():
    sync = make(capacity=3)
    for stamp in range(10):
        sync.add("pose", stamp, "p")
    assert sync.given_up == 7
    assert sync.add("depth", 0, "d") is None
    assert sync.add("depth", 9, "d") is not None


def test_what_was_cleared_is_not_waited_for():
    sync = make()
    sync.add("pose", 1, "p")
    sync.clear()
    assert sync.add("depth", 1, "d") is None


def test_an_unknown_stream_and_a_synchronizer_without_streams_are_refused():
    with pytest.raises(KeyError, match="sound"):
        make().add("sound", 1, "x")
    with pytest.raises(ValueError, match="stream"):
        StampSynchronizer((), capacity=3, max_bytes=100, size=len)


def test_stamps_of_a_clock_set_back_are_waited_for_too():
    sync = make(capacity=3)
    for stamp in (100, 101, 102):
        sync.add("pose", stamp, "p")
    assert sync.add("pose", 1, "p1") is None
    assert sync.add("depth", 1, "d1") == {"pose": "p1", "depth": "d1"}


def test_large_items_are_given_up_before_there_are_too_many():
    sync = make(capacity=10, max_bytes=8)
    sync.add("depth", 1, "1234")
    sync.add("depth", 1, "1234")
    sync.add("depth", 2, "1234")
    assert sync.given_up == 0
    sync.add("depth", 3, "1234")
    assert sync.given_up == 1
    assert sync.add("pose", 1, "p") is None
    assert sync.given_up == 2
    assert sync.add("pose", 3, "p") == {"depth": "1234", "pose": "p"}
    sync.add("depth", 4, "12345678")
    assert sync.add("pose", 4, "p") is not None


def test_an_item_that_is_too_large_alone_is_given_up():
    sync = make(max_bytes=8)
    assert sync.add("depth", 1, "123456789") is None
    assert sync.given_up == 1
    assert sync.add("pose", 1, "p") is None
