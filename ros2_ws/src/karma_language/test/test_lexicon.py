# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_language.vocabulary import household
from karma_language.vocabulary.lexicon import Lexicon, VocabularyError, split_camel
from karma_language.vocabulary.terms import plural_of

LEXICON = household()


def test_every_category_can_be_called_by_its_own_name() -> None:
    for category in LEXICON.kinds:
        if not LEXICON.kind(category).whole:
            noun = LEXICON.nouns[tuple(split_camel(category).split())]
            assert category in noun.categories


def test_everything_named_as_a_place_or_room_exists() -> None:
    for kind in LEXICON.kinds.values():
        assert set(kind.places) <= set(LEXICON.kinds), kind.category
        assert set(kind.rooms) <= set(LEXICON.rooms.values()), kind.category
        assert kind.affordances <= {"pickup", "open", "toggle", "slice", "break", "fill", "dirty", "hold"}


@pytest.mark.parametrize(
    ("plural", "categories"),
    [
        ("knives", ("Knife",)),
        ("potatoes", ("Potato",)),
        ("loaves of bread", ("Bread",)),
        ("bars of soap", ("SoapBar",)),
        ("slices of bread", ("Bread",)),
        ("glasses", ("Cup",)),
        ("batteries", None),
    ],
)
def test_plurals(plural: str, categories: tuple[str, ...] | None) -> None:
    noun = LEXICON.nouns.get(tuple(plural.split()))
    assert (noun.categories if noun else None) == categories


@pytest.mark.parametrize(
    ("slip", "word"),
    [
        ("aple", "apple"),
        ("tomatoe", "tomato"),
        ("refridgerator", "refrigerator"),
        ("mircowave", "microwave"),
        ("televison", "television"),
        ("moon", None),
        ("plane", None),
        ("lamb", None),
        ("spaces", None),
        ("cat", None),
        ("", None),
        ("12345", None),
    ],
)
def test_slips_are_corrected_and_other_words_are_left_alone(slip: str, word: str | None) -> None:
    assert LEXICON.correct(slip) == word


@given(st.text(max_size=40))
def test_nothing_raises_whatever_the_word(word: str) -> None:
    LEXICON.correct(word)
    assert len(LEXICON.misspelt(word)) <= 3


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("frudge", ["fridge"]),
        ("Laptob", ["laptop"]),
        ("spoosn", ["spoons"]),
        ("sofe", ["safe", "sofa"]),
        ("mikrowafe", ["microwave"]),
        ("coffee tible", ["coffee table"]),
        ("wall", []),  # a word of its own: no ball
        ("walls", []),
        ("plane", []),
        ("ship table", []),
        ("moon", []),
        ("zorblax", []),
        ("nug", []),  # too short to say
        ("fridge", []),
        ("", []),
    ],
)
def test_only_a_typo_suggests_a_name(said: str, meant: list[str]) -> None:
    assert LEXICON.misspelt(said) == meant


def test_a_home_brings_its_own_furniture_and_rooms() -> None:
    home = LEXICON.of_home(["chest of drawers"], ["tv room", "kitchen"])
    assert home.nouns[("chests", "of", "drawers")].categories == ("chest of drawers",)
    assert home.can("chest of drawers", "hold")
    assert (home.rooms[("tv", "room")], home.rooms[("kitchen",)]) == ("tv room", "Kitchen")


@pytest.mark.parametrize("text", ["", "[1, 2", "objects: 3", "plurals: {}\nobjects: {Apple: 3}", "- a"])
def test_a_malformed_vocabulary_is_refused(text: str) -> None:
    with pytest.raises(VocabularyError):
        Lexicon.load(text)


def test_phrases_are_looked_up_whole_by_their_end_and_by_their_beginning() -> None:
    assert LEXICON.noun("Coffee machine") == LEXICON.nouns["coffee", "machine"]
    assert LEXICON.noun("") is None
    assert LEXICON.room("Living room") == "LivingRoom"
    assert LEXICON.room("mug") == ""
    assert LEXICON.noun_ending("my big coffee machine") == ("coffee machine", LEXICON.noun("coffee machine"))
    assert LEXICON.noun_ending("nothing of it") == ("", None)
    assert LEXICON.noun_beginning(["coffee", "machine", "there"]) == (2, LEXICON.noun("coffee machine"))
    assert LEXICON.noun_beginning(["there", "mug"]) == (1, None)


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("butter knife", "butter knives"),
        ("head of lettuce", "heads of lettuce"),
        ("scissors", "scissors"),
        ("box", "boxes"),
    ],
)
def test_one_and_several(one: str, several: str) -> None:
    assert plural_of(one) == several
