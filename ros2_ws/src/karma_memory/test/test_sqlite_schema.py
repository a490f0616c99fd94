# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Files of older versions are brought to this one, all of it or nothing."""

import sqlite3
from pathlib import Path

import pytest
from journal_store import Store
from old_journals import UUID, make_oldest
from world import outcome, seen, thing, told

from karma_memory import CorruptJournalError, Image, JournalFullError
from karma_memory.command import __main__ as command
from karma_memory.journal import PortableFile, salvage, schema

RED, BLUE = Image.of("png", b"red picture"), Image.of("png", b"blue")
EVENTS = [
    told("hello", 1.0, id="e1"),
    seen(thing("Apple|1"), stamp=2.0, image=RED, id="e2"),
    outcome("PutObject", thing("Mug|1"), stamp=3.0, image=BLUE, id="e3"),
    seen(thing("Apple|1"), stamp=4.0, image=RED, id="e4"),
]


@pytest.fixture
def old(path):
    """A file of version 1."""
    store = Store(path, path.parent)
    make_oldest(store, EVENTS)
    return store


def version(store):
    return store.execute("PRAGMA user_version")[0][0]


def test_a_file_of_version_1_becomes_one_of_this_version_with_all_that_was_in_it(old):
    with old.journal() as journal:
        assert journal.uuid == UUID
        assert [entry.event for entry in journal.read()] == EVENTS
        assert journal.image(RED.sha256) == RED.data
        assert journal.append([told("new", id="e5"), EVENTS[0]]) == [5, 1]
    assert version(old) == schema.SCHEMA_VERSION
    # which picture was remembered last, and how large it is
    assert sorted(old.execute("SELECT sha256, size, sequence FROM pictures")) == sorted(
        [(RED.sha256, 11, 4), (BLUE.sha256, 4, 3)]
    )
    with old.journal() as journal:
        assert journal.last_sequence == 5


def test_a_file_of_version_1_that_is_only_looked_at_stays_as_it_is(old, tmp_path, capsys):
    before = old.location.read_bytes()
    for arguments in (("info",), ("verify",), ("export", tmp_path / "out")):
        assert command.main([arguments[0], str(old.location), *map(str, arguments[1:])]) == 0
    assert "schema     1\n" in capsys.readouterr().out
    assert old.location.read_bytes() == before
    log = Path(f"{old.location}-wal")
    assert not log.exists() or log.stat().st_size == 0
    with PortableFile(tmp_path / "out") as file:
        entries = list(file.entries())
        assert [entry.event for entry in entries] == EVENTS
        assert entries[1].event.image.data == RED.data


def test_a_new_file_has_the_tables_of_one_that_was_brought_to_this_version(old, tmp_path):
    old.journal().close()
    new = Store(tmp_path / "new.sqlite3", tmp_path)
    new.journal().close()
    tables = "SELECT name, type FROM sqlite_master ORDER BY name"
    assert old.execute(tables) == new.execute(tables)


def test_a_file_stays_as_it_is_when_it_cannot_be_brought_to_this_version(old, monkeypatch):
    rows = old.execute("SELECT * FROM events"), old.execute("SELECT * FROM images")
    tables = old.execute("SELECT name FROM sqlite_master")
    with monkeypatch.context() as trouble:
        trouble.setattr(schema, "TABLES_2", (*schema.TABLES_2, "INSERT INTO nowhere VALUES (1)"))
        with pytest.raises(Exception, match="nowhere"):
            old.journal()
    assert version(old) == 1
    assert (old.execute("SELECT * FROM events"), old.execute("SELECT * FROM images")) == rows
    assert old.execute("SELECT name FROM sqlite_master") == tables
    with old.journal() as journal:
        assert journal.last_sequence == 4


def test_a_file_stays_as_it_is_when_the_disk_is_too_full_for_this_version(old, monkeypatch):
    connect = sqlite3.connect

    def on_a_full_disk(*args, **options):
        connection = connect(*args, **options)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    with monkeypatch.context() as disk:
        disk.setattr(sqlite3, "connect", on_a_full_disk)
        with pytest.raises(JournalFullError):
            old.journal()
    assert version(old) == 1
    with old.journal() as journal:
        assert [entry.event for entry in journal.read()] == EVENTS


def test_a_damaged_file_of_version_1_is_not_touched_and_can_be_salvaged(old, tmp_path):
    old.execute("UPDATE events SET body = replace(body, 'hello', 'HELLO') WHERE sequence = 1")
    with pytest.raises(CorruptJournalError, match="event 1 "):
        old.journal(verify=False)
    assert version(old) == 1
    report = salvage(old.location, tmp_path / "new.sqlite3")
    assert (report.kept, report.lost, report.images_lost) == (3, 1, 0)
    with Store(tmp_path / "new.sqlite3", tmp_path).journal() as journal:
        assert [entry.event for entry in journal.read()] == EVENTS[1:]
