# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of all memories is a function of the events: lived through, replayed or restored, it is the same."""

import itertools
import json
import zlib
from dataclasses import replace

import numpy as np
from heard import apply, read_all
from histories import events_of, histories
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from world import AREAS, HOME, SCENE, furniture, home, outcome, seen, thing

from karma_memory import Event, EventKind, Layer, Node, PolicySettings, Query
from karma_memory.ask import answer
from karma_memory.encoding import dumps
from karma_memory.recall.prompt import estimate_tokens
from karma_memory.state.state import MemoryState

SETTINGS = PolicySettings(capacity=3)

QUESTIONS = [
    Query("where is the apple", user="ann", limit=50),
    Query("what is in the bowl on the table in the kitchen", limit=50, token_budget=120),
    Query("where are the rubber duck and the duck", user="ann", limit=50, since=101.0),
    Query("the bowl on the table", limit=3),
    Query("rubber ducks", scene="home1", limit=50),
    Query("Where do I live?", user="ann", limit=50),
    Query("bring my favorite bowl", user="bob", limit=50),
    Query("apple", room="kitchen", limit=50),
    Query("apple", near=(1.0, 0.0, 1.0), radius=1.5, limit=50),
    Query("", limit=50),
    Query("apple", kinds=frozenset({"short_term", "told"}), user="bob", limit=50),
    Query("", kinds=frozenset({"working", "trajectory", "guideline"}), user="ann", limit=50),
    Query("put the apple in the fridge, place(Apple, Fridge, in)", kinds=frozenset({"trajectory", "guideline"})),
]


def replayed(events, state=None):
    state = state or MemoryState(SETTINGS)
    for event in events:
        apply(state, event)
    return state


def restored(state):
    again = MemoryState(SETTINGS)
    again.restore(json.loads(dumps(state.snapshot())))
    return again


def vector(text):
    """A stand-in for a model: any vector, but always the same one for a text."""
    values = np.random.default_rng(zlib.crc32(text.encode())).normal(size=8).astype(np.float32)
    return values / np.linalg.norm(values)


def ask(state, query):
    missing = state.index.semantic.missing
    state.index.add_vectors(missing, np.array([vector(label) for label in missing]))
    return state.answer(query, state.search(query, vector(query.text)))


def answers(state):
    return [ask(state, query) for query in QUESTIONS]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(histories, st.integers(0, 30))
def test_living_replaying_and_restoring_give_the_same_state_and_the_same_answers(history, cut):
    events = list(events_of(history))
    lived = MemoryState(SETTINGS)
    taken = lived.snapshot()
    for place, (event, query) in enumerate(zip(events, itertools.cycle(QUESTIONS), strict=False), 1):
        apply(lived, event)
        taken = lived.snapshot() if place <= cut else taken
        answer = ask(lived, query)  # changes nothing
        assert estimate_tokens(answer.prompt) <= query.token_budget
        assert len({item.record.id for item in answer.recollections}) == len(answer.recollections)
        assert all(item.why and item.record.source and 0 <= item.score <= 1 for item in answer.recollections)
    for again in (replayed(events), replayed(events[cut:], restored(replayed(events[:cut]))), restored(lived)):
        assert dumps(again.snapshot()) == dumps(lived.snapshot())
        assert again.index.records == lived.index.records
        assert answers(again) == answers(lived)
    assert dumps(taken) == dumps(replayed(events[:cut]).snapshot())  # what was taken stays as it is


def test_a_restored_memory_says_how_long_ago_by_the_same_clock():
    told = Event("told", EventKind.TOLD, 100.0, text="the bins are collected on Tuesdays")
    lived = replayed([told, replace(home(), stamp=7300.0)])
    query = Query("when are the bins collected?")
    said = [answer(query, None, state, state.search(query, None)) for state in (lived, restored(lived))]
    assert "2 hours ago" in said[0].answered.text
    assert said[0].answered == said[1].answered


def text_of(state, node_id, scene=SCENE):
    return state.index.records[f"long_term:{scene}/{node_id}"].text


def test_what_rests_on_a_thing_is_told_by_the_things_new_name():
    state = replayed([home(), seen(furniture("CounterTop|1", (2.0, 1.0, 1.0), parent="node_2"), stamp=2.0)])
    assert text_of(state, "Apple|1").startswith("Apple is on the CounterTop")
    renamed = replace(HOME[7], category="Sideboard", last_seen=3.0)
    state.apply(seen(renamed, stamp=3.0))
    assert text_of(state, "Apple|1").startswith("Apple is on the Sideboard")
    state.apply(seen(removed=("CounterTop|1",), stamp=4.0))
    assert text_of(state, "Apple|1").startswith("Apple, in kitchen 1")  # an id would tell nobody anything


