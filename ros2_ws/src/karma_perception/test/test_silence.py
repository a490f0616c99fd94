# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from karma_perception.frames.silence import PATIENCE, SilenceWatch


def listen(end, *streams):
    """Hear the streams ten times a second from 0 until `end`; return the watch."""
    watch = SilenceWatch(("camera/depth", "camera/pose"), 0.0)
    for tenth in range(int(10 * end) + 1):
        for stream in streams:
            watch.hear(stream, tenth / 10)
    return watch


def test_a_camera_that_is_just_starting_is_no_reason_to_complain():
    assert not listen(0.0).complaint(PATIENCE - 1.0)


def test_a_camera_at_rest_that_shows_a_view_every_five_seconds_and_a_half_is_not_missed_where_one_is_lost():
    watch = listen(0.0)
    for shown in (5.5, 11.0, 22.0):  # the one at 16.5 was lost
        assert not watch.complaint(shown)
        watch.hear("camera/depth", shown)
        watch.hear("camera/pose", shown)
        watch.complete(shown)


def test_a_camera_that_says_nothing_is_missed():
    assert listen(0.0).complaint(PATIENCE + 1.0).startswith(f"no camera messages for {PATIENCE + 1.0:.0f} s")


def test_a_stream_that_says_nothing_is_named():
    complaint = listen(20.0, "camera/depth").complaint(20.0)
    assert "nothing comes on camera/pose" in complaint
    assert "depth" not in complaint


def test_streams_whose_stamps_never_match_are_told_apart_from_silent_ones():
    assert "stamps" in listen(20.0, "camera/depth", "camera/pose").complaint(20.0)


def test_a_frame_that_is_half_there_is_no_reason_to_complain():
    watch = listen(20.0, "camera/depth", "camera/pose")
    watch.complete(19.9)
    watch.hear("camera/depth", 20.0)
    assert not watch.complaint(20.0)
