# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""Which messages belong together, and which times go on."""

import pytest

pytest.importorskip("rosbags", reason="rosbags is not installed")

from karma_perception.recording.nearest import PATIENCE, NearestSynchronizer, Stamped
from karma_perception.recording.timeline import Timeline

MS = 1_000_000
S = 1000 * MS


def groups(items, slop=20 * MS, others=("color",)):
    """Return (depth's stamp, others' stamps) in milliseconds of (stream, stamp, received) items."""
    synchronizer = NearestSynchronizer("depth", others, slop=slop)
    found = []
    for stream, stamp, received in items:
        found += synchronizer.add(stream, Stamped(stamp * MS, received * MS, None, 100))
    found += synchronizer.flush()
    shown = [(g.leader.stamp // MS, *(g.others[o].stamp // MS for o in others if o in g.others)) for g in found]
    return shown, synchronizer.unused


def test_the_nearest_wins_even_if_it_comes_later():
    items = [("color", 990, 991), ("depth", 1000, 1001), ("color", 1003, 1004), ("color", 1015, 1016)]
    assert groups(items) == ([(1000, 1003)], {"color": 2})


def test_an_equal_stamp_needs_no_waiting():
    synchronizer = NearestSynchronizer("depth", ["color"], slop=0)
    assert not list(synchronizer.add("color", Stamped(5, 5, None)))
    assert [g.others["color"].stamp for g in synchronizer.add("depth", Stamped(5, 6, None))] == [5]


def test_without_a_neighbour_in_the_slop_a_leader_stays_alone():
    assert groups([("depth", 1000, 1000), ("color", 1100, 1100), ("depth", 1200, 1700)]) == (
        [(1000,), (1200,)],
        {"color": 1},
    )


def test_of_a_faster_camera_the_others_are_unused_and_one_picture_may_serve_twice():
    color = [("color", t, t) for t in range(0, 1000, 33)]
    depth = [("depth", t, t + 1) for t in range(5, 1000, 200)]
    shown, unused = groups(sorted(color + depth, key=lambda i: i[2]))
    assert all(abs(d - c) <= 17 for d, c in shown)
    assert len(shown) == 5
    assert unused == {"color": len(color) - 5}
    assert groups([("color", 10, 10), ("depth", 5, 11), ("depth", 15, 16)])[0] == [(5, 10), (15, 10)]


def test_what_waits_is_bounded():
    synchronizer = NearestSynchronizer("depth", ["color"], slop=0)
    for i in range(20):
        list(synchronizer.add("color", Stamped(i, i * PATIENCE, None)))
    assert synchronizer.unused["color"] >= 18


def test_stamps_that_go_on_stay_as_they_are():
    timeline = Timeline()
    for stamp in (10 * S, 11 * S, 10 * S + 500 * MS, 60 * S):
        assert timeline.place(stamp, stamp + 7 * S) == stamp
        assert timeline.jump == 0


@pytest.mark.parametrize("jump", [-2 * S, -1000 * S, 5000 * S])
def test_after_a_jump_time_goes_on_by_receipt(jump):
    timeline = Timeline()
    assert timeline.place(2000 * S, 0) == 2000 * S
    assert timeline.place(2000 * S + jump, S) == 2001 * S
    assert timeline.jump == jump
    assert timeline.place(2001 * S + jump, 2 * S) == 2002 * S
    assert timeline.jump == 0


def test_a_pause_of_the_recording_is_no_jump():
    timeline = Timeline()
    timeline.place(0, 0)
    assert timeline.place(7200 * S, 7200 * S) == 7200 * S
    assert timeline.jump == 0
