# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is selected and answered of a user's memories (EMG-RAG, sections 4.3 and 4.4)."""

from datetime import datetime, timezone

import pytest

from karma_language.told.facts.asking import question
from karma_language.told.reader import read_told
from karma_memory.facts.applications import FactAgent
from karma_memory.facts.encoder import LexicalEncoder
from karma_memory.facts.graph import EditableMemoryGraph
from karma_memory.facts.policy import ThresholdPolicy
from karma_memory.facts.traversal import Retriever, Traversal

NOW = datetime(2026, 5, 6, 10, tzinfo=timezone.utc).timestamp()
LIFE = (
    "My sister is called Ada.",
    "Ada works as a welder.",
    "Ada's boss is Mr Singh.",
    "Mr Singh lives in Cork.",
    "My brother is called Ben.",
    "Ben lives in Bonn.",
    "Ben works as a judge.",
    "I live in Graz.",
    "My phone number is 555 0100.",
    "I have a haircut on Friday at 9 am.",
    "My mother's birthday is on 12 May.",
    "We need milk and bread.",
)


@pytest.fixture
def graph():
    made = EditableMemoryGraph()
    for number, text in enumerate(LIFE):
        made.edit(read_told(text, NOW), source=f"m{number}", stamp=NOW + number)
    return made


def traversal(graph, text):
    return Traversal(Retriever(graph, LexicalEncoder()), question(text, NOW), text)


def test_a_question_selects_the_chain_and_nothing_else(graph):
    selection = traversal(graph, "Where does my sister's boss live?").run(ThresholdPolicy())
    assert {fact.source for fact in selection.facts} == {"m0", "m2", "m3"}


def test_a_policy_that_never_includes_selects_nothing_and_one_that_always_does_ends(graph):
    walk = traversal(graph, "Where does my sister live?")
    assert walk.run(ThresholdPolicy(2.0)).facts == []
    everything = walk.run(ThresholdPolicy(-2.0)).facts
    assert len({fact.id for fact in everything}) == len(everything) <= len(graph.facts())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where does my sister's boss live?", ("Cork",)),
        ("What does my sister do for a living?", ("welder",)),
        ("Where does my brother live?", ("Bonn",)),
        ("Who is my sister's boss?", ("Mr Singh",)),
        ("When is my haircut?", ("2026-05-08 09:00",)),
        ("When is my mother's birthday?", ("--05-12",)),
        ("What must I buy?", ("milk", "bread")),
        ("Who lives in Bonn?", ("Ben",)),
        ("Where does my sister live?", ()),
        ("What is my cousin's phone number?", ()),
        ("Blah blah?", ()),
    ],
)
def test_answers_follow_the_memories(graph, question, answer):
    assert FactAgent(graph).ask(question, NOW).entities == answer


def test_forms_are_filled_with_what_is_known(graph):
    filled = FactAgent(graph).fill(["Phone number", "Address:", "Sister's name", "Passport number"], NOW)
    assert {name: answer.text for name, answer in filled.items()} == {
        "Phone number": "555 0100",
        "Address:": "Graz",
        "Sister's name": "Ada",
        "Passport number": "",
    }


def test_reminders_come_in_the_order_of_time(graph):
    agent = FactAgent(graph)
    assert [(r.when, r.what) for r in agent.reminders(NOW)] == [
        ("2026-05-08 09:00", "haircut"),
        ("2026-05-12", "mother: birthday"),
    ]
    assert agent.reminders(NOW, days=1.0) == []
    assert agent.shopping_list() == ["milk", "bread"]
