# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What only a journal in an SQLite file does: one writer, a write-ahead log, a file that can be damaged."""

import random
import sqlite3

import pytest
from journal_store import filled
from world import HOME, seen, statements, thing, told

from karma_memory import (
    CorruptJournalError,
    JournalError,
    JournalFullError,
    JournalLockedError,
    Memory,
    open_journal,
    salvage,
)
from karma_memory.command import __main__ as command
from karma_memory.journal import PortableFile


@pytest.fixture
def file(file_store):
    return file_store


@pytest.fixture
def path(file_store):
    return file_store.location


def test_every_commit_is_synchronous_and_the_log_is_written_ahead(path):
    with open_journal(path) as journal:
        assert journal._writer.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert journal._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_second_writer_is_refused(path):
    with open_journal(path), pytest.raises(JournalLockedError, match="another process has"):
        open_journal(path)
    open_journal(path).close()


def test_two_names_of_one_file_are_one_journal(path, tmp_path):
    link = tmp_path / "link.sqlite3"
    link.symlink_to(path)
    with open_journal(path), pytest.raises(JournalLockedError):
        open_journal(link)


def test_a_file_that_became_read_only_is_an_error_that_says_what_to_do(path):
    with open_journal(path) as journal:
        journal.append(statements(2))
        journal._writer.execute("PRAGMA query_only = ON")
        with pytest.raises(JournalError, match="the right to write"):
            journal.append(statements(3))
        assert journal.last_sequence == len(list(journal.read())) == 2


def test_a_full_disk_is_reported_and_loses_nothing(path):
    with open_journal(path) as journal:
        journal.append(statements(10))
        pages = journal._writer.execute("PRAGMA page_count").fetchone()[0]
        journal._writer.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(JournalFullError, match="free some space"):
            journal.append(statements(200, "big", text="x" * 1000))
        assert journal.last_sequence == 10
        assert journal.append([told("small", id="small")]) == [11]
    with open_journal(path) as journal:
        assert journal.last_sequence == 11


def test_another_database_is_refused_and_left_as_it_is(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="no KARMA journal"):
        open_journal(path)
    assert path.read_bytes() == before


def test_garbage_is_refused_and_left_as_it_is(path):
    path.write_bytes(b"this is not a database, but long enough to look like a file" * 20)
    before = path.read_bytes()
    with pytest.raises(CorruptJournalError, match="python3 -m"):
        open_journal(path)
    assert path.read_bytes() == before


def test_a_damaged_name_in_the_schema_is_refused_and_left_as_it_is(path):
    open_journal(path).close()
    damaged = path.read_bytes().replace(b"CREATE TABLE images", b"DREATE TABLE images").replace(b"images", b"\xbbmages")
    path.write_bytes(damaged)
    with pytest.raises(CorruptJournalError):
        open_journal(path)
    assert path.read_bytes() == damaged


def test_a_journal_whose_making_was_cut_short_is_made_again(path):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert path.stat().st_size > 0
    with open_journal(path) as journal:
        assert journal.append(statements(1)) == [1]


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bits_are_found_or_harmless_and_never_written_over(path, file, tmp_path, seed):
    filled(file)
    rng = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(40):
        data[rng.randrange(4096, len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    try:
        with open_journal(path) as journal:
            found = [entry.event.id for entry in journal.read()]
    except CorruptJournalError:
        assert path.read_bytes() == bytes(data)
        report = salvage(path, tmp_path / "new.sqlite3")
        assert path.read_bytes() == bytes(data)
        with open_journal(tmp_path / "new.sqlite3") as journal:
            kept = list(journal.read())
        assert len(kept) == report.kept > 0
        assert all(entry.event == statements(300, text="x" * 200)[int(entry.event.id[1:])] for entry in kept)
    else:
        assert found == [f"e{i}" for i in range(300)]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_file_is_refused_and_its_intact_part_is_salvaged(path, file, tmp_path, share):
    filled(file)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    cut = path.read_bytes()
    with pytest.raises(CorruptJournalError, match="python3 -m"):
        open_journal(path)
    assert path.read_bytes() == cut
    salvage(path, tmp_path / "new.sqlite3")
    assert path.read_bytes() == cut
    with open_journal(tmp_path / "new.sqlite3") as journal:
        for entry in journal.read():
            assert entry.event == statements(300, text="x" * 200)[int(entry.event.id[1:])]


def test_a_path_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="give another path"):
        open_journal(tmp_path / "file" / "memory.sqlite3")


def test_an_empty_file_that_is_only_looked_at_stays_empty(path):
    path.touch()
    with pytest.raises(JournalError, match="no KARMA journal"):
        open_journal(path, read_only=True)
    assert path.read_bytes() == b""


def test_a_newer_file_is_left_as_it_is_to_the_last_byte(path, file):
    filled(file, 3)
    file.set_version(99)
    before = path.read_bytes()
    with pytest.raises(JournalError, match="schema version 99"):
        open_journal(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("events", "things"), [(60, 40), (1000, 1)], ids=["large rows", "small rows"])
def test_the_file_shrinks_when_much_of_it_was_dropped(file_store, events, things):
    mugs = [[thing(f"Mug|{j}", seen=i * 0.01) for j in range(things)] for i in range(1, events)]
    with file_store.memory() as memory:
        memory.remember([seen(*HOME, *seen_now, stamp=seen_now[0].last_seen) for seen_now in mugs])
        memory.remember([told("now", 100.0)])
        before = memory._journal.size_bytes
        memory.upkeep.compact(99.0)
        assert memory._journal.size_bytes < before / 2


def test_a_journal_that_the_memory_server_has_open_is_only_read_by_the_command_line(file, tmp_path, capsys):
    filled(file, 3)
    command.main(["export", str(file.location), str(tmp_path / "out")])
    with file.memory() as memory:
        for number, arguments in enumerate((("info",), ("verify",), ("export", tmp_path / "x"))):
            memory.remember([told(f"one more {number}", float(number))])
            name, *more = map(str, arguments)
            assert command.main([name, str(file.location), *more]) == 0, capsys.readouterr().err
        with PortableFile(tmp_path / "x") as exported:
            assert exported.events == memory.last_sequence
        for arguments in (("import", tmp_path / "out", file.location), ("compact", file.location, "1d")):
            assert command.main([str(argument) for argument in arguments]) == 1
            assert "another process has" in capsys.readouterr().err


def test_who_reads_beside_a_writer_sees_the_journal_as_it_was_when_opened(path):
    with Memory(path, embedder="lexical") as memory:
        memory.remember([seen(*HOME)])
        with open_journal(path, read_only=True) as reader:
            before = list(reader.read())
            for number in range(50):
                memory.remember([seen(*HOME, thing("Mug|1", seen=number + 1.0), stamp=number + 1.0)])
            memory.upkeep.compact(40.0)
            assert list(reader.read()) == before
            reader.verify()
        with open_journal(path, read_only=True) as reader:
            assert reader.last_sequence == memory.last_sequence
            reader.verify()
