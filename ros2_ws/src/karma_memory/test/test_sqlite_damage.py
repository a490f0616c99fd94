# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Files that lost a bit or their end: refused, or nothing is wrong; what was not hit is salvaged; none is written."""

import contextlib
import re
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import home, seen, thing, told

from karma_memory import CorruptJournalError, Image, JournalError, Memory, open_journal, salvage
from karma_memory.encoding import dumps
from karma_memory.journal import write_ahead_log
from karma_memory.journal.checkpoints import Checkpointer
from karma_memory.journal.compacted import is_stub

pytestmark = pytest.mark.slow

TEXT = "what was said "
PICTURES = {i: Image.of("jpeg", bytes([i]) * (1500 * i)) for i in range(1, 5)}
EVENTS = [
    told(TEXT * (i % 6 * 40 + 1), float(i), id=f"e{i}", image=PICTURES.get(i % 12)) for i in range(36)
]  # some take a part of a page, some several pages
SUFFIXES = ("", "-wal")
FAST = "/dev/shm" if Path("/dev/shm").is_dir() else None
damages = settings(max_examples=60, deadline=None, derandomize=True)
places = st.floats(0.0, 1.0, exclude_max=True)


@pytest.fixture(scope="module", params=["closed", "open"])
def files(request, tmp_path_factory):
    """The bytes of a journal's files: after it was closed, or with all of it in a log that was not closed."""
    path = tmp_path_factory.mktemp("good") / "journal.sqlite3"
    with open_journal(path) as journal:
        for event in EVENTS:
            journal.append([event])
        if request.param == "open":
            return contents(path)
    return contents(path)


@pytest.fixture(scope="module")
def noted(files):
    """What the journal noted in its lock file."""
    with laid_out(files) as path, open_journal(path):
        return Path(f"{path}.lock").read_bytes()


class Files(dict):
    """Suffix → bytes."""

    def __repr__(self):
        return ", ".join(f"{len(data)} bytes in {suffix!r}" for suffix, data in self.items())


def contents(path):
    files = {suffix: Path(f"{path}{suffix}") for suffix in SUFFIXES}
    return Files({suffix: data for suffix, file in files.items() if file.exists() and (data := file.read_bytes())})


@contextlib.contextmanager
def laid_out(files):
    with tempfile.TemporaryDirectory(prefix="karma-damage-", dir=FAST) as folder:
        path = Path(folder) / "journal.sqlite3"
        for suffix, data in files.items():
            Path(f"{path}{suffix}").write_bytes(data)
        yield path


def opened(path):
    """Return the events of a journal; None where it is refused, and then not a byte has changed.

    Every event is known again.
    """
    before = contents(path)
    try:
        with open_journal(path) as journal:
            entries = list(journal.read())
            assert journal.append([entry.event for entry in entries]) == [entry.sequence for entry in entries]
            return [entry.event for entry in entries]
    except JournalError as refusal:
        error = refusal
    assert str(path) in str(error)
    assert contents(path) == before
    return None


def salvaged(path):
    """Return the report and the events: all as they were. Not a byte of the damaged files has changed."""
    before = contents(path)
    report = salvage(path, path.with_name("new"))
    assert contents(path) == before
    with open_journal(path.with_name("new")) as journal:
        kept = [entry.event for entry in journal.read()]
        originals = [EVENTS[int(event.id[1:])] for event in kept]
        assert kept == originals
        pictures = [
            (journal.image(original.image.sha256), original.image.data) for original in originals if original.image
        ]
        assert all(data in (None, original) for data, original in pictures)
        assert sum(data is None for data, _ in pictures) == report.images_lost
    assert len(kept) == report.kept
    assert originals == sorted(originals, key=lambda event: event.stamp)
    return report, kept


def flipped(data, where):
    bit = int(where * 8 * len(data))
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@damages
@given(where=places, early=st.booleans())
def test_a_flipped_bit_in_the_database_is_found_or_harmless_and_costs_one_event_or_picture_at_most(files, where, early):
    data = files[""]
    changed = flipped(data[:200], where) + data[200:] if early else flipped(data, where)  # the file's header, often
    with laid_out({**files, "": changed}) as path:
        report, kept = salvaged(path)
        assert report.lost + report.images_lost <= len(PICTURES)  # a picture may be that of several events
        assert len(kept) >= len(EVENTS) - 1
        assert opened(path) in (None, EVENTS)


def test_a_flipped_bit_in_the_index_of_ids_is_found(tmp_path):
    path = tmp_path / "journal.sqlite3"
    with open_journal(path) as journal:
        journal.append([told("x", float(i), id=f"number-{i:04d}") for i in range(200)])
    data = path.read_bytes()
    troubles = []
    for place in re.finditer(b"number-0100", data):  # column, JSON, and index
        path.write_bytes(data[: place.end() - 1] + b"\x31" + data[place.end() :])
        with pytest.raises(CorruptJournalError) as refusal:
            open_journal(path)
        troubles.append(str(refusal.value).partition(" ")[0])
    assert sorted(troubles) == ["event", "event", "the"]  # event 101, the table of events


