# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Leaves no byte of what was erased: neither in the journal's files nor in those that are made from it.

A mark beside the journal says that this is to be done, until it is done: a process that is killed before, leaves it to
the next one that opens the journal for writing.
"""

from __future__ import annotations

from pathlib import Path

from karma_memory.journal.durable import remove_database, sync_folder
from karma_memory.journal.errors import JournalError
from karma_memory.journal.snapshots import SnapshotStore
from karma_memory.journal.store import Journal


def mark(journal: Journal) -> None:
    """Say, durably, that something is about to be erased. JournalError."""
    path = _mark(journal)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        sync_folder(path.parent)
    except OSError as error:
        raise JournalError(f"cannot make {path}: {error}; nothing was erased") from error


def purge(journal: Journal) -> None:
    """Delete snapshots and vectors, and let the journal's files hold nothing but what the journal says. JournalError.

    The vectors are a cache, which a memory that opens fills again.
    """
    try:
        SnapshotStore(journal.path, journal.uuid).clear()
        remove_database(Path(f"{journal.path}.vectors"))
        journal.expunge()
        sync_folder(journal.path.parent)
        _mark(journal).unlink(missing_ok=True)
        sync_folder(journal.path.parent)
    except OSError as error:
        raise JournalError(f"cannot delete all files beside {journal.path}: {error}; open it again") from error


def purge_if_marked(journal: Journal) -> None:
    """Finish what a process that was killed had begun. JournalError."""
    if _mark(journal).exists():
        purge(journal)


def _mark(journal: Journal) -> Path:
    return Path(f"{journal.path}.erasing")
