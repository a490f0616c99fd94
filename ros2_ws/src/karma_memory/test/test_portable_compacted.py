# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Export and import of journals that were compacted."""

from hashlib import sha256
from itertools import islice

import pytest
from portable_files import imported, lines, rewritten
from world import home, live, seen, thing, told

from karma_memory import (
    CorruptJournalError,
    Image,
    JournalError,
)
from karma_memory.encoding import dumps
from karma_memory.journal import (
    PortableFile,
    PortableFileError,
    export_journal,
    import_journal,
    portable,
)


@pytest.fixture
def compacted(stores, tmp_path):
    """The export of a journal that lost the content of events and the bytes of a picture, and its state."""
    store = stores.new("compacted")
    with store.memory(image_bytes=5) as memory:
        memory.remember([home(), told("one", 1.0, id="one", image=Image.of("jpeg", b"first"))])
        memory.remember([told("two", 2.0, id="two", image=Image.of("jpeg", b"other"))])
        memory.remember([told("three", 2.5, id="three", image=Image("jpeg", sha256(b"first").hexdigest()))])
        memory.remember([seen(thing("Mug|1", seen=float(i)), stamp=float(i)) for i in range(3, 20)])
        memory.upkeep.compact(15.0)
        memory.upkeep.export(tmp_path / "exported")
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
        memory.upkeep.export(tmp_path / "again")
        assert memory.image(sha256(b"other").hexdigest()) == b"other"
    assert (tmp_path / "again").read_bytes() == exported.read_bytes()


def test_what_came_before_the_horizon_cannot_be_told_apart(compacted, target):
    with PortableFile(compacted[0]) as file:
        horizon = file.base.horizon.sequence
        with pytest.raises(PortableFileError, match=f"up to event {horizon} as one state only, not {horizon - 1}"):
            import_journal(file, target, until=horizon - 1)
        import_journal(file, target, until=horizon)
    assert target.last_sequence == horizon


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
        memory.upkeep.compact(2.5)
    store.lose_after(2)
    for verify in (True, False):
        with pytest.raises(CorruptJournalError, match="the state at event 3 is there, but only 2 events are"):
            store.memory(verify=verify)


def test_a_journal_that_ends_with_the_event_of_its_state_is_whole(store):
    with store.memory() as memory:
        memory.remember([told("one", 1.0), told("two", 2.0), told("three", 3.0)])
        memory.upkeep.compact(2.5)
    store.lose_after(3)
    with store.journal() as journal:
        assert journal.base().horizon.sequence == journal.last_sequence == 3


def test_an_export_that_ends_before_the_horizon_is_refused(store, tmp_path):
    with store.memory() as memory:
        live(memory)
        memory.upkeep.compact(200.5)
    with store.journal() as journal, pytest.raises(JournalError, match="compacted beyond event 7"):
        export_journal(journal, tmp_path / "early", {}, until=7)
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
