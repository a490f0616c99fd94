# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people tell in words that rules don't read, against a server that answers what a test says."""

import json
from contextlib import contextmanager
from dataclasses import replace

import pytest
from chat_server import chat_server
from waiting import eventually

from karma_language.reading import Reading
from karma_memory import Event, EventKind
from karma_memory.hearing.model import ModelHearing
from karma_memory.privacy.consent import Consent

NOW = 1_778_061_600.0
GERMAN = Event("de", EventKind.TOLD, NOW, user="ann", text="Ich bin gegen Erdnüsse allergisch.")
ENGLISH = {"english": ["I am allergic to peanuts."]}


@contextmanager
def listening(memory, *answers):
    """Give what remembers events and has the model read them, and what the model was asked."""
    with chat_server(*answers) as (model, asked):
        hearing = ModelHearing(model, memory.remember)

        def remember(*events):
            hearing.note(events, memory.remember(events).sequences)

        try:
            yield remember, asked
        finally:
            hearing.close()


def allergy(memory, user="ann"):
    answered = memory.ask("What am I allergic to?", user=user, now=NOW).answered
    return answered.text if answered.known else ""


def readings(store):
    with store.journal() as journal:
        events = [entry.event for entry in journal.read(skip_compacted=True)]
    return [Reading.model_validate_json(event.text) for event in events if event.kind is EventKind.READING]


def test_what_rules_do_not_read_is_known_once_the_model_has_read_it(store):
    with store.memory() as memory, listening(memory, ENGLISH) as (remember, _):
        remember(GERMAN)
        eventually(lambda: "eanuts" in allergy(memory))
        assert not allergy(memory, user="bob"), "and it is hers alone"
    by_rules, by_model = readings(store)
    assert (by_rules.reader, by_rules.told) == ("rules", ())
    assert (by_model.language, {item.quote for item in by_model.items}) == ("de", {GERMAN.text})


def test_the_model_is_not_asked_about_what_rules_read_nor_about_what_somebody_read(store):
    plain = Event("en", EventKind.TOLD, NOW, user="ann", text="I live in Oslo.")
    nobodys = Event("x", EventKind.TOLD, NOW, text=GERMAN.text)
    own = Event("r", EventKind.READING, NOW, user="ann", target="de", text=Reading(reader="mine").to_json())
    with store.memory() as memory, listening(memory, ENGLISH) as (remember, asked):
        remember(plain, nobodys)
        remember(GERMAN, own)
        remember(Event("last", EventKind.TOLD, NOW, user="bob", text="Ich bin gegen Erdnüsse allergisch."))
        eventually(lambda: "eanuts" in allergy(memory, user="bob"))
        assert not allergy(memory, user="ann")
    told = [json.dumps(chat, ensure_ascii=False) for chat in asked]
    assert told
    assert not any("Oslo" in chat for chat in told)


@pytest.mark.parametrize("answer", [500, "I'd rather not", {"english": []}])
def test_without_a_usable_answer_the_words_stay_as_they_were_told(store, answer):
    with store.memory() as memory, listening(memory, answer) as (remember, asked):
        remember(GERMAN)
        eventually(lambda: asked)
        assert not allergy(memory)
    assert [reading.reader for reading in readings(store)] == ["rules"]


def test_the_model_is_not_told_what_a_user_does_not_want_kept(store):
    with store.memory() as memory, listening(memory, ENGLISH) as (remember, asked):
        memory.users.set_consent("ann", Consent(keep=False), NOW)
        remember(replace(GERMAN, text="Ich bin gegen Nüsse allergisch."))
        remember(replace(GERMAN, id="bobs", user="bob"))
        eventually(lambda: "eanuts" in allergy(memory, user="bob"))
    assert asked
    assert not any("gegen Nüsse" in json.dumps(chat, ensure_ascii=False) for chat in asked)
