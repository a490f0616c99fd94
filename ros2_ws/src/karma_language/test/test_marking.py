# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_language.phrases.marking import mark
from karma_language.things import Limit, Thing
from karma_language.vocabulary import household
from karma_language.vocabulary.words import base_form


def things(text: str, **names: tuple[str, ...]) -> tuple[Thing, ...]:
    return mark(text, household(), names).things


@pytest.mark.parametrize(
    ("text", "marked", "said"),
    [
        ("where is the red mug", "where is <0>", ["red mug"]),
        ("is the mug that is on the table clean", "is <0> that is on <1> clean", ["mug", "table"]),
        ("do we have milk", "do we have <0>", ["milk"]),
        ("is there still sugar", "is there still <0>", ["sugar"]),
        ("how many rooms does this flat have", "how many <0> does <1> have", ["rooms", "flat"]),
        ("which of the mugs is dirty", "which of <0> is dirty", ["mugs"]),
        ("is the zorbl clean", "is <0> clean", ["zorbl"]),
        ("are all the lights off upstairs", "are <0> off in <1>", ["lights", "upstairs"]),
        ("are the lights on the ground floor on", "are <0> on <1> on", ["lights", "ground floor"]),
        ("is it in there", "is <0> in <1>", ["it", "it"]),
        ("what happened to that", "what happened to <0>", ["that"]),
        ("did you water the plants", "did you water <0>", ["plants"]),
        ("what time is it", "what <0> is <1>", ["time", "it"]),
        ("what stands on the shelf", "what stands on <0>", ["shelf"]),
        ("what else stands in the sink", "what else stands in <0>", ["sink"]),
        ("who lives there", "who lives there", []),
        ("what is on the living room's sofa", "what is on <0>", ["sofa"]),
        ("", "", []),
    ],
)
def test_noun_phrases_are_marked(text: str, marked: str, said: list[str]) -> None:
    found = mark(text, household())
    assert found.text == marked
    assert [thing.text for thing in found.things] == said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "the dirty red mugs",
            {"categories": ("Mug",), "loosely": ("Cup",), "attributes": ("dirty", "red"), "plural": True},
        ),
        ("my phone", {"categories": ("CellPhone",), "owner": "me"}),
        ("Tom's phone", {"categories": ("CellPhone",), "owner": "Tom", "text": "phone"}),
        ("her book", {"categories": ("Book",), "owner": "her"}),
        ("His phone", {"categories": ("CellPhone",), "owner": "his"}),
        ("the 2nd mug", {"categories": ("Mug",), "attributes": ("second",), "number": 0}),
        ("two of the three mugs", {"number": 2}),
        ("more than two mugs", {"number": 3, "limit": Limit.LEAST}),
        ("fewer than three mugs", {"number": 2, "limit": Limit.MOST}),
        ("only two mugs", {"number": 2, "limit": Limit.EXACTLY}),
        ("two plates", {"number": 2, "text": "plates", "plural": True}),
        ("the kitchen", {"room": "kitchen", "categories": ()}),
        ("upstairs", {"floor": "upstairs"}),
        ("the second floor", {"floor": "second"}),
        ("them", {"pronoun": True, "plural": True}),
        ("the blue one", {"pronoun": True, "attributes": ("blue",)}),
    ],
)
def test_a_phrase_is_read_as_a_thing(text: str, expected: dict[str, object]) -> None:
    (thing,) = things(text)
    assert {name: getattr(thing, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "room"),
    [
        ("the living room's sofa", "living room"),
        ("the guest room's closet", "guest room"),
        ("the kitchen's lamp", "kitchen"),
        ("the bathroom's light", "bathroom"),
    ],
)
def test_what_is_a_rooms_is_in_that_room_and_nobodys(text: str, room: str) -> None:
    (thing,) = things(text)
    assert thing.place is not None
    assert (thing.place.thing.room, thing.owner) == (room, "")


def test_names_of_this_home_are_nouns() -> None:
    (thing,) = things("where is excalibur", excalibur=("Knife",))
    assert thing.categories == ("Knife",)


@given(st.text(max_size=200).filter(lambda text: "<" not in text and ">" not in text))
def test_every_mark_has_its_thing(text: str) -> None:
    found = mark(text, household())
    assert all(f"<{number}>" in found.text for number in range(len(found.things)))
    together = "".join(text.casefold().split())  # "baseballbat" is a baseball bat
    assert all("".join(thing.text.casefold().split()) in together or thing.pronoun for thing in found.things)


@pytest.mark.parametrize(
    ("said", "base"),
    [
        ("moved", "move"),
        ("switched on", "switch on"),
        ("emptied", "empty"),
        ("stirring", "stir"),
        ("baked", "bake"),
        ("filled", "fill"),
        ("rinsed", "rinse"),
        ("taken", "take"),
        ("bring", "bring"),
        ("handled", "handle"),
    ],
)
def test_base_forms_of_verbs(said: str, base: str) -> None:
    assert base_form(said) == base
