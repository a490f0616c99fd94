# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold of a memory after its process was killed."""

from karma_memory import Memory, PolicySettings, open_journal
from karma_memory.encoding import dumps
from karma_memory.state import MemoryState


def survivors(path, acknowledged, **settings):
    """Restart a memory and return its events by id.

    Every acknowledged event (id → sequence, 0 where that was not told) is there, once, in its place; sequences have no
    gaps; the state is that of a replay.
    """
    with Memory(path, embedder="lexical", **settings) as memory:
        restarted = dumps(memory._state.snapshot())
    state = MemoryState(PolicySettings())
    with open_journal(path) as journal:
        entries = list(journal.read())
    for entry in entries:
        state.apply(entry.event)
    assert [entry.sequence for entry in entries] == list(range(1, len(entries) + 1))
    stored = {entry.event.id: entry for entry in entries}
    assert len(stored) == len(entries)
    assert acknowledged.keys() <= stored.keys()
    assert all(stored[event_id].sequence == sequence for event_id, sequence in acknowledged.items() if sequence)
    assert restarted == dumps(state.snapshot())
    return {event_id: entry.event for event_id, entry in stored.items()}
