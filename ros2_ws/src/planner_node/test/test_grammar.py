# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people say becomes goals by rules; what is not read in whole is not done."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_language.vocabulary import household
from planner_node.skills import Code
from planner_node.understand.goals import ALL, NotUnderstood, ObjectRef, Statement, Understood
from planner_node.understand.offline import OfflineUnderstanding

UNDERSTANDING = OfflineUnderstanding(household())
_LINES = Path(__file__).with_name("requests.txt").read_text(encoding="utf-8").splitlines()
REQUESTS = [tuple(line.split("\t")) for line in _LINES if line and not line.startswith("#")]
_REMARKS = (
    ",",
    ". ",
    "—",
    " so ",
    "because",
    " since ",
    " to free ",
    "which",
    "reading",
    "look",
    "may",
    "where",
    "afterwards",
    "bath",
    "Where",
    "racket",
    "basket",
    "something",
    "cant",
)
PLAIN = [text for text, _ in REQUESTS if not any(remark in text for remark in _REMARKS)]
"""Requests beside which nothing is told."""


def goals(text: str, spoken_of: tuple[ObjectRef, ...] = ()) -> list[str]:
    """Return the goals of a text; fail where there are none."""
    said = UNDERSTANDING.understand(text, spoken_of)
    assert isinstance(said, Understood), said
    return [str(goal) for goal in said.goals]


@pytest.mark.parametrize(("text", "wanted"), REQUESTS)
def test_what_is_asked_for_becomes_goals(text: str, wanted: str) -> None:
    assert "; ".join(goals(text)) == wanted


@pytest.mark.parametrize("text", PLAIN)
def test_a_word_that_is_not_read_is_named_and_nothing_is_done(text: str) -> None:
    said = UNDERSTANDING.understand(f"{text.rstrip('.!? ')} blorp")
    assert isinstance(said, NotUnderstood), said
    assert "blorp" in said.message


@pytest.mark.parametrize(
    "text",
    [
        "has to be",
        "needs to be",
        "ought to be",
        "belongs on the shelf",
        "goes on the shelf",
        "would look nice on the shelf",
        "Put the mug where it belongs",
        "Put the mug where it goes",
        "Put the mug where we keep the forks",
        "Put the mug where you want",
        "Let me know if it is on.",
        "Tell me whether the fridge is closed.",
        "After you have put the mug away, open the blinds",
        "The apple on the table is rotten; toss it",
        "Toss the apple",
        "If it rains, put the cup in the sink",
        "Polish the table, then put the cup in the sink",
        "I'd like some tea",
        "I'd like the cup in the morning",
        "Make sure no knives are on the counter",
        "Make sure nobody turns on the lamp",
        "Make sure there are no plates in the sink",
        "No fork should go in the microwave",
        "No mug should be washed",
        "None of the mugs should be washed",
        "Put no forks in the drawer",
        "The milk shouldn't be in the cabinet, put it in the fridge",
        "Take the mug and the bowl, and put one of them in the sink",
        "The milk is in the cabinet, put it in the fridge",
        "Put the egg in the fridge, never mind.",
        "Put the egg in the fridge, no wait.",
        "Put the egg in the fridge. Scratch that.",
        "put the egg in the bowl, no, the cup",
        "put the egg in the fridge, actually, on the blorp",
        "put the egg in the fridge, no",
        "put the egg in the fridge, no, in the blorp",
        "bring me the hair dryer",
        "put the mug in the sink, not tonight",
        "put the mug over there",
        "put the mug there",
        "take the mug from the table and put it there",
        "fill the cup with milk",
        "put the bowl to the left of the plate",
        "throw the knife at my brother",
        "go through the wall",
        "bring me the biggest knife",
        "wait five minutes and then bring me an apple",
        "put the apple in the fridge or the cabinet",
        "don't touch the knife",
        "bring Tom his phone",
        "put the cups on the shelf, not the blargish ones",
        "put the cups on the shelf, except the red one",
        "put the cups in the sink, but wash the red one first",
        "please cook me soup with noodles",
    ],
)
def test_what_is_not_clear_or_forbidden_is_not_done(text: str) -> None:
    assert isinstance(UNDERSTANDING.understand(text), NotUnderstood)


