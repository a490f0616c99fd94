# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Databases of older versions are brought to this one, all of it or nothing."""

import threading

import psycopg
import pytest
from journal_store import filled
from old_journals import UUID, make_oldest
from world import statements, told

from karma_memory import CorruptJournalError, JournalError, salvage
from karma_memory.command import __main__ as command
from karma_memory.journal import postgres_schema

EVENTS = statements(5)
COLUMNS = (
    "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns "
    "WHERE table_schema = 'karma_journal' ORDER BY table_name, ordinal_position"
)


@pytest.fixture
def old(postgres_store):
    """A database of version 2."""
    make_oldest(postgres_store, EVENTS)
    return postgres_store


def test_a_database_of_version_2_becomes_one_of_this_version_with_all_that_was_in_it(old):
    with old.journal() as journal:
        assert (journal.uuid, journal.schema_version) == (UUID, postgres_schema.VERSION)
        assert [entry.event for entry in journal.read()] == EVENTS
    assert old.execute("SELECT version, last FROM journal") == [(3, 5)]
    with old.journal() as journal:
        assert journal.append([told("new", id="new"), EVENTS[0]]) == [6, 1]
    assert old.execute("SELECT version, last FROM journal") == [(3, 6)]


def test_a_database_of_version_2_that_is_only_looked_at_stays_as_it_is(old, tmp_path, capsys):
    before = old.execute(COLUMNS), old.execute("SELECT * FROM journal")
    for arguments in (("info",), ("verify",), ("export", tmp_path / "out")):
        assert command.main([arguments[0], old.location, *map(str, arguments[1:])]) == 0
    assert "schema     2\n" in capsys.readouterr().out
    assert (old.execute(COLUMNS), old.execute("SELECT * FROM journal")) == before


def test_a_new_database_has_the_tables_of_one_that_was_brought_to_this_version(old, stores_of):
    old.journal().close()
    new = stores_of("postgresql").new("new")
    new.journal().close()
    assert old.execute(COLUMNS) == new.execute(COLUMNS)


def test_a_database_stays_as_it_is_when_it_cannot_be_brought_to_this_version(old, monkeypatch):
    before = old.execute(COLUMNS), old.execute("SELECT * FROM events")
    with monkeypatch.context() as trouble:
        trouble.setattr(postgres_schema, "TABLES_3", (*postgres_schema.TABLES_3, "INSERT INTO nowhere VALUES (1)"))
        with pytest.raises(JournalError, match="nowhere"):
            old.journal()
    assert (old.execute(COLUMNS), old.execute("SELECT * FROM events")) == before
    with old.journal() as journal:
        assert journal.last_sequence == 5


def test_a_damaged_database_of_version_2_is_not_touched_and_can_be_salvaged(old, tmp_path):
    old.execute("DELETE FROM events WHERE sequence = 2")
    before = old.execute(COLUMNS)
    with pytest.raises(CorruptJournalError, match="event 2 "):
        old.journal(verify=False)
    assert old.execute(COLUMNS) == before
    report = salvage(old.location, tmp_path / "new.sqlite3")
    assert (report.kept, report.lost) == (4, 1)


def test_servers_that_bring_a_database_to_this_version_at_the_same_time_do_so_once(old):
    made = []
    threads = [threading.Thread(target=lambda: made.append(old.journal())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [journal.schema_version for journal in made] == [3] * 4
    for journal in made:
        assert journal.append([told("x")])
        journal.close()
    assert old.execute("SELECT last FROM journal") == [(9,)]


def test_a_server_of_version_2_that_goes_on_is_neither_stopped_nor_taken_for_damage(postgres_store):
    """Its appends don't say how many events were committed: the journal's row falls behind."""
    filled(postgres_store, 3)
    with postgres_store.journal() as journal:
        postgres_store.execute("UPDATE journal SET last = 1")
        assert journal.append([told("new", id="new")]) == [4]
    postgres_store.execute("UPDATE journal SET last = 2")
    postgres_store.journal().close()


def test_a_migration_waits_for_the_append_that_is_going_on(old):
    with psycopg.connect(old.location) as connection:
        connection.execute("SELECT uuid FROM karma_journal.journal FOR UPDATE")  # as an append does first
        opened = []
        opening = threading.Thread(target=lambda: opened.append(old.journal()))
        opening.start()
        while not old.execute("SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"):
            pass
        connection.execute(
            "INSERT INTO karma_journal.events SELECT 6, 'late', stamp, body, checksum "
            "FROM karma_journal.events WHERE sequence = 5"
        )
    opening.join()
    opened[0].close()
    assert old.execute("SELECT last FROM journal") == [(6,)]
