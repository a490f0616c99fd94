# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What only a journal in PostgreSQL does: a connection that can break, notices, a database that was meddled with."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from waiting import DEADLINE, eventually
from world import home, told

from karma_memory import (
    JournalConnectionError,
    JournalError,
    JournalFullError,
    Memory,
    Query,
    open_journal,
)
from karma_memory.command import __main__ as command
from karma_memory.command import copying, journals
from karma_memory.encoding import encode_event
from karma_memory.journal.postgres import PostgresJournal
from karma_memory.journal.postgres_schema import SCHEMA


@pytest.fixture
def store(postgres_store):
    return postgres_store


def test_a_connection_that_broke_while_nothing_was_asked_is_made_anew(store):
    with store.journal() as journal:
        assert journal.append([told("one", id="1")]) == [1]
        store.cut()
        assert journal.append([told("two", id="2")]) == [2]
        assert journal.find("1").sequence == 1


def test_a_connection_that_breaks_in_a_commit_is_an_error_and_loses_nothing_acknowledged(store):
    event = told("two", id="2")
    with store.journal() as journal:
        assert journal.append([told("one", id="1")]) == [1]

        def break_in_a_commit():
            with journal.transaction() as transaction:
                transaction.add([event], [encode_event(event)])
                store.cut()

        with pytest.raises(JournalConnectionError, match="same event ids"):
            break_in_a_commit()
        assert journal.last_sequence == 1
        assert journal.append([event]) == [2]


def lose_the_answer(monkeypatch):
    """Let the connection break after the next commits arrived, before their answers did."""
    transaction = psycopg.Connection.transaction

    @contextlib.contextmanager
    def answerless(self):
        with transaction(self) as begun:
            yield begun
        self.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(psycopg.Connection, "transaction", answerless)


def test_a_commit_whose_answer_was_lost_is_resolved_when_the_events_are_remembered_again(store, monkeypatch):
    event = told("did it arrive?", id="a")
    with store.memory() as memory:
        with monkeypatch.context() as network:
            lose_the_answer(network)
            with pytest.raises(JournalConnectionError, match="same event ids"):
                memory.remember([event])
        assert memory.remember([event, told("new", id="b")]).sequences == (2, 3)
        assert [statement.id for statement in memory._state.told.statements()] == ["a", "b"]


@pytest.mark.parametrize("payload", ["", "hello", "-1", "9" * 5000, "²"])
def test_notices_that_no_memory_server_sent_are_ignored(store, payload):
    with store.journal() as journal:
        waited = []
        waiter = threading.Thread(target=lambda: waited.append(journal.wait(0, DEADLINE)))
        waiter.start()
        eventually(lambda: store.execute("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT coalesce%'"))
        store.execute(f"SELECT pg_notify('{SCHEMA}', '{payload}')")
        with store.journal() as other:
            other.append([told("x")])
        waiter.join()
        assert waited == [True]


def test_asking_goes_on_while_the_database_does_not_answer(store):
    with store.memory() as memory:
        memory.remember([home()])
        with memory._journal._reader.use():  # as when a connection hangs
            asked = threading.Thread(target=memory.stats)
            asked.start()
            time.sleep(0.05)  # for it to get there
            assert memory.recall(Query("the apple")).recollections
            assert memory.scene_graph().node("Apple|1") is not None
        asked.join()


def test_room_is_given_back_while_somebody_appends(store):
    with store.journal() as journal:
        with ThreadPoolExecutor(1) as other, journal.transaction() as transaction:
            transaction.add([told("a", id="a")], [encode_event(told("a", id="a"))])
            other.submit(journal.reclaim).result(timeout=60.0)
        assert journal.sequence_of("a") == 1


def test_a_database_that_was_put_back_is_noticed(store):
    with store.memory() as memory:
        memory.remember([told("one"), told("two")])
        store.lose_after(2)
        with pytest.raises(JournalError, match="put back to an older state"):
            memory.remember([told("three")])


