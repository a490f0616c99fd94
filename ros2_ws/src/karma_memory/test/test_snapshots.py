# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How snapshots are written, and which are kept."""

import fcntl
import os
import threading
from itertools import accumulate
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from karma_memory.journal.snapshots import Snapshot, SnapshotStore, spread


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


def test_a_snapshot_is_written_in_a_folder_that_somebody_holds(tmp_path: Path) -> None:
    held = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_SH)  # as ./karma demo does with its logs, where its memory is, too
        store = SnapshotStore(tmp_path / "memory.sqlite3", "journal")
        writing = threading.Thread(target=store.write, args=(Snapshot(3, "e3", {"known": []}),), daemon=True)
        writing.start()
        writing.join(30)
        assert not writing.is_alive()
    finally:
        os.close(held)
    loaded = store.load(lambda sequence, event_id: (sequence, event_id) == (3, "e3"), 3)
    assert loaded is not None
    assert loaded.state == {"known": []}
