# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from journal_store import Store
from world import told

from karma_memory import (
    CorruptJournalError,
    DuplicateEventError,
    Event,
    EventKind,
    Image,
    InvalidEventError,
    JournalError,
    JournalFullError,
    JournalLockedError,
    NewerSchemaError,
    open_journal,
    salvage,
)

HERE = Path(__file__).resolve().parent


def events(count, prefix="e", text="something was said"):
    return [Event(f"{prefix}{i}", EventKind.TOLD, float(i), text=f"{text} {i}") for i in range(count)]


def filled(store, count=300):
    with store.journal() as journal:
        journal.append(events(count, text="x" * 200))


@pytest.fixture
def file(path):
    """A journal that is a file."""
    return Store(path, path.parent)


def test_appended_events_are_read_back_in_order_after_reopening(store):
    with store.journal() as journal:
        assert journal.append(events(3)) == [1, 2, 3]
        assert journal.append(events(2, "f")) == [4, 5]
    with store.journal() as journal:
        assert journal.last_sequence == 5
        assert [entry.event for entry in journal.read()] == events(3) + events(2, "f")
        assert [entry.sequence for entry in journal.read(1, 4)] == [2, 3, 4]
        assert [entry.event.id for entry in journal.read(at=1.0)] == ["e0", "e1", "f0", "f1"]
        assert journal.find("f1").sequence == 5
        assert journal.find("nobody") is None


def test_every_commit_is_synchronous_and_the_log_is_written_ahead(path):
    with open_journal(path) as journal:
        assert journal._writer.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert journal._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_an_event_that_is_remembered_again_keeps_its_sequence(store):
    with store.journal() as journal:
        first = told("hello", id="a", stamp=1.0)
        assert journal.append([first, first]) == [1, 1]
        assert journal.append([told("other", id="b"), first]) == [2, 1]
        filled_in = told("hello", id="a", stamp=2.0, scene="where the robot is now")  # by the server, at the second try
        assert journal.append([filled_in]) == [1]
        assert journal.last_sequence == 2


def test_an_id_that_stands_for_another_event_refuses_the_whole_batch(store):
    with store.journal() as journal:
        journal.append([told("hello", id="a")])
        with pytest.raises(DuplicateEventError, match="'a' already stands for a different event"):
            journal.append([told("new", id="b"), told("bye", id="a")])
        assert journal.last_sequence == 1
        assert journal.append([told("new", id="b")]) == [2]


def test_a_picture_is_stored_once_and_found_by_its_content(store):
    image = Image.of("jpeg", b"\xff\xd8picture")
    with store.journal() as journal:
        journal.append([told("one", image=image), told("two", image=image)])
        assert store.execute("SELECT count(*) FROM images") == [(1,)]
        assert journal.image(image.sha256) == b"\xff\xd8picture"
        assert journal.image("0" * 64) is None
        assert [entry.event.image for entry in journal.read()] == [image, image]
        with pytest.raises(InvalidEventError, match="without its bytes"):
            journal.append([told("three", image=Image("png", "1" * 64))])
        assert journal.last_sequence == 2


def test_threads_append_without_losing_or_mixing_events(store):
    with store.journal() as journal:
        sequences: dict[str, list[int]] = {}

        def work(name):
            sequences[name] = [journal.append([event])[0] for event in events(25, name)]

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(number for numbers in sequences.values() for number in numbers) == list(range(1, 101))
        assert all(numbers == sorted(numbers) for numbers in sequences.values())
        assert len({entry.event.id for entry in journal.read()}) == 100


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
        journal.append(events(2))
        journal._writer.execute("PRAGMA query_only = ON")
        with pytest.raises(JournalError, match="the right to write"):
            journal.append(events(3))
        assert journal.last_sequence == len(list(journal.read())) == 2


def test_reading_ends_with_an_error_when_the_journal_is_closed_meanwhile(store):
    journal = store.journal()
    journal.append(events(2500))
    reading = journal.read()
    assert next(reading).sequence == 1
    journal.close()
    with pytest.raises(JournalError, match="is closed"):
        list(reading)


def test_a_full_disk_is_reported_and_loses_nothing(path):
    with open_journal(path) as journal:
        journal.append(events(10))
        pages = journal._writer.execute("PRAGMA page_count").fetchone()[0]
        journal._writer.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(JournalFullError, match="free some space"):
            journal.append(events(200, "big", text="x" * 1000))
        assert journal.last_sequence == 10
        assert journal.append([told("small", id="small")]) == [11]
    with open_journal(path) as journal:
        assert journal.last_sequence == 11


def test_a_newer_file_is_refused_and_left_as_it_is(path, file):
    filled(file, 3)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NewerSchemaError, match="schema version 99"):
        open_journal(path)
    assert path.read_bytes() == before


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


