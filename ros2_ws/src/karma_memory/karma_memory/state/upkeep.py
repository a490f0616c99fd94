# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Looking after the memory: snapshots for fast starts, one portable file, and forgetting how things became known."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from karma_memory.journal import Journal, JournalError, Progress, Snapshot, SnapshotStore, export_journal
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
        """Write the state of all memories to a file; see Memory.snapshot."""
        with self._lock:
            sequence, state = self._live.now()
            newest = next(self._journal.rows(sequence - 1, sequence))
            try:
                return sequence, self._snapshots.write(Snapshot(sequence, newest.id, state))
            except OSError as error:
                raise JournalError(
                    f"cannot write a snapshot beside {self._journal.path}: {error}; free some space"
                ) from error

    def export(self, destination: str | os.PathLike[str], *, overwrite: bool, progress: Progress | None) -> int:
        """Write the journal and the state of all memories to one portable file; see Memory.export."""
        sequence, state = self._live.now()
        return export_journal(self._journal, destination, state, until=sequence, overwrite=overwrite, progress=progress)

    def compact(self, before: float) -> int:
        """Forget the past before the time `before`, seconds; see Memory.compact."""
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
        """Forget the pictures that were remembered last before the time `before`; see Memory.drop_pictures."""
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
