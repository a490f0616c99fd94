# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What tells new knowledge of a person, what takes it back, and what is only so at the moment."""

import json

import pytest
from heard import live
from profile_life import event, lived, records, texts

from karma_language.told.habits.commands import moves
from karma_language.told.habits.wording import KnowledgeType
from karma_memory import Event, EventKind
from karma_memory.encoding import dumps
from karma_memory.profile.graph import NodeType
from karma_memory.profile.projected import ProfileMemory
from karma_memory.recall.index import HybridIndex

BREAKFAST = event(6, EventKind.EPISODE_START, "Bring me the toast and the jam. That is my usual breakfast.")
MUG = event(7, EventKind.TOLD, "My favorite mug is the blue mug.")


@pytest.mark.parametrize(
    "text",
    [
        "I no longer have my usual breakfast.",
        "I don't have my usual breakfast any more.",
        "I never have my usual breakfast.",
        "That is no longer my usual breakfast.",
        "Toast is not my usual breakfast.",
    ],
)
def test_a_denial_tells_nothing_new_and_takes_back_what_it_names(text):
    bob = event(8, EventKind.EPISODE_START, BREAKFAST.text, user="bob")
    memory = lived(BREAKFAST, MUG, bob, event(9, EventKind.TOLD, text))
    assert records(memory).keys() == records(lived(MUG, bob)).keys()
    assert texts(memory) == texts(lived(MUG, bob))
    again = ProfileMemory(HybridIndex())
    again.restore(json.loads(dumps(memory.snapshot())))
    assert records(again) == records(memory)


@pytest.mark.parametrize(
    "text",
    [
        "I don't want my usual breakfast today.",
        "I can't find my favorite mug.",
        "I did not have my usual breakfast.",
        "That is not my favorite mug.",
        "Porridge is not my usual breakfast.",
        "I no longer drink tea.",
        "I never start the day without my usual breakfast.",
        "Don't bring me my usual breakfast.",
    ],
)
def test_what_is_so_at_the_moment_or_of_something_else_takes_nothing_back(text):
    memory = lived(BREAKFAST, MUG)
    before = texts(memory)
    live(memory, event(8, EventKind.FEEDBACK, text))
    kept = {key: value for key, value in texts(memory).items() if key in before}
    assert kept == before


@pytest.mark.parametrize(
    "text",
    [
        "I'm tired. Bring me some fruit.",
        "We are celebrating! Bring us the wine glasses.",
        "I have a headache. Bring me some water.",
        "I'd like an apple. Bring me the bowl.",
        "I need it now. Bring me the bowl.",
        "We had it for our party. Put the bowl away.",
    ],
)
def test_what_is_said_of_the_moment_is_no_habit(text):
    assert texts(lived(event(1, EventKind.EPISODE_START, text))) == {}


def test_what_the_robot_did_wrong_is_no_habit():
    asked = event(1, EventKind.EPISODE_START, "Bring me some fruit.")
    wrong = Event("e2", EventKind.FEEDBACK, 2.0, user="ada", scene="flat", episode="t1", text="No, I wanted the apple.")
    assert texts(lived(asked, wrong)) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Put the guitar in the den. I practise there on Sundays.",
        "Put the bowl on the couch. I need it there for my movie nights.",
        "Put the lamp on the desk. I put it there when I read.",
        "Put the bread on the table. I always eat there.",
        "Put the bread on the table. That is my usual lunch.",
    ],
)
def test_a_word_of_habit_an_occasion_or_a_name_tells_a_pattern(text):
    (node,) = lived(event(1, EventKind.EPISODE_START, text)).profiles.graph.nodes(NodeType.KNOWLEDGE)
    assert node.subtype == KnowledgeType.USER_PATTERN.value


def test_who_something_is_brought_to_is_no_thing():
    assert [step.things for step in moves("Bring me some fruit and the cup.")] == [("fruit", "cup")]
    assert [step.things for step in moves("Put the mug in the sink and bring us.")] == [("mug",)]
