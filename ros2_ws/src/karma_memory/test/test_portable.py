# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Export to and import from one portable file."""

import gzip
import json
import random
from hashlib import sha256

import pytest
from journal_store import KINDS
from portable_files import imported, lines, rewritten
from world import live, told

from karma_memory import (
    CorruptJournalError,
    DuplicateEventError,
    Image,
    JournalError,
    JournalFullError,
    NewerSchemaError,
)
from karma_memory.journal import (
    BASE_VERSION,
    Imported,
    PortableFile,
    PortableFileError,
    export_journal,
    portable,
)

STATE = {"told": {"statements": []}}
RED, BLUE = Image.of("jpeg", b"\xff\xd8red"), Image.of("png", b"blue")
EVENTS = [
    told("one", id="e1", stamp=5.0, image=RED),
    told("two", id="e2", stamp=4.0, user="ann"),
    told("three", id="e3", image=RED),
    told("four", id="e4", image=BLUE),
]


@pytest.fixture
def journal(stores):
    with stores.new("journal").journal() as journal:
        journal.append(EVENTS)
        yield journal


@pytest.fixture
def exported(journal, tmp_path):
    export_journal(journal, tmp_path / "out.jsonl.gz", STATE)
    return tmp_path / "out.jsonl.gz"


def contents(journal):
    return [
        (entry.sequence, entry.event, entry.event.image and journal.image(entry.event.image.sha256))
        for entry in journal.read()
    ]


def test_the_first_events_of_an_export_make_the_journal_as_it_was(journal, exported, target):
    with PortableFile(exported) as file:
        assert portable.import_journal(file, target, until=3) == Imported(3, 0)
    assert contents(target) == contents(journal)[:3]
    with PortableFile(exported) as file:
        assert portable.import_journal(file, target, until=99) == Imported(1, 3)
    assert contents(target) == contents(journal)


def test_a_new_journal_that_imports_an_export_is_a_copy_of_the_exported_one(journal, exported, target, tmp_path):
    assert imported(exported, target) == Imported(added=4, known=0)
    assert contents(target) == contents(journal)
    assert target.uuid == journal.uuid
    export_journal(target, tmp_path / "again.jsonl.gz", STATE)
    assert (tmp_path / "again.jsonl.gz").read_bytes() == exported.read_bytes()


def test_the_file_holds_every_event_once_in_order_each_picture_once_and_a_checksum(journal, exported):
    header, *body, state, trailer = map(json.loads, lines(exported))
    assert header == {"format": "karma-memory-journal", "version": 1, "journal": journal.uuid, "events": 4}
    assert [line.get("sequence", "picture") for line in body] == ["picture", 1, 2, 3, "picture", 4]
    assert state == {"state": STATE, "version": BASE_VERSION}
    assert trailer == {"sha256": sha256(b"".join(lines(exported)[:-1])).hexdigest()}
    assert exported.read_bytes()[3:8] == b"\0\0\0\0\0"  # RFC 1952: no name (FLG), no time (MTIME)
    with PortableFile(exported) as file:
        assert file.state() == (STATE, BASE_VERSION)


def test_an_export_may_end_before_the_newest_event(journal, other, tmp_path):
    assert export_journal(journal, tmp_path / "out", STATE, until=2) == 2
    imported(tmp_path / "out", other)
    assert contents(other) == contents(journal)[:2]


def test_only_events_that_are_not_known_are_imported_and_the_journal_keeps_its_own(exported, target):
    target.append([told("mine", id="m"), EVENTS[1]])
    uuid = target.uuid
    assert imported(exported, target) == Imported(added=3, known=1)
    assert [entry.event.id for entry in target.read()] == ["m", "e2", "e1", "e3", "e4"]
    assert imported(exported, target) == Imported(added=0, known=4)
    assert target.uuid == uuid


def test_an_import_that_ended_halfway_goes_on_at_the_next_try(journal, exported, target, monkeypatch):
    monkeypatch.setattr(portable, "BATCH", 1)

    def full(done, _):
        if done == 2:
            raise JournalFullError("no room")

    with pytest.raises(JournalFullError):
        imported(exported, target, progress=full)
    assert target.last_sequence == 2
    assert imported(exported, target) == Imported(added=2, known=2)
    assert (contents(target), target.uuid) == (contents(journal), journal.uuid)


def test_an_id_that_stands_for_another_event_is_refused(exported, target):
    target.append([told("something else", id="e4")])
    with pytest.raises(DuplicateEventError, match="'e4' already stands for a different event"):
        imported(exported, target)


def test_progress_is_told_up_to_the_last_event(journal, exported, other, tmp_path):
    told = []
    export_journal(journal, tmp_path / "again", STATE, progress=lambda *done: told.append(done))
    imported(exported, other, progress=lambda *done: told.append(done))
    assert told == [(4, 4), (4, 4)]


def test_an_empty_journal_can_be_exported_and_imported(store, other, tmp_path):
    with store.journal() as journal:
        assert export_journal(journal, tmp_path / "out", {}) == 0
        assert imported(tmp_path / "out", other) == Imported(0, 0)
        assert other.uuid == journal.uuid


def test_an_existing_file_is_overwritten_only_when_that_is_said(journal, tmp_path):
    there = tmp_path / "there"
    there.write_text("mine")
    with pytest.raises(JournalError, match="exists"):
        export_journal(journal, there, STATE)
    assert there.read_text() == "mine"
    export_journal(journal, there, STATE, overwrite=True)
    with PortableFile(there) as file:
        file.verify()


