# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people say is read once, and its reading is journaled; what is made of the journal reads nothing."""

import json
from dataclasses import replace

import pytest
from waiting import eventually

from karma_language.reading import Reading, Telling, Told
from karma_language.told import reader
from karma_memory import EditError, Event, EventKind, Query
from karma_memory.encoding import dumps
from karma_memory.hearing import hearing as module
from karma_memory.hearing.hearing import reading_event
from karma_memory.scene import InvalidEventError
from karma_memory.state.history import begin
from karma_memory.users.erasure import forget_user

NOW = 1_778_061_600.0
OSLO = Event("oslo", EventKind.TOLD, NOW, user="ann", text="I live in Oslo.")


def words(name, text, stamp=NOW, user="ann", kind=EventKind.TOLD, **more):
    return Event(name, kind, stamp, user=user, text=text, **more)


def reading(of, *told, **more):
    """Return a reading of words by somebody else than the rules."""
    return reading_event(of, Reading(reader="model", items=told, **more))


def lives(place, quote="I live in Oslo."):
    return Told(quote=quote, kind=Telling.FACT, relation="residence", value=(place,))


def events(store):
    with store.journal() as journal:
        entries = list(journal.read(skip_compacted=True))
    return [entry.event for entry in entries if entry.event.kind is not EventKind.CONFIGURE]


def home(memory, user="ann", at=None):
    answered = memory.ask("Where do I live?", user=user, now=NOW, at=at).answered
    return answered.text.partition(". You told me")[0] if answered.known else ""


def test_words_are_read_before_they_are_journaled_and_can_be_asked_for_at_once(store):
    with store.memory() as memory:
        receipt = memory.remember([OSLO, words("hello", "Hello!", user="")])
        assert home(memory) == "Oslo"
    said, read, hello = events(store)
    assert receipt.sequences[1] - receipt.sequences[0] == 2  # the reading is between them
    assert (said, hello.id) == (OSLO, "hello")  # what nobody in particular says tells nothing of anybody
    assert (read.kind, read.target, read.user, read.stamp) == (EventKind.READING, "oslo", "ann", NOW)
    assert Reading.model_validate_json(read.text).reader == "rules"


def test_the_same_words_again_are_not_read_again(store):
    with store.memory() as memory:
        first = memory.remember([OSLO])
        assert memory.remember([OSLO]) == first
    assert [event.kind for event in events(store)] == [EventKind.TOLD, EventKind.READING]


def test_nothing_reads_words_when_the_journal_is_replayed(store, monkeypatch):
    with store.memory() as memory:
        memory.remember(
            [
                OSLO,
                words("cup", "Put the cup away. It is my favorite cup.", kind=EventKind.EPISODE_START, episode="e1"),
                words("tea", "I prefer tea when I am tired."),
            ]
        )
        memory.edit("told:oslo", "I live in Bergen.", stamp=NOW + 1)
        lived = dumps(memory._state.snapshot())

    def broken(*_, **__):
        raise AssertionError("words were read")

    told = "karma_language.told.reader"
    for name in (f"{told}.facts", f"{told}.habits", "karma_memory.hearing.hearing.read"):
        monkeypatch.setattr(name, broken)
    with store.memory() as memory:
        assert dumps(memory._state.snapshot()) == lived
        assert not memory._state.unread


def test_words_without_a_reading_are_recalled_by_their_words_until_they_are_read(store, monkeypatch):
    read = module.read
    monkeypatch.setattr(module, "read", lambda *_: None)  # as an older version, or another server
    with store.memory() as memory:
        memory._hearing.close()
        memory._live.commit([OSLO])
        assert home(memory) == "You told me just now: “I live in Oslo.”"
        assert [item.record.text for item in memory.recall(Query("Oslo", user="ann")).recollections] == [OSLO.text]
    monkeypatch.setattr(module, "read", read)
    with store.memory() as memory:
        eventually(lambda: home(memory) == "Oslo")
    assert [event.kind for event in events(store)] == [EventKind.TOLD, EventKind.READING]


