# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who corrects themselves while they speak gets what they say last, or is asked to say it again."""

from __future__ import annotations

import time

import pytest

from karma_language.vocabulary import household
from planner_node.skills import Code
from planner_node.understand.goals import NotUnderstood, Understood
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.remarks import WithoutRemarks

UNDERSTANDING = WithoutRemarks(OfflineUnderstanding(household()))
SINK = ["place(egg, sink, in)"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("put the egg in the fridge... no wait, in the sink.", SINK),
        ("Put the egg in the fridge, no, in the sink.", SINK),
        ("Put the egg in the fridge. No, in the sink!", SINK),
        ("put the egg in the fridge, no in the sink", SINK),
        ("put the egg in the fridge, I mean the sink", SINK),
        ("put the egg in the fridge, I mean in the sink", SINK),
        ("put the egg in the fridge. Actually, in the sink.", SINK),
        ("put the egg in the fridge, scratch that, in the sink", SINK),
        ("put the apple in the sink, no, the egg", SINK),
        ("put the egg in the fridge, no, on the table, no wait, in the sink", SINK),
        ("put the egg in the fridge, no, in the sink, and close the fridge", [*SINK, "close(fridge)"]),
        ("wash the egg and put it in the fridge, oh no, sorry, in the sink", ["clean(egg)", *SINK]),
        ("Bring me the egg... no, the apple", ["bring(apple)"]),
        ("open the fridge, or rather the microwave", ["open(microwave)"]),
        ("put the egg on the table, actually, put it in the sink", SINK),
        ("put the egg on the table. Actually put it in the sink.", SINK),
        ("put the egg on the table, no wait, put the egg in the sink", SINK),
        ("put the egg on the table, sorry, I mean place it in the sink", SINK),
        ("put the egg on the table, no, on the shelf, no, put it in the sink", SINK),
        ("bring me the egg... actually, put it in the sink", SINK),
        ("wash the egg and put it on the table, no, put it in the sink", ["clean(egg)", *SINK]),
        (
            "put the egg on the table and the cup too, actually, put the egg in the sink",
            ["place(cup, table, on)", *SINK],
        ),
        ("open the fridge, no wait, close it", ["close(fridge)"]),
    ],
)
def test_a_correction_takes_the_place_of_what_was_said(text: str, wanted: list[str]) -> None:
    understood = UNDERSTANDING.understand(text)
    assert isinstance(understood, Understood), understood
    assert [*map(str, understood.goals)] == wanted
    assert understood.notes[0].startswith("You corrected yourself; I took it as ")


@pytest.mark.parametrize(
    "text",
    [
        "Put the egg in the fridge. Scratch that.",
        "Put the egg in the fridge, no wait.",
        "put the egg in the fridge, no",
        "Put the egg in the fridge, never mind.",
        "put the egg in the bowl, no, the cup",  # into the cup, or the cup?
        "put the egg in the fridge, no, in the blorp",
        "put the egg in the fridge, actually, on the blorp",
        "put the egg in the fridge, no, wash the cup",
        "put the egg in the fridge, scratch that, bring me the plate",
    ],
)
def test_where_it_is_not_clear_what_is_put_right_nothing_is_done(text: str) -> None:
    understood = UNDERSTANDING.understand(text)
    assert isinstance(understood, NotUnderstood)
    assert understood.code is Code.NOT_UNDERSTOOD
    assert "Say it again in one piece" in understood.message


def test_who_never_stops_correcting_themselves_is_told_so_at_once() -> None:
    began = time.process_time()
    understood = UNDERSTANDING.understand("put the egg in the fridge" + ", no, put it in the sink" * 50)
    assert isinstance(understood, NotUnderstood)
    assert time.process_time() - began < 10.0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("if there is no cup, bring me the mug", ["bring(mug) if not there(cup)"]),
        ("No, put the egg in the sink.", SINK),
        ("Actually, put the egg in the sink.", SINK),
        ("Put the egg in the sink. Actually, the fridge is broken.", SINK),
        ("put the egg in the sink, there are no plates", SINK),
        ("put the egg in the sink, actually, slice the apple", [*SINK, "slice(apple)"]),
    ],
)
def test_other_words_of_this_kind_correct_nothing(text: str, wanted: list[str]) -> None:
    understood = UNDERSTANDING.understand(text)
    assert isinstance(understood, Understood), understood
    assert [*map(str, understood.goals)] == wanted
    assert not understood.notes