def test_a_journal_whose_making_was_cut_short_is_made_again(path):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert path.stat().st_size > 0
    with open_journal(path) as journal:
        assert journal.append(events(1)) == [1]


def test_a_changed_row_is_found_at_the_start(store):
    filled(store, 20)
    store.execute("UPDATE events SET body = replace(body, 'TOLD', 'EDIT') WHERE sequence = 7")
    with pytest.raises(CorruptJournalError, match="event 7 is damaged"):
        store.journal()


def test_a_changed_row_is_found_at_the_start_and_the_others_are_salvaged(path, file, tmp_path):
    filled(file, 20)
    file.execute("UPDATE events SET body = replace(body, 'TOLD', 'EDIT') WHERE sequence = 7")
    with pytest.raises(CorruptJournalError, match="event 7 "):
        open_journal(path)
    report = salvage(path, tmp_path / "new.sqlite3")
    assert (report.kept, report.lost) == (19, 1)
    with open_journal(tmp_path / "new.sqlite3") as journal:
        assert [entry.event.id for entry in journal.read()] == [f"e{i}" for i in range(20) if i != 6]


def test_the_command_that_the_error_names_salvages_the_journal(path, file):
    filled(file, 20)
    file.execute("UPDATE events SET body = replace(body, 'TOLD', 'EDIT') WHERE sequence = 7")
    with pytest.raises(CorruptJournalError) as error:
        open_journal(path)
    command = str(error.value).split("'")[1].replace("NEW_FILE", str(path.with_name("new"))).split()
    command[0] = sys.executable
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "19 events copied, 1 lost, 0 pictures lost\n"
    assert done.stderr == ""
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "new file only" in again.stderr


def test_a_missing_row_is_found_at_the_start(store):
    filled(store, 20)
    store.execute("DELETE FROM events WHERE sequence = 5")
    with pytest.raises(CorruptJournalError, match=r"event 5 |there are 19 events, but the last has the number 20"):
        store.journal()


@pytest.mark.parametrize("seed", range(8))
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
        assert all(entry.event == events(300, text="x" * 200)[int(entry.event.id[1:])] for entry in kept)
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
            assert entry.event == events(300, text="x" * 200)[int(entry.event.id[1:])]


def test_salvage_writes_no_existing_file(path, file, tmp_path):
    filled(file, 3)
    (tmp_path / "there").write_text("mine")
    with pytest.raises(JournalError, match="exists"):
        salvage(path, tmp_path / "there")
    assert (tmp_path / "there").read_text() == "mine"
    with pytest.raises(JournalError, match="does not exist"):
        salvage(tmp_path / "nowhere", tmp_path / "new")


def test_a_closed_journal_says_so(store):
    journal = store.journal()
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="is closed"):
        journal.append(events(1))


def test_a_path_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="give another path"):
        open_journal(tmp_path / "file" / "memory.sqlite3")


def test_a_writer_killed_at_random_instants_loses_no_acknowledged_event(store):
    """SIGKILL under load, several times on one file: what was printed as acknowledged is there, once, in its place."""
    rng = random.Random(7)
    acknowledged: dict[str, int] = {}
    for run in range(6):
        environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
        command = [sys.executable, HERE / "journal_writer.py", store.location, store.folder, f"run{run}"]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(rng.uniform(0.0, 0.3))
        writer.kill()
        output, _ = writer.communicate()
        complete = output[: output.rfind(b"\n") + 1].decode()
        for line in complete.splitlines():
            sequence, event_id = line.split()
            acknowledged[event_id] = int(sequence)
        with store.journal() as journal:
            stored = {entry.event.id: entry.sequence for entry in journal.read()}
            assert len(stored) == journal.last_sequence
        assert acknowledged.items() <= stored.items()
    assert len(acknowledged) > 50


def test_an_id_that_is_added_twice_is_no_damage(store):
    filled(store, 2)

    def add_twice(journal):
        with journal.transaction() as transaction:
            for stamp in (1.0, 2.0):
                transaction.add_stub("twice", stamp, "{}")

    with store.journal() as journal:
        with pytest.raises(JournalError, match="events") as refusal:
            add_twice(journal)
        assert refusal.type is JournalError
        assert journal.last_sequence == 2


def test_a_journal_that_is_only_read_stays_as_it_is_and_none_is_made(store, path):
    with pytest.raises(JournalError, match=r"does not exist|holds no journal"):
        store.journal(read_only=True)
    if store.location == path:
        path.touch()
        with pytest.raises(JournalError, match="no KARMA journal"):
            store.journal(read_only=True)
        assert path.read_bytes() == b""
    filled(store, 2)
    with store.journal(read_only=True) as journal:
        assert journal.last_sequence == len(list(journal.read())) == 2
        journal.verify()
        for change in (lambda: journal.append(events(3)), lambda: journal.adopt(journal.uuid), journal.reclaim):
            with pytest.raises(JournalError, match="for reading only"):
                change()
