# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said around a request: "too", a preface before a colon, wishes that say where, serving and sitting."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_language.vocabulary import household
from planner_node.understand.goals import NotUnderstood, Statement, Understood
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.preface import without_prefaces
from planner_node.understand.remarks import WithoutRemarks

OFFLINE = WithoutRemarks(OfflineUnderstanding(household()))


def goals(text: str) -> list[str]:
    understood = OFFLINE.understand(text)
    assert isinstance(understood, Understood), understood
    return [str(goal) for goal in understood.goals]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Put the pencil on the shelf, too.", ["place(pencil, shelf, on)"]),
        ("Put the pencil on the shelf as well", ["place(pencil, shelf, on)"]),
        ("Put also the pen on the desk.", ["place(pen, desk, on)"]),
        ("Put the pen, too, on the desk", ["place(pen, desk, on)"]),
        ("Wash the fork, too, and put it in the drawer", ["clean(fork)", "place(fork, drawer, in)"]),
        ("Put the pen as well as the pencil on the desk", ["place(pen, desk, on)", "place(pencil, desk, on)"]),
        ("You should also wash the spoon", ["clean(spoon)"]),
        ("Wash the spoon. Also, close the drawer", ["clean(spoon)", "close(drawer)"]),
    ],
)
def test_too_changes_nothing(text: str, expected: list[str]) -> None:
    assert goals(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Prepare some tea: fill the kettle and put it on the stove", ["fill(kettle)", "place(kettle, stove, on)"]),
        ("Clear up a little: put the vase on the shelf", ["place(vase, shelf, on)"]),
        ("I want to read: bring me the book", ["bring(book)"]),
        ("I want to use the plate: wash it", ["clean(plate)"]),
        ("Do the following: 1. wash the cup 2. put it in the cabinet", ["clean(cup)", "place(cup, cabinet, in)"]),
        ("Wash the mug, then one more thing: close the drawer", ["clean(mug)", "close(drawer)"]),
        ("If the drawer is open: close it", ["close(drawer) if open(drawer)"]),
    ],
)
def test_what_follows_a_colon_is_asked_for(text: str, expected: list[str]) -> None:
    assert goals(text) == expected


def test_a_request_before_a_colon_stays_one() -> None:
    assert goals("Wash the fork: put it in the sink and turn on the faucet")[0] == "clean(fork)"
    assert goals("Put the apple in the fridge: it spoils easily") == ["place(apple, fridge, in)"]


def test_what_is_forbidden_before_a_colon_is_not_forgotten() -> None:
    assert isinstance(OFFLINE.understand("Don't use the stove: heat the potato in the microwave"), NotUnderstood)


def test_what_is_told_behind_a_colon_is_still_told() -> None:
    assert isinstance(OFFLINE.understand("Remember: my mug is on the desk"), Statement)


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["put it", ":", ": ", ", ", ". ", "if", "not", "I want", "1. ", "→"])).map("".join))
def test_prefaces_of_whatever_text(text: str) -> None:
    for understood in (True, False):
        rest, preface = without_prefaces(text, lambda part, said=understood: said)
        assert preface in text
        assert len(rest) <= len(text) + 2 * text.count(":")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'd like the pillow on the armchair", ["place(pillow, armchair, on)"]),
        ("We'd like the pillow on the sofa, please", ["place(pillow, sofa, on)"]),
        ("I want the pen on the desk", ["place(pen, desk, on)"]),
        ("I need the bowl in the sink", ["place(bowl, sink, in)"]),
        ("I would also like the vase on the shelf", ["place(vase, shelf, on)"]),
        (
            "I would like the vase on the shelf and the statue on the dresser",
            ["place(vase, shelf, on)", "place(statue, dresser, on)"],
        ),
        ("I want the cup on the desk washed", ["clean(cup from desk)"]),
        ("I want the pen that is on the desk", ["bring(pen from desk)"]),
    ],
)
def test_a_wish_that_says_where_is_a_request(text: str, expected: list[str]) -> None:
    assert goals(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I'd like some tea",
        "I'd like the cup in the morning",
        "I like the vase on the shelf",
        "I'd like something to read on the sofa",
    ],
)
def test_other_wishes_stay_what_they_are(text: str) -> None:
    assert isinstance(OFFLINE.understand(text), Statement)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Serve the cold tomato on the plate", ["place(cold tomato, plate, on)"]),
        ("Serve me the apple", ["bring(apple)"]),
        ("Serve the apple and the bread", ["bring(apple)", "bring(bread)"]),
        ("Serve me the apple on a plate", ["place(apple, plate, on)", "bring(plate)"]),
        ("Sit the statue on the stool", ["place(statue, stool, on)"]),
        ("Stand the book on the shelf", ["place(book, shelf, on)"]),
        ("Lay the towel on the bed", ["place(towel, bed, on)"]),
        ("Rest the bat against the sofa", ["place(bat, sofa, on)"]),
        ("Prop the pillow on the sofa", ["place(pillow, sofa, on)"]),
        ("Put the book on the stand", ["place(book, stand, on)"]),
        ("Bring me the vase standing on the shelf", ["bring(vase from shelf)"]),
    ],
)
def test_serving_and_ways_to_put_something_somewhere(text: str, expected: list[str]) -> None:
    assert goals(text) == expected


def test_the_robot_itself_sits_nowhere() -> None:
    pen = OFFLINE.understand("Bring me the pen")
    assert isinstance(pen, Understood)
    spoken_of = (pen.goals[0].object,)
    assert isinstance(OFFLINE.understand("Sit on the sofa", spoken_of), NotUnderstood)