@pytest.mark.parametrize(
    "text",
    [
        "I always put my glasses on the desk",
        "I like apples",
        "Remember that the keys are in the safe",
        "my favourite cup is the blue one",
        "note: the vase belongs to grandmother",
        "I want no books on the bed",
        "I want there to be no books on the bed",
        "Nobody should put the mug in the microwave",
        "The cup isn't supposed to be on the floor",
        "The mug shouldn't be washed",
        "There should be no knives on the counter.",
        "My keys belong in the drawer.",
        "The keys always go in the drawer.",
        "the keys are on the table",
        "He should put the mug in the sink",
        "I cut the bread and put it in the fridge",
        "I will wash the cup",
        "I'll put the mug in the sink",
        "I'm going to put the mug in the sink",
        "My wife will wash the mug",
        "She put the knife in the drawer and turned off the light",
        "The bowl left alone",
        "We put the bread in the fridge",
        "A vase on the shelf would be dangerous",
        "A vase on the shelf would be terrible",
        "John put the mug in the sink",
        "A vase on the shelf would be ugly",
        "The forks go in the drawer.",
        "The plates should be in the cabinet.",
        "Every time I come home, turn on the lamp.",
        "No clean plates in the sink, please.",
        "no open windows in the bedroom",
        "I like that the lamp is on",
        "ok thanks, gotta run",
        "I want that the fridge is always closed",
    ],
)
def test_what_is_only_told_is_no_request(text: str) -> None:
    assert isinstance(UNDERSTANDING.understand(text), Statement)


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("I'm cold", "window"),
        ("it's dark in here", "lamp"),
        ("I am so hungry", "eat"),
        ("it's too bright", "lamp"),
        ("we're thirsty", "drink"),
    ],
)
def test_who_lacks_something_is_asked_what_would_help(text: str, offered: str) -> None:
    said = UNDERSTANDING.understand(text)
    assert isinstance(said, NotUnderstood)
    assert said.code is Code.AMBIGUOUS
    assert offered in said.message
    assert len(said.choices) > 1


def test_the_answer_to_an_offer_says_what_helps() -> None:
    assert goals("it's dark in here the floor lamp please") == ["switch_on(floor lamp)"]
    assert goals("it's dark in here yes please") == ["switch_on(lamp)"]


def test_a_pronoun_means_the_same_object() -> None:
    said = UNDERSTANDING.understand("wash the apple and put it in the bowl")
    assert isinstance(said, Understood)
    first, second = (goal.object for goal in said.goals)
    assert first is not None
    assert second is not None
    assert first.entity == second.entity


def test_another_one_is_not_the_same() -> None:
    said = UNDERSTANDING.understand("put an apple in the bowl and another apple in the sink")
    assert isinstance(said, Understood)
    first, second = (goal.object for goal in said.goals)
    assert first is not None
    assert second is not None
    assert second.other
    assert first.entity != second.entity


def test_it_can_mean_what_the_instruction_before_was_about() -> None:
    mug = ObjectRef(("Mug",), "mug", id="Mug|1")
    said = UNDERSTANDING.understand("put it in the sink", (mug,))
    assert isinstance(said, Understood)
    assert said.goals[0].object is not None
    assert said.goals[0].object.id == "Mug|1"


def test_everything_but_one_thing() -> None:
    said = UNDERSTANDING.understand("put everything from the coffee table in the box except the remote")
    assert isinstance(said, Understood)
    ref = said.goals[0].object
    assert ref is not None
    assert ref.count == ALL
    assert ref.place is not None
    assert ("RemoteControl",) in [one.categories for one in ref.but]