@damages
@given(where=places)
def test_a_flipped_bit_in_the_log_is_found_unless_it_is_in_the_last_transaction(files, where):
    if "-wal" not in files:
        return
    with laid_out({**files, "-wal": flipped(files["-wal"], where)}) as path:
        _, kept = salvaged(path)
        assert len(kept) >= len(EVENTS) - 1
        assert opened(path) in (None, EVENTS, EVENTS[:-1])


@damages
@given(share=places)
def test_a_database_that_is_cut_short_is_refused_or_complete_and_its_beginning_salvaged(files, share):
    data = files[""]
    with laid_out({**files, "": data[: int(share * len(data))]}) as path:
        salvaged(path)
        empty = path.stat().st_size <= 1 and "-wal" not in files  # of the one byte SQLite says the same
        assert opened(path) in ([[]] if empty else [None, EVENTS])


@damages
@given(share=places)
def test_a_log_that_is_cut_short_is_what_a_power_cut_leaves_where_nothing_says_more_was_committed(files, share):
    if "-wal" not in files:
        return
    with laid_out({**files, "-wal": files["-wal"][: int(share * len(files["-wal"]))]}) as path:
        events = opened(path)
        assert events is None or events == EVENTS[: len(events)]


@damages
@given(share=places, suffix=st.sampled_from(SUFFIXES))
def test_what_is_cut_off_was_committed_says_the_note_beside_the_file(files, noted, share, suffix):
    if suffix not in files:
        return
    cut = files[suffix][: int(share * len(files[suffix]))]
    with laid_out({**files, suffix: cut}) as path:
        Path(f"{path}.lock").write_bytes(noted)
        report, kept = salvaged(path)
        assert report.kept + report.lost == len(EVENTS)
        assert kept == [event for event in EVENTS if event in kept]
        assert opened(path) in (None, EVENTS)


@pytest.mark.parametrize("left", [0.0, 0.25, 0.5, 0.75])
def test_a_log_cut_short_after_a_checkpoint_is_refused_and_what_the_checkpoint_wrote_is_salvaged(
    tmp_path, monkeypatch, left
):
    monkeypatch.setattr(Checkpointer, "note", lambda *_: None)  # it makes no checkpoints, this test does
    path = tmp_path / "journal.sqlite3"
    events = [told(TEXT * 20, float(i), id=f"e{i}") for i in range(400)]
    with open_journal(path) as journal:
        for event in events:
            journal.append([event])
        with contextlib.closing(sqlite3.connect(path)) as other:
            assert other.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[0] == 0
        files = contents(path)
    copy = tmp_path / "copy.sqlite3"
    shutil.copy(f"{path}.lock", f"{copy}.lock")
    for suffix, data in files.items():
        Path(f"{copy}{suffix}").write_bytes(data[: int(left * len(data))] if suffix == "-wal" else data)
    before = contents(copy)
    if left:
        with pytest.raises(CorruptJournalError, match="400 events were committed"):
            open_journal(copy)
        assert contents(copy) == before
    else:  # the file has them all
        with open_journal(copy) as journal:
            assert journal.last_sequence == len(events)
    assert salvage(copy, tmp_path / "new").kept == len(events)


def test_a_file_that_was_emptied_is_refused_and_one_that_was_deleted_is_made_anew(tmp_path):
    path = tmp_path / "journal.sqlite3"
    with open_journal(path) as journal:
        journal.append(EVENTS)
    path.write_bytes(b"")
    with pytest.raises(CorruptJournalError, match=f"{len(EVENTS)} events were committed"):
        open_journal(path)
    path.unlink()
    for count in (3, 6):  # the note is about another journal at first
        with open_journal(path) as journal:
            journal.append(EVENTS[count - 3 : count])
            assert journal.last_sequence == count


@pytest.mark.parametrize("said", [b"", b"\xff" * 80, b"nonsense", b"0 0 0", b"x" * 4096])
def test_a_note_that_says_nothing_is_none(tmp_path, said):
    path = tmp_path / "journal.sqlite3"
    with open_journal(path) as journal:
        journal.append(EVENTS[:3])
    Path(f"{path}.lock").write_bytes(said)
    assert opened(path) == EVENTS[:3]
    assert salvage(path, tmp_path / "new").lost == 0