def test_when_an_area_goes_or_a_room_changes_its_name_the_texts_of_what_is_there_follow():
    state = replayed([home(), seen(thing("Mug|1", (7.0, 0.0, 1.0)))])
    assert ", in bedroom 1," in text_of(state, "Mug|1")
    state.apply(seen(Node("bedroom", Layer.ROOM, "Bedroom", name="guest room", parent="floor"), stamp=2.0))
    assert ", in guest room," in text_of(state, "Mug|1")
    state.apply(seen(removed=("node_3",), stamp=3.0))
    assert ", in kitchen 1," in text_of(state, "Mug|1")  # the nearest area that is left
    state.apply(seen(AREAS[2], stamp=4.0))
    assert ", in guest room," in text_of(state, "Mug|1")


def test_names_and_movability_that_were_learned_outlive_the_objects_and_a_restart():
    state = replayed(
        [
            seen(thing("RubberDuck|1")),
            seen(thing("RubberDuck|2", movable=False), stamp=2.0),
            outcome("PutObject", thing("Chair|1"), stamp=3.0),
            seen(removed=("RubberDuck|1", "RubberDuck|2"), stamp=4.0),
        ]
    )
    for known in (state, restored(state)):
        assert [mention.phrase for mention in known.index.vocabulary.mentions("a duck")] == ["duck"]
        assert not known.index.vocabulary.is_movable("RubberDuck")
        assert known.index.vocabulary.is_movable("Chair")


def said(number, text, kind=EventKind.TOLD, *, user="ann", **fields):
    if kind is EventKind.EPISODE_START:
        fields["episode"] = f"task{number}"
    return Event(f"e{number}", kind, 100.0 + number, user=user, scene=SCENE, text=text, **fields)


def held(state, user="ann"):
    """Return (kind, source) of what is held of a user."""
    return sorted((record.kind, record.source) for record in state.index.records.values() if record.user == user)


WORDS = "The blue vase is my favorite, a gift from my mother."


def test_what_is_forgotten_is_forgotten_by_every_memory_that_made_something_of_the_words():
    for kind in ("told", "profile", "facts"):
        state = replayed([said(1, WORDS), said(2, WORDS, user="bob"), said(3, "I live in Oslo.")])
        assert {("told", "e1"), ("profile", "e1"), ("facts", "e1")} <= set(held(state))
        target = next(
            record.id for record in state.index.records.values() if (record.kind, record.source) == (kind, "e1")
        )
        apply(state, said(4, "", EventKind.EDIT, target=target))
        assert held(state) == [("facts", "e3"), ("told", "e3")]
        assert held(state, "bob") == [("facts", "e2"), ("profile", "e2"), ("told", "e2")]


def test_what_is_said_otherwise_is_learned_by_every_memory():
    for kind in ("told", "profile", "facts"):
        state = replayed([said(1, WORDS)])
        target = next(record.id for record in state.index.records.values() if record.kind == kind)
        apply(state, said(2, "The red vase is my favorite.", EventKind.EDIT, target=target))
        assert {("told", "e2"), ("profile", "e2"), ("facts", "e2")} == set(held(state))
        assert not any("blue" in record.text for record in state.index.records.values())


def test_forgetting_an_instruction_forgets_what_it_told():
    state = replayed([said(1, "Put the bowl on the table. It is my favorite bowl.", EventKind.EPISODE_START)])
    assert held(state) == [("episodic", "e1"), ("profile", "e1")]
    apply(state, said(2, "another summary", EventKind.EDIT, target="episodic:task1"))
    assert held(state) == [("episodic", "e1"), ("profile", "e1")]
    apply(state, said(3, "", EventKind.EDIT, target="episodic:task1"))
    assert held(state) == []


def test_a_state_without_personal_memories_has_what_people_said_read_anew():
    events = [
        said(1, WORDS),
        said(2, "Put the bowl on the table. It is my favorite bowl.", EventKind.EPISODE_START),
        said(3, "I prefer tea when I am tired"),
        said(4, "I live in Oslo."),
        said(5, "I moved to Bonn.", user="bob"),
        said(6, "", EventKind.EDIT, target="told:e4"),
    ]
    lived = replayed(events)
    made = ("profile", "preferences", "facts", "unread")
    older = {kind: state for kind, state in lived.snapshot().items() if kind not in made}
    again = MemoryState(SETTINGS)
    again.restore(json.loads(dumps(older)))
    assert {kind for kind, _ in held(again)} == {"told", "episodic"}
    assert again.unread.keys() == {"e1", "e2", "e3", "e5"}
    read_all(again)
    assert not again.unread
    assert again.index.records == lived.index.records
    assert {kind for kind, _ in held(again)} == {"told", "episodic", "profile", "preferences", "facts"}
