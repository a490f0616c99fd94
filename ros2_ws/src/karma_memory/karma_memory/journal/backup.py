# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of a journal's file for bad days: made while a memory server writes it, and put back while none does."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from karma_memory.journal.committed import take_lock
from karma_memory.journal.durable import remove_database, sync_folder
from karma_memory.journal.errors import JournalError
from karma_memory.journal.opening import is_database, open_journal
from karma_memory.journal.snapshots import SnapshotStore

_BESIDE = ("", "-wal", "-shm", "-journal", ".lock")
"""What SQLite and a journal put beside a file, and it itself."""


def back_up(location: str | os.PathLike[str], destination: str | os.PathLike[str]) -> int:
    """Copy the journal at `location`, as it is now, to a new file that is checked; return the number of its events.

    Whoever writes the journal goes on meanwhile. The copy is there complete or not at all. JournalError.
    """
    if is_database(location):
        raise JournalError("PostgreSQL makes its own backups: pg_dump -Fc -f FILE DATABASE")
    destination = Path(destination).expanduser()
    if destination.exists():
        raise JournalError(f"{destination} exists; a backup is written to a new file only")
    with open_journal(location, verify=False, read_only=True) as journal:  # it is one, and of no newer version
        path = journal.path
    part = destination.with_name(f"{destination.name}.part")
    try:
        events = _copy(path, part)
        part.replace(destination)
        sync_folder(destination.parent)
    except OSError as error:
        raise JournalError(f"cannot write {destination}: {error}") from error
    finally:
        remove_database(part, ".lock")
    return events


def restore(
    backup: str | os.PathLike[str], location: str | os.PathLike[str], before: Callable[[], None] = lambda: None
) -> int:
    """Put a backup in the place of the journal at `location`, if there is one; return the number of its events.

    The backup is checked, and stays. What was made from the journal that goes, is deleted. JournalLockedError while a
    memory server has that open, JournalError. `before` is called when nothing is in the way any more and nothing is
    changed yet; what it raises leaves all as it was.
    """
    if is_database(location):
        raise JournalError("PostgreSQL puts back what it backed up: pg_restore -c -d DATABASE FILE")
    with open_journal(Path(backup).expanduser(), read_only=True) as journal:
        source = journal.path
    path = Path(os.path.realpath(Path(location).expanduser()))
    if path == source:
        raise JournalError(f"{path} cannot be put in its own place")
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with take_lock(path) as lock:
            events = _copy(source, part)
            before()
            os.ftruncate(lock.fileno(), 0)  # what is noted there is about the journal that goes
            SnapshotStore(path, "").clear()
            for made in (*path.parent.glob(f"{path.name}.vectors*"), *(Path(f"{path}{end}") for end in _BESIDE[1:-1])):
                made.unlink(missing_ok=True)
            part.replace(path)
            sync_folder(path.parent)
    except OSError as error:
        raise JournalError(f"cannot write {path}: {error}") from error
    finally:
        remove_database(part, ".lock")
    return events


def _copy(source: Path, part: Path) -> int:
    """Copy a file by SQLite's online backup, to one that nobody else may read; return how many events are in it."""
    remove_database(part, ".lock")  # of an attempt that was killed
    part.touch(mode=0o600)
    try:
        with (
            closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as theirs,
            closing(sqlite3.connect(part)) as ours,
        ):
            theirs.backup(ours)
            ours.execute("PRAGMA journal_mode = DELETE")  # one file, until it is written again
    except sqlite3.Error as error:
        raise JournalError(f"cannot copy {source} to {part}: {error}") from error
    with open_journal(part, read_only=True) as copy:
        return copy.last_sequence