def test_words_that_are_read_late_do_not_overrule_what_was_said_after_them(store):
    later = words("bonn", "I live in Bonn.", NOW + 60)
    milk, coffee = words("milk", "I prefer milk."), words("coffee", "I prefer coffee.", NOW + 60)
    with store.memory() as memory:
        memory._hearing.close()
        memory._live.commit([OSLO, milk])
        memory.remember([later, coffee])
        memory._live.commit([reading_event(item, module.read(item, "")) for item in (OSLO, milk)])
        assert home(memory) == "Bonn"
        assert [p.chosen for p in memory.preferences_of("ann") if p.valid_until is None] == ["coffee"]
        (fact,) = memory._state.facts.agent("ann").graph.closed
        assert (fact.source, fact.valid_until, fact.replaced_by) == ("oslo", NOW + 60, "bonn#0")


def test_a_better_reading_takes_the_place_of_the_one_before(store):
    bonn = words("bonn", "Bonn! That is home from now on.", NOW + 60)
    with store.memory() as memory:
        memory.remember([OSLO, words("tea", "I prefer tea.", NOW + 1), bonn])
        assert home(memory) == "Oslo"
        memory.remember([reading(bonn, lives("Bonn", "Bonn! That is home from now on."))])
        assert home(memory) == "Bonn"
        memory.remember([reading(bonn)])  # it tells nothing after all
        assert home(memory) == "Oslo"
        wish = Told(quote="I prefer tea.", kind=Telling.PREFERENCE, value=("tea",), circumstance="in the morning")
        memory.remember([reading(words("tea", "I prefer tea.", NOW + 1), wish)])
        assert [(p.chosen, p.wordings) for p in memory.preferences_of("ann")] == [("tea", ("in the morning",))]
        lived = dumps(memory._state.snapshot())
    with store.memory() as memory:
        assert dumps(memory._state.snapshot()) == lived


def test_an_edit_is_read_anew_and_still_says_the_same_preference_otherwise(store):
    with store.memory() as memory:
        memory.remember([words("tea", "I prefer tea when I am tired.")])
        name = memory.edit("preferences:tea", "I prefer milk.", stamp=NOW + 1).partition(":")[2]
        edit = memory.event(name)
        milk = Told(quote="I prefer milk.", kind=Telling.PREFERENCE, value=("oat milk",))
        memory.remember([reading(edit, milk)])
        tea, now = memory.preferences_of("ann")
        assert (tea.id, tea.replaced_by, now.id) == ("tea", name, name)
        assert (now.chosen, now.wordings, now.valid_until) == ("oat milk", ("when I am tired",), None)


def test_who_has_read_the_words_passes_the_reading_along(store):
    with store.memory() as memory:
        memory.remember([OSLO, replace(reading(OSLO, lives("Oslo, the old town")), user="", stamp=0.0)])
        assert home(memory) == "Oslo, the old town"
    _, read = events(store)
    assert (read.user, read.stamp) == ("ann", NOW)  # they go with the words


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("{", "oslo", "is no reading"),
        ('{"version": 99, "reader": "m"}', "oslo", "is no reading"),
        (Reading(reader="m").to_json(), "nobody said it", "words that no user said"),
        (Reading(reader="m", items=(lives("Rome", "I live in Rome."),)).to_json(), "oslo", "does not have"),
        (json.dumps({"version": 1, "reader": "m", "items": [{"act": "order"}]}), "oslo", "is no reading"),
    ],
)
def test_a_reading_that_makes_no_sense_is_refused_and_changes_nothing(store, text, target, message):
    with store.memory() as memory:
        memory.remember([OSLO])
        with pytest.raises(InvalidEventError, match=message):
            memory.remember([Event("r", EventKind.READING, NOW, user="ann", target=target, text=text)])
        assert home(memory) == "Oslo"


