# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Looking after the memory: snapshots for fast starts, one portable file, and forgetting how things became known."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from karma_memory.journal import Journal, JournalError, Snapshot, SnapshotStore, export_journal
from karma_memory.state.compaction import compact
from karma_memory.state.history import History
from karma_memory.state.live import LiveState


class Upkeep:
    """What an operator asks for now and then; recalls go on meanwhile, and remembering waits for parts of it only."""

    def __init__(self, journal: Journal, snapshots: SnapshotStore, history: History, live: LiveState) -> None:
        self._journal = journal
        self._snapshots = snapshots
        self._history = history
        self._live = live
        self._lock = threading.Lock()
        """One writes snapshots, or deletes them, at a time."""

    def snapshot(self) -> tuple[int, Path]:
        """Write the state of all memories to a file, so that the next start is fast; return its sequence and path.

        JournalError when the disk doesn't take it; nothing is lost then.
        """
        with self._lock:
            sequence, state = self._live.now()
            newest = next(self._journal.rows(sequence - 1, sequence))
            try:
                return sequence, self._snapshots.write(Snapshot(sequence, newest.id, state))
            except OSError as error:
                raise JournalError(
                    f"cannot write a snapshot beside {self._journal.path}: {error}; free some space"
                ) from error

    @property
    def snapshot_sequence(self) -> int:
        """The sequence of the newest event in a snapshot, 0 without one: a start applies what came later."""
        return self._snapshots.newest

    def export(self, destination: str | os.PathLike[str], *, overwrite: bool = False) -> int:
        """Write the journal and the state of all memories to one portable file; return the number of events.

        Remembering goes on meanwhile; what comes later is not in the file. See export_journal for the errors.
        """
        sequence, state = self._live.now()
        return export_journal(self._journal, destination, state, until=sequence, overwrite=overwrite)

    def compact(self, before: float) -> int:
        """Forget the past before the time `before` (seconds): keep what is known, not how it came to be known.

        The state of all memories then is stored in the journal, and events up to there lose their content unless a
        current record or memory unit rests on them, somebody said them, or they belong to an episode. Ids stay known.
        Questions about an earlier time are refused from then on. Remembering waits only for small parts of it, but for
        an SQLite file that an older version made, which is written anew, once. Return the sequence of the last event
        before the horizon. JournalError; what was done until then stays, and the next call goes on.
        """
        with self._lock:
            return compact(
                self._journal,
                self._snapshots,
                self._history,
                before,
                self._live.applied,
                self._sources,
                writing=self._live.write_lock,
            )

    def drop_pictures(self, before: float) -> int:
        """Forget the pictures that nothing named since the time `before` (seconds); what they showed stays known.

        Return how many. JournalError.
        """
        with self._lock:
            until = self._journal.sequence_at(before, 0)
            with self._live.write_lock, self._journal.transaction() as transaction:
                dropped = transaction.drop_images(until)
            if dropped:
                self._journal.reclaim()
            return dropped

    def _sources(self) -> set[str]:
        """Return the events that current records rest on."""
        with self._live.lock:
            return self._live.state.sources()
