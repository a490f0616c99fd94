# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Export to and import from one portable file."""

import gzip
import json
import random
from hashlib import sha256
from itertools import islice

import pytest
from journal_store import KINDS
from world import home, live, seen, thing, told

from karma_memory import (
    CorruptJournalError,
    DuplicateEventError,
    Image,
    JournalError,
    JournalFullError,
    NewerSchemaError,
)
from karma_memory.encoding import dumps
from karma_memory.journal import (
    BASE_VERSION,
    Imported,
    PortableFile,
    PortableFileError,
    export_journal,
    import_journal,
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


@pytest.fixture
def other(stores):
    """An empty journal of the same kind."""
    with stores.new("other").journal() as other:
        yield other


@pytest.fixture(params=KINDS)
def elsewhere(request, stores_of):
    """An empty store of each kind, whatever kind that has which was exported."""
    return stores_of(request.param).new("elsewhere")


@pytest.fixture
def target(elsewhere):
    with elsewhere.journal() as target:
        yield target


def imported(path, journal, **options):
    with PortableFile(path) as file:
        return import_journal(file, journal, **options)


def lines(path):
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)


def rewritten(path, new, *, sealed=True):
    """Write other lines to a file, with a checksum that fits them."""
    body = b"".join(new)
    seal = json.dumps({"sha256": sha256(body).hexdigest()}).encode() + b"\n" if sealed else b""
    path.write_bytes(gzip.compress(body + seal))


def contents(journal):
    return [
        (entry.sequence, entry.event, entry.event.image and journal.image(entry.event.image.sha256))
        for entry in journal.read()
    ]


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
        assert file.state() == STATE


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


@pytest.fixture
def compacted(stores, tmp_path):
    """The export of a journal that lost the content of events and the bytes of a picture, and its state."""
    store = stores.new("compacted")
    with store.memory(image_bytes=5) as memory:
        memory.remember([home(), told("one", 1.0, id="one", image=Image.of("jpeg", b"first"))])
        memory.remember([told("two", 2.0, id="two", image=Image.of("jpeg", b"other"))])
        memory.remember([told("three", 2.5, id="three", image=Image("jpeg", sha256(b"first").hexdigest()))])
        memory.remember([seen(thing("Mug|1", seen=float(i)), stamp=float(i)) for i in range(3, 20)])
        memory.compact(15.0)
        memory.export(tmp_path / "exported")
        lived = memory._state.snapshot()
    with store.journal() as journal:
        assert journal.last_sequence - len(list(journal.read(skip_compacted=True))) > 5
        assert journal.image(sha256(b"first").hexdigest()) is None
    return tmp_path / "exported", lived


def test_a_compacted_journal_is_copied_with_what_is_left_of_it(compacted, elsewhere, tmp_path):
    exported, lived = compacted
    with elsewhere.journal() as target:
        assert imported(exported, target).left_out == 0
        target.verify()
    with elsewhere.memory(image_bytes=5) as memory:
        assert dumps(memory._state.snapshot()) == dumps(lived)
        memory.export(tmp_path / "again")
        assert memory.image(sha256(b"other").hexdigest()) == b"other"
    assert (tmp_path / "again").read_bytes() == exported.read_bytes()


@pytest.mark.parametrize("before", [None, 200.5], ids=["whole", "compacted"])
def test_a_memory_that_moves_to_another_kind_of_store_and_back_exports_the_same_bytes(stores_of, tmp_path, before):
    first, then = KINDS
    with stores_of(first).new("first").memory() as memory:
        live(memory)
        if before is not None:
            memory.compact(before)
        memory.export(tmp_path / "first")
    for kind, source, copy in ((then, "first", "second"), (first, "second", "third")):
        store = stores_of(kind).new(copy)
        with store.journal() as journal:
            imported(tmp_path / source, journal)
        with store.memory() as memory:
            memory.export(tmp_path / copy)
        assert (tmp_path / copy).read_bytes() == (tmp_path / "first").read_bytes()


def killed_import(path, journal, last):
    """Import with a process that is killed after it read the event `last`."""
    with PortableFile(path) as file:
        file.verify()
        items = file.items()

        def until_killed():
            yield from islice(items, last)
            raise KeyboardInterrupt

        file.items = until_killed
        with pytest.raises(KeyboardInterrupt):
            import_journal(file, journal)


@pytest.mark.parametrize(("killed", "left"), [(20, 20), (9, 0)], ids=["after the horizon", "before the horizon"])
def test_a_copy_of_a_compacted_journal_that_ended_halfway_opens_and_goes_on(
    compacted, store, monkeypatch, killed, left
):
    exported, lived = compacted
    monkeypatch.setattr(portable, "BATCH", 2)
    with store.journal() as target:
        killed_import(exported, target, killed)
    with store.journal() as target:
        assert target.last_sequence == left
        assert (target.base() is not None) == (left > 0)
        imported(exported, target)
    with store.memory(image_bytes=5) as memory:
        assert dumps(memory._state.snapshot()) == dumps(lived)


@pytest.mark.parametrize("killed", [20, 9], ids=["after the horizon", "before the horizon"])
def test_what_is_remembered_after_a_copy_ended_halfway_stays(compacted, store, monkeypatch, killed):
    exported, _ = compacted
    monkeypatch.setattr(portable, "BATCH", 2)
    with store.journal() as target:
        killed_import(exported, target, killed)
    with store.memory() as memory:
        memory.remember([told("the key hangs by the door", 30.0, id="key")])
    with store.journal() as target:
        imported(exported, target)
    with store.memory() as memory:
        assert {"told:key", "told:two"} <= memory._state.index.records.keys()


def test_a_state_at_an_event_that_is_not_there_is_refused(compacted, store, other):
    exported, _ = compacted
    header, base, *rest = lines(exported)[:-1]
    rewritten(exported, [header, base.replace(b'"sequence":', b'"sequence":9'), *rest])
    with pytest.raises(PortableFileError, match=r"the state at event 9\d+ is there, but only"):
        imported(exported, other)
    with store.memory() as memory:
        memory.remember([told("one", 1.0), told("two", 2.0), told("three", 3.0)])
        memory.compact(2.5)
    store.lose_after(2)
    for verify in (True, False):
        with pytest.raises(CorruptJournalError, match="the state at event 3 is there, but only 2 events are"):
            store.memory(verify=verify)


def test_an_export_that_ends_before_the_horizon_is_refused(store, tmp_path):
    with store.memory() as memory:
        live(memory)
        memory.compact(200.5)
    with store.journal() as journal, pytest.raises(JournalError, match="compacted beyond event 7"):
        export_journal(journal, tmp_path / "early", STATE, until=7)
    assert not (tmp_path / "early").exists()


def test_what_lost_its_content_cannot_be_added_to_another_journal(compacted, target):
    exported, _ = compacted
    target.append([told("mine", id="mine")])
    report = imported(exported, target)
    assert report.left_out > 5
    assert {"mine", "one", "two", "three"} <= {entry.event.id for entry in target.read()}
    assert target.last_sequence == 1 + report.added
    assert imported(exported, target).added == 0


def test_content_that_is_missing_after_the_horizon_is_refused(compacted, other):
    exported, _ = compacted
    header, base, *rest = lines(exported)[:-1]
    rewritten(exported, [header, base.replace(b'"sequence":', b'"sequence":-'), *rest])
    with pytest.raises(PortableFileError, match="content of event"):
        imported(exported, other)
