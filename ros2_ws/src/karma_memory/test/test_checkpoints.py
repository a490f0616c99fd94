# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A write-ahead log that is moved to the database file beside the work, and pages that are given back."""

import sqlite3
from contextlib import closing

import pytest
from journal_store import Store
from waiting import eventually
from world import HOME, seen, thing, told

from karma_memory.journal import checkpoints, sqlite

FIRST_PAGES = 5 * 4096
"""Bytes of the tables before there is much in them."""


@pytest.fixture
def store(path):
    return Store(path, path.parent)


def size(path):
    """Return the bytes of the database file itself; of an empty one less than FIRST_PAGES."""
    return path.stat().st_size


def pragma(path, name):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def live(memory, moves=400):
    for part in range(0, moves, 20):
        moved = [thing("Mug|1", (float(i), 0.0, 1.0), seen=float(i)) for i in range(part, part + 20)]
        memory.remember([seen(*HOME, mug, stamp=mug.last_seen) for mug in moved])
    memory.remember([told("now", 1000.0)])


def test_what_was_committed_reaches_the_file_though_no_commit_puts_it_there(store, path, monkeypatch):
    monkeypatch.setattr(checkpoints, "LOG_BYTES", 100_000)
    with store.journal() as journal:
        for i in range(50):
            journal.append([told("x" * 1000, id=f"t{i}")])
        eventually(lambda: size(path) > 50_000)
        assert journal.last_sequence == 50


def test_the_log_does_not_grow_though_somebody_always_writes(store, path, monkeypatch):
    monkeypatch.setattr(checkpoints, "LOG_BYTES", 200_000)
    log = path.with_name(path.name + "-wal")
    with store.journal() as journal:
        for i in range(1500):  # 20 MB of pages
            journal.append([told("x" * 1000, id=f"t{i}")])
        assert log.stat().st_size < 10_000_000


def test_a_checkpoint_that_fails_is_logged_and_tried_again(store, path, monkeypatch, caplog):
    monkeypatch.setattr(checkpoints, "LOG_BYTES", 1)
    with store.journal() as journal:
        connect = journal._checkpointer._connect
        failures = [sqlite3.OperationalError("no room")]

        def once_broken():
            if failures:
                raise failures.pop()
            return connect()

        journal._checkpointer._connect = once_broken
        journal.append([told("one")])
        assert size(path) < FIRST_PAGES
        eventually(lambda: "not moved yet: no room" in caplog.text)
        journal.append([told("two", id="t2")])
        eventually(lambda: size(path) >= FIRST_PAGES)


def test_pages_are_given_back_few_at_a_time(store, path, monkeypatch):
    monkeypatch.setattr(sqlite, "RECLAIMED_TOGETHER", 5)
    with store.memory() as memory:
        live(memory)
        statements, before = [], memory._journal.size_bytes
        memory._journal._writer.set_trace_callback(statements.append)
        memory.upkeep.compact(999.0)
        steps = sum("incremental_vacuum(5)" in statement for statement in statements)
        assert 5 < steps < before / 4096 / 4  # more than one page each
        assert not any("VACUUM" in statement for statement in statements)
        assert memory._journal.size_bytes < before / 2
    with store.journal() as journal:
        journal.verify()


def test_a_file_of_an_older_version_is_written_anew_once_and_gives_pages_back_from_then_on(store, path):
    with store.memory() as memory:
        live(memory)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA auto_vacuum = NONE")
        connection.execute("VACUUM")
    assert pragma(path, "auto_vacuum") == 0
    with store.memory() as memory:
        before = memory._journal.size_bytes
        memory.upkeep.compact(999.0)
        assert memory._journal.size_bytes < before / 2
        assert memory.remember([told("later", 1001.0)]).sequences == (memory.last_sequence,)
    assert pragma(path, "auto_vacuum") == sqlite.INCREMENTAL
    with store.journal() as journal:
        journal.verify()