def test_an_export_that_fails_leaves_nothing_behind(journal, tmp_path):
    there = tmp_path / "there"
    there.write_text("mine")
    before = sorted(tmp_path.iterdir())

    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_journal(journal, there, STATE, overwrite=True, progress=interrupted)
    assert sorted(tmp_path.iterdir()) == before
    assert there.read_text() == "mine"
    with pytest.raises(JournalError, match="cannot write"):
        export_journal(journal, tmp_path / "no folder" / "out", STATE)


@pytest.mark.parametrize("seed", range(20))
def test_a_file_with_a_flipped_bit_is_refused_and_nothing_is_imported(exported, other, seed):
    data = bytearray(exported.read_bytes())
    bit = random.Random(seed).randrange(8 * len(data))
    data[bit // 8] ^= 1 << bit % 8
    exported.write_bytes(data)
    try:
        imported(exported, other)
    except PortableFileError:
        assert other.last_sequence == 0
    else:
        assert [
            entry.event for entry in other.read()
        ] == EVENTS  # a bit of gzip's header that says nothing of the contents


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_file_that_is_cut_short_is_refused_and_nothing_is_imported(exported, other, share):
    exported.write_bytes(exported.read_bytes()[: int(share * exported.stat().st_size)])
    with pytest.raises(PortableFileError, match=r"cut short|no exported KARMA journal"):
        imported(exported, other)
    assert other.last_sequence == 0


def damages(body):
    header, picture, first, second, third, *rest = body
    state = rest.pop(-2)
    rest.pop()
    return {
        "an event is missing": [header, picture, first, third, *rest, state],
        "two events changed places": [header, picture, first, third, second, *rest, state],
        "the picture is missing": [header, first, second, third, *rest, state],
        "the picture is another": [header, rest[0], first, second, third, *rest, state],
        "a picture nobody names": [header, picture, first, picture, second, third, *rest, state],
        "the state is missing": [header, picture, first, second, third, *rest],
        "an event too many": [header, picture, first, second, third, *rest, first, state],
        "no event": [header, picture, first, second, third, *rest[:-1], b'{"sequence":4,"event":{"id":""}}\n', state],
        "no object": [header, picture, first, b"[1]\n", third, *rest, state],
        "no text": [header, picture, first, b"\xff\n", third, *rest, state],
    }


def test_a_number_that_is_none_is_damage(exported, other):
    *rest, state, _ = lines(exported)
    rewritten(exported, [*rest, state.replace(b'"version":', b'"version":1e999,"was":')])
    with pytest.raises(PortableFileError, match="damaged"):
        imported(exported, other)


@pytest.mark.parametrize("damage", list(damages([b""] * 10)))
def test_a_file_that_is_not_well_formed_is_refused_though_its_checksum_fits(exported, other, damage):
    rewritten(exported, damages(lines(exported))[damage])
    with pytest.raises(PortableFileError, match=r"damaged|cut short"):
        imported(exported, other)
    assert other.last_sequence == 0


def test_lines_after_the_checksum_are_refused(exported, other):
    rewritten(exported, [*lines(exported), b"{}\n"], sealed=False)
    with pytest.raises(PortableFileError, match="checksum"):
        imported(exported, other)


@pytest.mark.parametrize("foreign", [b"", b"hello", gzip.compress(b"hello\n"), gzip.compress(b'{"format":"other"}\n')])
def test_a_foreign_file_is_refused(other, tmp_path, foreign):
    (tmp_path / "in").write_bytes(foreign)
    with pytest.raises(PortableFileError, match="no exported KARMA journal"):
        imported(tmp_path / "in", other)
    with pytest.raises(PortableFileError, match="cannot read"):
        imported(tmp_path / "nowhere", other)


def test_a_newer_file_is_refused(exported, other):
    header, *rest = lines(exported)
    rewritten(exported, [header.replace(b'"version":1', b'"version":2'), *rest])
    with pytest.raises(NewerSchemaError, match="has version 2"):
        imported(exported, other)


def test_a_flipped_bit_in_the_version_does_not_make_a_newer_file(exported, other):
    header, *rest = lines(exported)
    newer = gzip.compress(b"".join([header.replace(b'"version":1', b'"version":3'), *rest]))
    exported.write_bytes(newer[:-8] + exported.read_bytes()[-8:])  # RFC 1952: CRC-32 and size, of what was written
    with pytest.raises(PortableFileError, match="is damaged"):
        imported(exported, other)


@pytest.mark.parametrize("name", ["/tmp/elsewhere", "../elsewhere", "", "9F2B1F5E3F0A4C578D0E2A6D2B1C7E10"])
def test_a_journal_is_called_by_a_uuid_and_nothing_else(journal, exported, store, other, name):
    header, *rest = lines(exported)[:-1]
    rewritten(exported, [header.replace(journal.uuid.encode(), name.encode()), *rest])
    with pytest.raises(PortableFileError, match="its first line"):
        imported(exported, other)
    store.journal().close()
    store.execute(f"UPDATE journal SET uuid = '{name}'")
    with pytest.raises(CorruptJournalError, match="lost its identity"):
        store.journal()


@pytest.mark.parametrize("before", [None, 200.5], ids=["whole", "compacted"])
def test_a_memory_that_moves_to_another_kind_of_store_and_back_exports_the_same_bytes(stores_of, tmp_path, before):
    first, then = KINDS
    with stores_of(first).new("first").memory() as memory:
        live(memory)
        if before is not None:
            memory.upkeep.compact(before)
        memory.upkeep.export(tmp_path / "first")
    for kind, source, copy in ((then, "first", "second"), (first, "second", "third")):
        store = stores_of(kind).new(copy)
        with store.journal() as journal:
            imported(tmp_path / source, journal)
        with store.memory() as memory:
            memory.upkeep.export(tmp_path / copy)
        assert (tmp_path / copy).read_bytes() == (tmp_path / "first").read_bytes()