def test_nobody_puts_words_into_the_mouth_of_another(store):
    with store.memory() as memory:
        memory.remember([OSLO])
        for user in ("bob", ""):
            with pytest.raises(InvalidEventError, match="another user's words"):
                memory.remember([replace(reading(OSLO, lives("Rome")), user=user, id="r")])
        assert (home(memory), home(memory, "bob")) == ("Oslo", "")


def test_a_reading_of_another_version_in_the_journal_is_read_again(store):
    old = Event("r", EventKind.READING, NOW, user="ann", target="oslo", text='{"version": 99, "reader": "m"}')
    with store.memory() as memory:
        memory._live.commit([OSLO, old])
        eventually(lambda: home(memory) == "Oslo")


def test_a_late_reading_of_words_that_were_forgotten_tells_nothing(store):
    with store.memory() as memory:
        memory._hearing.close()
        memory._live.commit([OSLO])
        memory.forget(["told:oslo"], stamp=NOW + 1)
        memory._live.commit([reading_event(OSLO, module.read(OSLO, ""))])
        assert home(memory) == ""
        assert not memory._state.unread


def test_what_was_known_at_a_time_rests_on_what_was_said_until_then_however_late_it_was_read(store):
    with store.memory() as memory:
        memory._hearing.close()
        memory._live.commit([OSLO])
        memory.remember([words("bonn", "I live in Bonn.", NOW + 60)])
        memory._live.commit([reading_event(OSLO, module.read(OSLO, ""))])
        assert home(memory, at=NOW + 1) == "Oslo"
        assert home(memory, at=NOW - 1) == ""


def test_erasing_words_erases_their_readings(store):
    with store.memory() as memory:
        memory.remember([OSLO, words("bonn", "I live in Bonn.", user="bob")])
        memory.upkeep.compact(NOW + 1)
    forget_user(store.location, "ann", folder=store.folder)
    assert not [event for event in events(store) if "Oslo" in dumps(event.text)]
    with store.memory() as memory:
        assert (home(memory), home(memory, "bob")) == ("", "Bonn")


def test_readings_survive_compaction_and_go_with_an_export(store, tmp_path):
    with store.memory() as memory:
        memory.remember([OSLO, words("tea", "I prefer tea.", NOW + 1)])
        memory.upkeep.compact(NOW + 2)
        memory.upkeep.export(tmp_path / "life.gz")
        known = dumps(memory._state.facts.snapshot())
    with store.memory() as memory:
        assert dumps(memory._state.facts.snapshot()) == known
        memory.remember([reading(OSLO, lives("Rome"))])  # of words before the horizon
        assert home(memory) == "Rome"
    kinds = [event.kind for event in events(store)]
    assert kinds.count(EventKind.READING) == 3


def test_an_edit_that_tells_nothing_of_the_kind_is_refused(store):
    with store.memory() as memory:
        memory.remember([OSLO])
        with pytest.raises(EditError, match="tells no fact"):
            memory.edit("facts:oslo#0", "Hm!", stamp=NOW + 1)
        memory.edit("facts:oslo#0", "I live in Bonn.", stamp=NOW + 1)
        assert home(memory) == "Bonn"


def test_words_that_break_a_rule_are_kept_and_the_log_does_not_tell_them(store, monkeypatch, caplog):
    def broken(text, *_, **__):
        raise IndexError(text)

    monkeypatch.setattr(reader, "read_told", broken)
    with store.memory() as memory:
        memory.remember([words("pin", "My secret is 4711.")])
        assert memory.record("told:pin") is not None
    assert "a rule failed with IndexError in " in caplog.text
    assert "4711" not in caplog.text


def test_a_state_lives_on_from_its_snapshot_with_what_is_still_to_be_read():
    lived = begin(None)
    lived.apply(OSLO)
    again = begin(None)
    again.restore(json.loads(dumps(lived.snapshot())))
    assert again.unread == lived.unread != {}