@pytest.fixture(scope="module")
def compacted(tmp_path_factory):
    """The files of a journal half of whose events have lost their content, and its rows."""
    path = tmp_path_factory.mktemp("compacted") / "journal.sqlite3"
    with Memory(path, embedder="lexical") as memory:
        memory.remember([home(), *EVENTS[:8]])
        memory.remember([seen(thing("Mug|1", seen=float(i)), stamp=float(i), id=f"s{i}") for i in range(10, 60)])
        memory.upkeep.compact(50.0)
    with open_journal(path) as journal:
        rows = list(journal.rows())
    return contents(path), {row.id: row for row in rows}


@damages
@given(where=places)
def test_of_a_compacted_journal_one_event_is_lost_at_most_or_the_state_that_stood_for_the_dropped_ones(
    compacted, where
):
    files, rows = compacted
    with laid_out({**files, "": flipped(files[""], where)}) as path:
        report = salvage(path, path.with_name("new"))
        with open_journal(path.with_name("new")) as journal:
            kept = list(journal.rows())
            whole = len(rows) if journal.base() else sum(not is_stub(row.body) for row in rows.values())
        assert report.kept == len(kept) >= whole - 1
        assert all((row.stamp, row.body) == (rows[row.id].stamp, rows[row.id].body) for row in kept)
        before = contents(path)
        try:
            with open_journal(path) as journal:
                assert {row.id: row for row in journal.rows()} == rows
        except JournalError:
            assert contents(path) == before


def test_the_file_may_be_gone_while_its_log_is_there(files):
    if "-wal" in files:
        with laid_out({"-wal": files["-wal"]}) as path, pytest.raises(CorruptJournalError, match="empty or gone"):
            open_journal(path)


def test_of_a_torn_last_transaction_nothing_is_said_and_of_a_changed_earlier_one_which_frame(files, tmp_path):
    log = tmp_path / "log"
    if "-wal" not in files:
        return
    data = files["-wal"]
    frame = 4096 + 24
    for content, trouble in (
        (data, ""),
        (b"", ""),
        (data[:-100], ""),
        (data[:-frame] + bytes(frame), ""),
        (data[: 32 + 5 * frame] + b"\1" + data[33 + 5 * frame :], "frame 6 of its write-ahead log is damaged"),
        (b"\1" + data[1:], "the beginning of its write-ahead log is damaged"),
        (data[:17] + b"\1" + data[18:], "the beginning of its write-ahead log is damaged"),
    ):
        log.write_bytes(content)
        assert write_ahead_log.damage(log).startswith(trouble) if trouble else not write_ahead_log.damage(log)


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    """The folder of a memory with a snapshot, and its state."""
    folder = tmp_path_factory.mktemp("life")
    with Memory(folder / "memory.sqlite3", embedder="lexical") as memory:
        memory.remember([home(), *EVENTS[:20]])
        memory.upkeep.snapshot()
        return folder, dumps(memory._state.snapshot())


@damages
@given(where=places, cut=st.booleans(), early=st.booleans())
def test_a_snapshot_that_is_damaged_in_any_way_is_passed_over(life, where, cut, early):
    folder, lived = life
    with tempfile.TemporaryDirectory(prefix="karma-damage-", dir=FAST) as place:
        shutil.copytree(folder, place, dirs_exist_ok=True)
        (snapshot,) = Path(place).glob("*.snapshot-*")
        data = snapshot.read_bytes()
        if cut:
            snapshot.write_bytes(data[: int(where * len(data))])
        else:
            snapshot.write_bytes(flipped(data[:300], where) + data[300:] if early else flipped(data, where))
        with Memory(Path(place) / "memory.sqlite3", embedder="lexical") as memory:
            assert dumps(memory._state.snapshot()) == lived


def test_a_file_whose_maker_was_killed_is_made_again(tmp_path):
    """SQLite begins a write-ahead log under a rollback journal, which stays when the process is killed just then."""
    begun, path = tmp_path / "begun.sqlite3", tmp_path / "memory.sqlite3"
    with contextlib.closing(sqlite3.connect(begun, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")  # so that pages are written before the end of the transaction
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE half (text)")
        connection.executemany("INSERT INTO half VALUES (?)", [("x" * 4000,)] * 50)
        for suffix in ("", "-journal"):
            shutil.copy(f"{begun}{suffix}", f"{path}{suffix}")
    with open_journal(path) as journal:
        assert journal.last_sequence == 0
        journal.append(EVENTS[:1])
    with open_journal(path) as journal:
        assert [entry.event for entry in journal.read()] == EVENTS[:1]


def test_salvage_by_a_link_to_the_file_knows_what_was_committed(tmp_path):
    path, link = tmp_path / "journal.sqlite3", tmp_path / "link"
    with open_journal(path) as journal:
        journal.append(EVENTS)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    link.symlink_to(path)
    report = salvage(link, tmp_path / "new")
    assert report.kept + report.lost == len(EVENTS)
