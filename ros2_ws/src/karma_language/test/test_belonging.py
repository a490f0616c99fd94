# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose things are said to be, and where they are said to belong."""

from __future__ import annotations

import pytest

from karma_language.requests.belonging import goes_home
from karma_language.requests.requests import Grammar
from karma_language.requests.telling import with_home
from karma_language.told.reader import read_told
from karma_language.vocabulary import household
from karma_language.vocabulary.descriptions import described


def told(text: str) -> list[tuple[str, str, str]]:
    """Return what is told: the thing, its owner or its home, and where it is."""
    grammar = Grammar(household(), described(household()).is_word)
    found = []
    for one in grammar.belongings(text):
        home = one.home.thing.text if one.home is not None else ""
        place = one.thing.place.thing if one.thing.place is not None else None
        found.append((one.thing.text, one.owner or home, f"{place.text} {place.room}".strip() if place else ""))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the phone on the desk is Tom's", ("phone", "tom", "desk")),
        ("The phone on the desk belongs to Tom.", ("phone", "tom", "desk")),
        ("Those boots belong to my brother.", ("boots", "brother", "")),
        ("That's my laptop on the desk.", ("laptop", "me", "desk")),
        ("this is Tom's mug", ("mug", "tom", "")),
        ("The red mug is my mug.", ("red mug", "me", "")),
        ("Bob's watch is the one in the box", ("watch", "bob", "box")),
        ("and the laptop on the desk in the bedroom belongs to sam", ("laptop", "sam", "desk bedroom")),
        ("the laptop on the sofa is mine, don't give it to anyone", ("laptop", "me", "sofa")),
        ("hey robot the phone on my bed is mine ok? the other ones arent", ("phone", "me", "bed")),
        ("[the laptop] that one is mine", ("laptop", "me", "")),
        ("[the mug on the kitchen counter] right well, it's mine", ("mug", "me", "kitchen counter")),
        ("[the mug] mine is the one in the bedroom", ("mug", "me", "bedroom bedroom")),
        ("[the mug] Mine's the other one, the one on the dresser.", ("mug", "me", "dresser")),
        ("[the book] My one's in the bedroom, on the desk.", ("book", "me", "desk bedroom")),
        ("Mine is the mug in the kitchen.", ("mug", "me", "kitchen kitchen")),
        ("ok then it must be mine, I left it there.", ("it", "me", "")),
        ("In fact the phone must always stay on the side table", ("phone", "side table", "")),
        ("From now on the remote always goes on the coffee table.", ("remote", "coffee table", "")),
        ("From now on, put the apples in the fridge", ("apples", "fridge", "")),
        ("the book on the desk? mine", ("book", "me", "desk")),
        ("Phone on the guest bed: Ailsa's.", ("phone", "ailsa", "guest bed")),
        ("card on the tv stand - my husband Emre", ("card", "husband emre", "tv stand")),
        ("so the book on the dining table, that's my uncle's", ("book", "uncle", "dining table")),
        ("the pillow on the sofa's mine", ("pillow", "me", "sofa")),
        ("The other laptop, on the desk, is mine.", ("laptop", "me", "desk")),
        ("Grandpa gave me the watch on the desk, for my eighteenth.", ("watch", "me", "desk")),
        ("[the mug] Hers was the red one, but she left it to me.", ("mug", "me", "")),
        ("I own the laptop by the TV", ("laptop", "me", "tv")),
        ("The kids' laptop is on the sofa.", ("laptop", "kids", "sofa")),
        ("the newspapers are kept in the drawer", ("newspapers", "drawer", "")),
        ("ok new rule, my keys live on the dresser next to the book", ("keys", "dresser", "")),
    ],
)
def test_owners_and_homes_are_read(text: str, expected: tuple[str, str, str]) -> None:
    assert told(text) == [expected]


def test_what_is_told_of_several_things_is_told_of_each() -> None:
    found = told("Her pen and the pencil belong on the desk.")
    assert found == [("pen", "desk", ""), ("pencil", "desk", "")]


@pytest.mark.parametrize(
    "text",
    [
        *("the cat is on the sofa", "the door is open", "the mug belongs to the kitchen", "the vase was a gift"),
        *("put the mug on the desk, Tom", "I left it to dry", "give me the phone", "I gave it back to Tom"),
        *("the lamp: off", "the TV - off", "The mug - broken", "The mug: whose?", "My wife is in bed"),
        *("I have not given the phone to Tom.", "Tom gave me the phone to fix", "My laptop was on the desk yesterday."),
        *("leave the mug to Anna", "I left the keys to the shed on the desk", "hers is the one on the desk"),
    ],
)
def test_what_tells_of_neither_is_left(text: str) -> None:
    assert not told(text)


def test_where_it_belongs_is_not_where_it_was() -> None:
    assert goes_home("put my keys where they belong")
    assert not goes_home("put the keys back where they were")


@pytest.mark.parametrize(
    ("text", "broken"),
    [("Toaster's broken since Easter.", True), ("the microwave doesn't work", True), ("the toaster is new", False)],
)
def test_what_does_not_work_is_told(text: str, broken: bool) -> None:
    grammar = Grammar(household(), described(household()).is_word)
    assert any(one.broken for one in grammar.belongings(text)) is broken


def kinds(text: str) -> list[tuple[str, str]]:
    """Return what words tell, as it is journaled: what kind of thing, and of whom."""
    return [(one.kind.value, *one.of[:1]) for one in with_home(read_told(text, 0.0), text, 0.0)]


def test_whose_a_thing_is_is_told_once() -> None:
    assert [one for one in kinds("The laptop on the desk is Tom's.") if one[0] == "fact"] == []
    assert ("owner", "Tom") in kinds("The laptop on the desk is Tom's.")
    assert ("owner", "me") in kinds("The mug is mine.")
    assert ("fact", "me") in kinds("The mug is mine. My sister is called Eva.")
    assert kinds("Is the mug mine?") == []
