# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What every journal does, whatever store it is kept in."""

import threading

import pytest
from journal_store import filled
from world import statements, told

from karma_memory import (
    CorruptJournalError,
    DuplicateEventError,
    Image,
    InvalidEventError,
    JournalError,
    NewerSchemaError,
)


def test_appended_events_are_read_back_in_order_after_reopening(store):
    with store.journal() as journal:
        assert journal.append(statements(3)) == [1, 2, 3]
        assert journal.append(statements(2, "f")) == [4, 5]
    with store.journal() as journal:
        assert journal.last_sequence == 5
        assert [entry.event for entry in journal.read()] == statements(3) + statements(2, "f")
        assert [entry.sequence for entry in journal.read(1, 4)] == [2, 3, 4]
        assert [entry.event.id for entry in journal.read(at=1.0)] == ["e0", "e1", "f0", "f1"]
        assert journal.find("f1").sequence == 5
        assert journal.find("nobody") is None


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
            sequences[name] = [journal.append([event])[0] for event in statements(25, name)]

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(number for numbers in sequences.values() for number in numbers) == list(range(1, 101))
        assert all(numbers == sorted(numbers) for numbers in sequences.values())
        assert len({entry.event.id for entry in journal.read()}) == 100


def test_reading_ends_with_an_error_when_the_journal_is_closed_meanwhile(store):
    journal = store.journal()
    journal.append(statements(2500))
    reading = journal.read()
    assert next(reading).sequence == 1
    journal.close()
    with pytest.raises(JournalError, match="is closed"):
        list(reading)


def test_a_closed_journal_says_so(store):
    journal = store.journal()
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="is closed"):
        journal.append(statements(1))


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


def test_a_journal_that_is_only_read_stays_as_it_is_and_none_is_made(store):
    with pytest.raises(JournalError, match=r"does not exist|holds no journal"):
        store.journal(read_only=True)
    filled(store, 2)
    with store.journal(read_only=True) as journal:
        assert journal.last_sequence == len(list(journal.read())) == 2
        journal.verify()
        for change in (lambda: journal.append(statements(3)), lambda: journal.adopt(journal.uuid), journal.reclaim):
            with pytest.raises(JournalError, match="for reading only"):
                change()


def test_a_newer_journal_is_refused_and_left_as_it_is(store):
    filled(store, 3)
    store.set_version(99)
    rows = store.execute("SELECT * FROM events")
    for read_only in (False, True):
        with pytest.raises(NewerSchemaError, match=r"schema version 99, .*update karma_memory"):
            store.journal(read_only=read_only)
    store.set_version(store.version)
    assert store.execute("SELECT * FROM events") == rows


def test_a_version_that_never_was_is_damage(store):
    store.journal().close()
    store.set_version(0)
    with pytest.raises(CorruptJournalError, match=r"never was a .*schema version 0"):
        store.journal()


def test_a_journal_that_lost_its_name_is_damaged(store):
    filled(store, 3)
    store.execute("DELETE FROM journal")
    with pytest.raises(CorruptJournalError, match="lost its identity"):
        store.journal()
