# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which snapshots are kept."""

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from karma_memory.journal.snapshots import spread


def written(sequences):
    """Return what is kept after a snapshot at each of the sequences."""
    kept = set()
    for sequence in sequences:
        kept = spread(kept | {sequence})
    return kept


def test_the_longer_ago_the_fewer_snapshots_are_kept():
    # By hand: of the last two parts of 1, 2, 4, ..., 512 events, the first event.
    parts = [
        (1000, 999),
        (1000, 998),
        (1000, 996),
        (1000, 992),
        (992, 976),
        (992, 960),
        (960, 896),
        (896, 768),
        (768, 512),
    ]
    assert written(range(1, 1001)) == {sequence for part in parts for sequence in part} | {512, 1}


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=200))
def test_what_is_deleted_would_not_be_kept_later(steps):
    sequences = list(accumulate(steps))
    assert written(sequences) == spread(sequences)
    assert {sequences[0], *sequences[-2:]} <= spread(sequences)
    assert len(spread(sequences)) <= 2 * sequences[-1].bit_length()


def test_a_question_about_the_past_replays_at_most_three_times_as_many_events_as_came_since():
    for newest in (1000, 1023, 1024, 1025):
        kept = spread(range(1, newest + 1))
        for asked in range(1, newest + 1):
            snapshot = max(sequence for sequence in kept if sequence <= asked)
            assert asked - snapshot <= 3 * (newest - asked)