def test_a_database_that_holds_another_journal_now_is_refused(store):
    with store.journal() as journal:
        store.execute("UPDATE journal SET uuid = 'another'")
        with pytest.raises(JournalError, match="holds another journal now"):
            journal.append([told("x")])


def test_a_schema_of_that_name_that_is_no_journal_is_refused(store):
    with psycopg.connect(store.location) as connection:
        connection.execute("CREATE SCHEMA karma_journal")
    with pytest.raises(JournalError, match="no KARMA journal"):
        store.journal()


def test_a_database_that_cannot_store_every_text_is_refused(postgres, tmp_path):
    location = postgres.create("latin", "ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(JournalError, match="ENCODING 'UTF8'"):
        open_journal(location, folder=tmp_path)


def test_a_server_that_is_not_there_is_an_error_that_tells_no_password(tmp_path):
    location = f"postgresql://karma:secret@/home?host={tmp_path}"
    with pytest.raises(JournalConnectionError, match="See that the server runs") as error:
        open_journal(location, folder=tmp_path)
    assert "secret" not in str(error.value)


def test_commits_are_synchronous_whatever_the_servers_default_is(postgres, tmp_path):
    location = postgres.create("careless")
    with psycopg.connect(location) as connection:
        connection.execute("ALTER DATABASE careless SET synchronous_commit = off")
    with open_journal(location, folder=tmp_path) as journal, journal._writer.use() as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)


def test_a_full_disk_is_reported_and_loses_nothing(store, monkeypatch):
    with store.journal() as journal:
        journal.append([told("one", id="1")])

        def refuse(self, rows, images):
            raise psycopg.errors.DiskFull("could not extend file: No space left on device")

        with monkeypatch.context() as disk:
            disk.setattr("karma_memory.journal.postgres.PostgresTransaction._insert", refuse)
            with pytest.raises(JournalFullError, match="free some space"):
                journal.append([told("two", id="2")])
        assert journal.append([told("two", id="2")]) == [2]


def test_what_is_read_and_waited_for_ends_when_the_journal_is_closed(store):
    journal = store.journal()
    journal.append([told(f"{i}") for i in range(3000)])
    reading = journal.read()
    next(reading)
    waited = []
    waiter = threading.Thread(target=lambda: waited.append(journal.wait(3000, DEADLINE)))
    waiter.start()
    journal.close()
    waiter.join()
    assert waited in ([False], [])
    with pytest.raises(JournalError, match="is closed"):
        list(reading)


def test_local_files_lie_in_a_folder_of_the_journals_own(store, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with PostgresJournal(store.location) as journal:
        assert journal.path == tmp_path / ".karma" / journal.uuid / "journal"
        assert not (tmp_path / ".karma").exists()  # made by a memory, not by looking at a journal
    with Memory(store.location, embedder="lexical") as memory:
        assert memory.path.parent.is_dir()


def test_a_folder_that_cannot_be_made_is_refused(store, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot make the folder"):
        Memory(store.location, folder=tmp_path / "file" / "inside", embedder="lexical")


def test_what_others_remember_during_an_export_is_not_in_it(store, tmp_path, capsys, monkeypatch):
    with store.memory() as memory:
        memory.remember([home(), told("hello", 2.0, id="t1")])
        opened = open_journal(store.location, folder=store.folder)
        monkeypatch.setattr(journals, "open_journal", lambda *_, **__: opened)
        replay = copying.replayed

        def meanwhile(*arguments):
            state = replay(*arguments)
            memory.remember([told("meanwhile", 3.0)])
            return state

        with monkeypatch.context() as others:
            others.setattr(copying, "replayed", meanwhile)
            assert command.main(["export", store.location, str(tmp_path / "out")]) == 0
            assert capsys.readouterr().out.startswith("3 events exported")
        assert memory.last_sequence == 4
    assert command.main(["verify", str(tmp_path / "out")]) == 0
