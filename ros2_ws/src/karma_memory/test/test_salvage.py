# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Damaged journals, in whatever store: refused with what to do, left as they are, and what is intact is copied."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from journal_store import Store, filled
from world import live, statements, told

from karma_memory import CorruptJournalError, Image, JournalError, salvage
from karma_memory.command import __main__ as command
from karma_memory.encoding import dumps
from karma_memory.journal.sqlite import SqliteJournal

HERE = Path(__file__).resolve().parent
TABLES = ("events", "images", "pictures", "base", "journal")
CHANGED = "UPDATE events SET body = replace(body, 'TOLD', 'EDIT') WHERE sequence = 7"


def contents(store):
    """Return all rows of a journal, and the bytes of its file."""
    rows = {table: sorted(store.execute(f"SELECT * FROM {table}")) for table in TABLES}
    return rows, store.location.read_bytes() if store.is_file else b""


@pytest.fixture
def new(store):
    """Where what is salvaged goes."""
    return Store(store.folder / "new.sqlite3", store.folder)


def salvaged(store, new):
    """Return the report and the ids of the events that were copied; the damaged journal stays as it is."""
    before = contents(store)
    report = salvage(store.location, new.location)
    assert contents(store) == before
    with new.journal() as journal:
        kept = [entry.event for entry in journal.read()]
    assert len(kept) == report.kept
    return report, [event.id for event in kept]


@pytest.mark.parametrize(
    ("damage", "sequence"),
    [
        (CHANGED, 7),
        ("UPDATE events SET stamp = 3.5 WHERE sequence = 5", 5),
        ("UPDATE events SET checksum = checksum + 1 WHERE sequence = 1", 1),
        ("UPDATE events SET id = 'other' WHERE sequence = 19", 19),
        ("DELETE FROM events WHERE sequence = 6", 6),
        ("UPDATE events SET sequence = 30 WHERE sequence = 9", 9),
    ],
    ids=["body", "stamp", "checksum", "id", "missing", "number"],
)
def test_a_damaged_row_is_found_at_the_start_and_the_others_are_salvaged(store, new, damage, sequence):
    filled(store, 20)
    store.execute(damage)
    before = contents(store)
    for opened in (store.journal, store.memory):
        with pytest.raises(CorruptJournalError, match=rf"event {sequence} is damaged or missing|there are 19 events"):
            opened()
    assert contents(store) == before
    report, kept = salvaged(store, new)
    assert kept == [f"e{i}" for i in range(20) if i != sequence - 1]
    assert (report.lost, report.images_lost) == (1, 0)


def test_the_command_that_the_error_names_salvages_the_journal(store, new):
    filled(store, 20)
    store.execute(CHANGED)
    with pytest.raises(CorruptJournalError) as error:
        store.journal()
    named = re.search("with '(python3 -m karma_memory.command salvage .*) NEW_FILE'", str(error.value))
    program = [sys.executable, *shlex.split(named[1])[1:], new.location]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("19 events copied, 1 lost, 0 pictures lost\n", "")


def test_verify_names_what_is_damaged_and_leaves_it(store, capsys):
    filled(store, 20)
    store.execute(CHANGED)
    before = contents(store)
    assert command.main(["verify", str(store.location)]) == 1
    assert "event 7 is damaged" in capsys.readouterr().err
    assert contents(store) == before


def test_what_is_salvaged_goes_into_a_new_store_of_the_same_kind_and_on_from_there(stores, new, store, capsys):
    filled(store, 20)
    store.execute(CHANGED)
    exported, target = store.folder / "exported", stores.new("target")
    for arguments in (
        ("salvage", store.location, new.location),
        ("export", new.location, exported),
        ("import", exported, target.location),
    ):
        assert command.main([str(argument) for argument in arguments]) == 0
    with target.memory() as memory:
        assert memory.remember(statements(20, text="x" * 200)).sequences == (*range(1, 7), 20, *range(7, 20))


