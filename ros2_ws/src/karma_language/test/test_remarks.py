# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Remarks beside a request: nothing is done for them, and they hold nothing up. What restricts it is no remark."""

from __future__ import annotations

import pytest

from karma_language.model_reader.accounting import unaccounted
from karma_language.reader import Rules
from karma_language.reading import Question, Reading, Request
from karma_language.requests.remarks import essential
from karma_language.requests.requests import Grammar
from karma_language.vocabulary import household
from karma_language.vocabulary.descriptions import described

LEXICON = household()
GRAMMAR = Grammar(LEXICON, described(LEXICON).is_word)
RULES = Rules(GRAMMAR)


def wanted(reading: Reading) -> list[str]:
    """Return what is to be done, in short."""
    goals = [goal for item in reading.items if isinstance(item, Request) and not item.never for goal in item.goals]
    return [
        " ".join(filter(None, (g.do.value, g.thing.text if g.thing else "", g.to.thing.text if g.to else "")))
        for g in goals
    ]


@pytest.mark.parametrize(
    ("said", "goals"),
    [
        ("Fair enough. Then take the pillow from the sofa.", ["hold pillow"]),
        ("I was only joking. Just put the cup on the shelf.", ["place cup shelf"]),
        ("put the kettle on the stove, my sister is coming any minute", ["place kettle stove"]),
        ("be a star and bring me the book", ["bring book"]),
        ("would you ever bring me the pen", ["bring pen"]),
    ],
)
def test_it_is_left_out(said: str, goals: list[str]) -> None:
    found = RULES.read(said, 0.0, {})
    assert found.unread == ()
    assert wanted(found) == goals
    assert all(item.quote in said for item in found.items)


@pytest.mark.parametrize(
    ("said", "goals", "asks"),
    [
        ("Check whether the window is open and close it.", ["close it"], 1),
        ("Could you tell me if the lamp is on, and switch it off if it is?", ["switch_off it"], 1),
        ("Is the tv on? If so, turn it off.", ["switch_off it"], 1),
        ("Did I leave the stove on? If I did, turn it off.", ["switch_off it"], 1),
        ("Look on the desk and tell me what is there.", [], 1),
        ("Look in the fridge and tell me what is in it.", ["explore fridge"], 1),
        ("open the fridge, wait ten seconds and close it", ["open fridge", "wait", "close it"], 0),
        ("put the mug, wait a second, the cup in the sink", ["place cup sink"], 0),
        ("The soap bar in the tub, it's all mushy, throw it in the bin.", ["place it bin"], 0),
        ("put every single one in the sink", ["place them sink"], 0),
        ("cool, put the remote in the box pls", ["place remote box"], 0),
        ("and the tomato from the fridge as well", ["same tomato"], 0),
        ("The card from the kitchen should go in the safe, and shut it", ["place card safe", "close it"], 0),
    ],
)
def test_beside_a_question_all_is_done_that_its_answer_does_not_serve(said: str, goals: list[str], asks: int) -> None:
    found = RULES.read(said, 0.0, {})
    assert found.unread == ()
    assert wanted(found) == goals
    assert sum(isinstance(item, Question) for item in found.items) == asks


def test_what_restricts_is_none() -> None:
    found = RULES.read("switch off the lamp, unless grommeting", 0.0, {})
    assert found.unread or not wanted(found)


def test_what_is_nothing_but_remarks_is_needed_whole() -> None:
    said = "We had a lovely time."
    assert essential(said, lambda part: GRAMMAR.read(part)) == said


@pytest.mark.parametrize(
    ("said", "plain", "before", "fault"),
    [
        ("the one in the kitchen too", "Switch off the lamp in the kitchen.", "switch off the lamp in the hall", ""),
        ("the one in the kitchen too", "Switch off the lamp in the kitchen.", "", "nobody said"),
        ("put the desk lamp away", "Put the desk lamp on the table.", "", "nobody said 'table'"),
        ("pls open the fridge", "Open the fridge.", "", ""),
    ],
)
def test_a_model_may_say_what_was_said_just_before(said: str, plain: str, before: str, fault: str) -> None:
    problem = unaccounted(said, plain, GRAMMAR.read(plain), LEXICON, before=before)
    assert problem.startswith(fault) if fault else problem == ""