@pytest.mark.parametrize(
    ("text", "place", "room"),
    [
        ("put the books on the shelf, but leave the one on the desk", "desk", ""),
        ("put the books on the shelf, but leave the one on the desk where it is", "desk", ""),
        ("put the books on the shelf, but not the one on the desk", "desk", ""),
        ("put the books on the shelf, all but the one in the bedroom", "", "bedroom"),
        ("put every book on the shelf, but not the one from the bedroom", "", "bedroom"),
        ("put the books on the shelf, just not the one on the desk", "desk", ""),
        ("put the books on the shelf all of them except the one in the bedroom", "", "bedroom"),
    ],
)
def test_all_but_the_one_at_a_place(text: str, place: str, room: str) -> None:
    said = UNDERSTANDING.understand(text)
    assert isinstance(said, Understood)
    [goal] = said.goals
    assert goal.object is not None
    assert goal.object.count == ALL
    [left] = goal.object.but
    assert (left.place.noun if left.place is not None else "", left.room) == (place, room)


@pytest.mark.parametrize(("place", "room"), [("the kitchen table", "kitchen"), ("the guest room desk", "guest room"),
                                             ("the table in the lounge", "lounge")])  # fmt: skip
def test_a_place_is_in_the_room_that_is_named_with_it(place: str, room: str) -> None:
    said = UNDERSTANDING.understand(f"put the book on {place}")
    assert isinstance(said, Understood)
    assert said.goals[0].destination is not None
    assert said.goals[0].destination.room == room


@pytest.mark.parametrize(
    ("text", "source", "room", "to"),
    [
        ("bring the book on the shelf in the kitchen to the sofa", "shelf", "kitchen", "sofa"),
        ("bring the book that is on the shelf in the kitchen to the sofa", "shelf", "kitchen", "sofa"),
        ("take the book next to the lamp to the desk", "", "", "desk"),
        ("move the egg in the bowl on the table to the counter", "bowl", "", "counter"),
        ("carry my laptop over to the desk, the one on the bed", "", "", "desk"),
    ],
)
def test_where_a_thing_is_comes_before_where_it_goes(text: str, source: str, room: str, to: str) -> None:
    said = UNDERSTANDING.understand(text)
    assert isinstance(said, Understood)
    [goal] = said.goals
    assert goal.object is not None
    assert goal.destination is not None
    there = goal.object.place
    assert ("" if there is None else there.noun, "" if there is None else there.room) == (source, room)
    assert goal.destination.noun == to


def test_what_liquid_is_brought_in_goes_into_it_first() -> None:
    assert goals("could I have some water in a cup?") == ["fill(cup)", "bring(cup)"]
    assert goals("bring me some water in a cup") == ["fill(cup)", "bring(cup)"]


def test_the_one_at_a_place_is_the_thing_where_the_place_is_only_pointed_to() -> None:
    assert goals("bring my laptop over here, the one on the bed", (ObjectRef(("Sofa",), "sofa", entity=1),)) == [
        "place(laptop from bed, sofa)"
    ]


def test_a_thing_may_be_named_by_its_id() -> None:
    said = UNDERSTANDING.understand("pick up Apple|-00.47|+01.15|+00.48")
    assert isinstance(said, Understood)
    assert said.goals[0].object is not None
    assert said.goals[0].object.id == "Apple|-00.47|+01.15|+00.48"


@pytest.mark.parametrize(("text", "code"), [("", Code.INVALID_ARGUMENT), ("apple " * 1000, Code.INVALID_ARGUMENT)])
def test_what_is_too_short_or_too_long_is_refused(text: str, code: Code) -> None:
    said = UNDERSTANDING.understand(text)
    assert isinstance(said, NotUnderstood)
    assert said.code is code


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(max_size=200),
        st.lists(st.sampled_from(" ".join(text for text, _ in REQUESTS).split()), max_size=25).map(" ".join),
    )
)
def test_no_text_whatever_raises(text: str) -> None:
    UNDERSTANDING.understand(text)