def test_a_damaged_picture_is_found_by_verify_and_its_event_is_salvaged_without_it(store, new, capsys):
    red, blue = Image.of("jpeg", b"red"), Image.of("jpeg", b"blue")
    with store.journal() as journal:
        journal.append([told("red", id="r", image=red), told("blue", id="b", image=blue)])
    value = "x'00'" if store.is_file else "'\\x00'"
    store.execute(f"UPDATE images SET data = {value} WHERE sha256 = '{red.sha256}'")
    assert command.main(["verify", str(store.location)]) == 1
    assert f"picture {red.sha256[:12]}… is damaged or missing" in capsys.readouterr().err
    report, kept = salvaged(store, new)
    assert (kept, report.lost, report.images_lost) == (["r", "b"], 0, 1)
    with new.journal() as journal:
        assert (journal.image(red.sha256), journal.image(blue.sha256)) == (None, b"blue")
        assert journal.append([told("red", id="r", image=red), told("red again", image=red)]) == [1, 3]
        assert journal.image(red.sha256) == b"red"


def test_a_picture_that_was_dropped_before_does_not_count_as_lost(store, new):
    looks = [told(f"look {i}", float(i), id=f"look{i}", image=Image.of("jpeg", bytes(100 * i))) for i in range(1, 5)]
    with store.memory(image_bytes=400) as memory:
        for look in looks:
            memory.remember([look])
        assert [memory.image(look.image.sha256) is None for look in looks] == [True, True, True, False]
    report = salvage(store.location, new.location)
    assert (report.kept, report.lost, report.images_lost) == (5, 0, 0)  # with the event of the settings
    with new.memory() as memory:
        assert memory.remember(looks).sequences == (2, 3, 4, 5)


def test_a_compacted_journal_that_is_damaged_is_salvaged_with_its_base(store, new):
    with store.memory() as memory:
        live(memory)
        memory.upkeep.compact(200.5)
        lived = dumps(memory._state.snapshot())
    store.execute("UPDATE events SET checksum = checksum + 1 WHERE id IN ('move7', 'tea')")
    for snapshot in store.folder.glob("*.snapshot-*"):
        snapshot.unlink()
    with pytest.raises(CorruptJournalError):
        store.journal()
    assert salvage(store.location, new.location).lost == 2
    with new.memory() as memory:
        assert dumps(memory._state.snapshot()) == lived
        sequences = [entry.sequence for entry in memory._journal.read(skip_compacted=True)]
        assert sequences[-1] == memory.last_sequence


def test_of_a_compacted_journal_whose_base_is_damaged_the_events_with_content_are_salvaged(store, new):
    with store.memory() as memory:
        live(memory)
        memory.upkeep.compact(200.5)
        known = [entry.event.id for entry in memory._journal.read(skip_compacted=True)]
    store.execute("UPDATE base SET stamp = stamp - 1")
    with pytest.raises(CorruptJournalError, match="the state at event"):
        store.journal()
    _, kept = salvaged(store, new)
    assert kept == known


def test_a_journal_without_a_name_is_salvaged_under_a_new_one(store, new):
    filled(store, 5)
    store.execute("DELETE FROM journal")
    assert salvaged(store, new)[1] == [f"e{i}" for i in range(5)]


def test_what_is_salvaged_is_there_complete_or_not_at_all(store, new, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    filled(store, 20)
    before = sorted(store.folder.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(SqliteJournal, "close", interrupted)
        with pytest.raises(KeyboardInterrupt):
            salvage(store.location, new.location)
    assert sorted(store.folder.iterdir()) == before
    Path(f"{new.location}.part").write_text("of an attempt that was killed")
    salvage(store.location, new.location)
    assert sorted(store.folder.iterdir()) == sorted([*before, new.location])


def test_salvage_writes_no_existing_file_and_needs_a_journal(store, new):
    with pytest.raises(JournalError, match=r"does not exist|holds no journal|no KARMA journal"):
        salvage(store.location, new.location)
    filled(store, 3)
    new.location.write_text("mine")
    with pytest.raises(JournalError, match="exists; salvage writes a new file only"):
        salvage(store.location, new.location)
    assert new.location.read_text() == "mine"
