# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Backups of a journal in a file, made while it is written, and put back."""

import hashlib
import threading
from pathlib import Path

import pytest
from world import HOME, seen, told

from karma_memory import CorruptJournalError, JournalError, JournalLockedError, Memory, PolicySettings
from karma_memory.encoding import dumps
from karma_memory.journal import open_journal
from karma_memory.journal.backup import back_up, restore
from karma_memory.state.state import MemoryState


def digest(path: Path, until: int | None = None) -> tuple[int, str]:
    """Return how many events a journal has, up to one of them, and a digest of what they make of the memories."""
    state = MemoryState(PolicySettings())
    rows = hashlib.sha256()
    with open_journal(path, read_only=True) as journal:
        last = journal.last_sequence if until is None else until
        for row in journal.rows(0, last):
            rows.update(f"{row.id} {row.body}".encode())
        for entry in journal.read(0, last):
            state.apply(entry.event)
    rows.update(dumps(state.snapshot()).encode())
    return last, rows.hexdigest()


def test_what_is_backed_up_while_it_is_written_is_restored_to_an_equal_digest(tmp_path):
    path, elsewhere = tmp_path / "memory.sqlite3", tmp_path / "elsewhere" / "memory.sqlite3"
    stop, written = threading.Event(), threading.Semaphore(0)
    with Memory(path, embedder="lexical") as memory:
        memory.remember([seen(*HOME)])

        def write():
            number = 0
            while not stop.is_set():
                memory.remember([told(f"statement {number} {'x' * 2000}", float(number), id=f"e{number}")])
                written.release()
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            copies = []
            for number in range(4):
                for _ in range(40):
                    assert written.acquire(timeout=60)
                copies.append(tmp_path / f"copy{number}.sqlite3")
                assert back_up(path, copies[-1]) > 40 * number
        finally:
            stop.set()
            writer.join()
    for copy in copies:
        events, found = digest(copy)
        assert digest(path, events) == (events, found)
        assert restore(copy, elsewhere) == events
        assert digest(elsewhere) == (events, found)
    assert not list(tmp_path.rglob("*.part*"))
    with Memory(elsewhere, embedder="lexical") as memory:
        memory.remember([told("it goes on", 1e6, id="more")])


def test_an_older_backup_takes_the_place_of_all_that_was_made_since(tmp_path):
    path, copy = tmp_path / "memory.sqlite3", tmp_path / "copy.sqlite3"
    with Memory(path, embedder="lexical") as memory:
        memory.remember([told("before", id="a")])
        events = back_up(path, copy)
        memory.remember([told("after", id="b")])
        memory.upkeep.snapshot()
        with pytest.raises(JournalLockedError, match="another process has"):
            restore(copy, path)
    assert restore(copy, path) == events
    assert not list(tmp_path.glob("*snapshot-*"))
    with Memory(path, embedder="lexical") as memory:
        assert memory.record("told:a")
        assert not memory.record("told:b")


def test_nothing_is_replaced_by_what_is_damaged_or_no_journal(tmp_path):
    path, copy = tmp_path / "memory.sqlite3", tmp_path / "copy.sqlite3"
    with Memory(path, embedder="lexical") as memory:
        memory.remember([told(f"statement {i}", float(i), id=f"e{i}") for i in range(100)])
        back_up(path, copy)
    before = digest(path)
    with pytest.raises(JournalError, match="exists"):
        back_up(path, copy)
    with pytest.raises(JournalError, match="own place"):
        restore(path, path)
    data = bytearray(copy.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = bytes(4096)
    copy.write_bytes(data)
    with pytest.raises(CorruptJournalError):
        restore(copy, path)
    with pytest.raises(JournalError, match="does not exist"):
        restore(tmp_path / "missing", path)
    with pytest.raises(JournalError, match="pg_dump"):
        back_up("postgresql://robot@127.0.0.1/home", copy)
    assert digest(path) == before
