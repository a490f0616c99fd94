# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Small utterances of a dialogue."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from karma_language.dialogue import utterances as dialogue


@pytest.mark.parametrize(
    ("says", "yes", "no"),
    [
        (dialogue.undoes, ("Undo that.", "take it back", "put everything back as it was"), ("take the cup back",)),
        (dialogue.puts_back, ("put it back, please", "return them"), ("put the cup back", "put it back on the table")),
        (dialogue.takes_any, ("whichever", "I don't care", "the nearest one"), ("the red one", "on the manygate")),
        (dialogue.agrees, ("Yes, please.", "ok", "sure!"), ("yes, no, wait", "no", "", "the cup", "do not")),
        (dialogue.says_order, ("the cup, then the pen", "1. the cup"), ("the cup and the pen",)),
        (dialogue.is_negative, ("the cup isn't clean", "never open it"), ("the knot is tied",)),
        (dialogue.is_superlative, ("biggest", "heaviest"), ("rest", "big")),
    ],
)
def test_what_a_text_says(says: Callable[[str], bool], yes: tuple[str, ...], no: tuple[str, ...]) -> None:
    assert [says(text) for text in yes] == [True] * len(yes)
    assert [says(text) for text in no] == [False] * len(no)


def test_what_is_left_without_small_words() -> None:
    assert dialogue.without_link("because we need milk") == "we need milk"
    assert dialogue.without_so("and so put it away") == "put it away"
    assert dialogue.corrected("the box, I mean") == "the box"


def test_where_a_pronoun_is_that_something_is_told_of() -> None:
    assert dialogue.pronoun_told_of("I think it's on the desk") == 8
    assert dialogue.pronoun_told_of("the cup is on the desk") is None
    assert dialogue.pronoun_told_of("Arthur brought me that one from Lisbon") == 23
    assert dialogue.pronoun_told_of("the one in the bedroom is mine ok") == 4
    assert dialogue.pronoun_told_of("Layla is the only one who may take it") == 35
    assert dialogue.pronoun_told_of("It is raining again") is None


@pytest.mark.parametrize(
    ("text", "before", "person"),
    [
        ("he's had trouble swallowing", "Mr Novak takes his tablets at eight", "Mr Novak"),
        ("no bread for her", "My sister is coming on Friday", "My sister"),
        ("Tom says he hates onions", "Mr Novak takes his tablets at eight", ""),
        ("his name is Tom", "My brother visits on Sunday", "My brother"),
        ("Her birthday is in May", "My wife Elsa gave me that CD", "My wife Elsa"),
        ("it is broken", "Mr Novak takes his tablets at eight", ""),
    ],
)
def test_who_was_spoken_of_is_told_of(text: str, before: str, person: str) -> None:
    assert dialogue.person_told_of(text, ["How are you?", before, "Fill it with water"]) == person


def test_a_thing_may_have_a_name() -> None:
    assert dialogue.person_told_of("his name is Captain Fluff!", ["where's my teddy?"]) == "my teddy"
    assert dialogue.with_name("his name is Captain Fluff!", "my teddy") == "my teddy's name is Captain Fluff!"


@pytest.mark.parametrize(
    ("said", "thing"),
    [("I put my passport in the drawer", "my passport"), ("Where are the scissors?", "the scissors"), ("It rains", "")],
)
def test_what_a_text_is_about_is_named_by_it(said: str, thing: str) -> None:
    assert dialogue.thing_told_of(said) == thing


def test_what_some_verbs_lack() -> None:
    assert dialogue.particles("turn") == ("on", "off")
    assert dialogue.particles("toss") == ("away", "up")
    assert dialogue.particles("put") is None


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("Nobody is to touch the wine bottle.", "don't touch the wine bottle."),
        ("Nobody touches the wine bottle", "don't touch the wine bottle"),
        ("Don't ever touch the vases, they were hers.", "don't touch the vases, they were hers."),
        ("You are not allowed to use the kettle", "don't use the kettle"),
        ("I don't want anyone to move my laptop", "don't move my laptop"),
        ("From now on, don't open the safe", "don't open the safe"),
        ("Leave the newspaper where it is.", "don't touch the newspaper"),
        ("Hands off my cake!", "don't touch my cake"),
        ("The statue must stay where it is", "don't touch the statue"),
        ("It was my gran's, so don't touch it", "don't touch it"),
        ("The vase must stay on the shelf", "don't touch the vase"),
    ],
)
def test_what_is_told_may_forbid(said: str, command: str) -> None:
    assert command in dialogue.forbidding(said)


def test_what_forbids_nothing_is_no_command() -> None:
    assert [dialogue.forbidding(said) for said in ("You may use the kettle", "The vase is blue")] == [(), ()]
