# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold of a memory after its process was killed."""

from heard import wait_until_read

from karma_memory import PolicySettings
from karma_memory.encoding import decode_event, dumps, encode_event
from karma_memory.journal.compacted import is_stub, make_stub
from karma_memory.state.state import MemoryState


class Survivor:
    """A memory that is killed and restarted, time and again, and all that was seen in its journal."""

    def __init__(self, store, sent=None):
        """`sent`: event id → the event, of those that may have lost their content before they are seen here."""
        self._sent = {} if sent is None else sent
        self.events = {}
        """Event id → the event, in the order in which they stand in the journal."""
        self._store = store
        self._sequences = {}
        self._state = MemoryState(PolicySettings())

    def check(self, acknowledged, **settings):
        """Restart the memory, and compare it with its journal.

        Every acknowledged event (id → sequence, 0 where that was not told) is there, once, in its place; sequences have
        no gaps; what was there before is there still, or stands for the same event where its content was dropped; the
        state is that of a replay of all events from the first one on.
        """
        self._store.settle()
        with self._store.memory(**settings) as memory:
            wait_until_read(memory)
            restarted = dumps(memory._state.snapshot())
        with self._store.journal() as journal:
            rows = list(journal.rows())
        for row in rows[len(self.events) :]:
            assert row.id not in self.events
            event = self._sent[row.id] if is_stub(row.body) else decode_event(row.body)
            self.events[row.id] = event
            self._sequences[row.id] = row.sequence
            self._state.apply(event)
        assert [(row.sequence, row.id) for row in rows] == list(enumerate(self.events, 1))
        for row in rows:
            event = self.events[row.id]
            assert row.body == (make_stub(event) if is_stub(row.body) else encode_event(event))
        assert acknowledged.keys() <= self.events.keys()
        assert all(self._sequences[event_id] == sequence for event_id, sequence in acknowledged.items() if sequence)
        assert restarted == dumps(self._state.snapshot())
        return rows
