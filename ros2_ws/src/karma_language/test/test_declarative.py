# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What states something and what asks for something, by syntax."""

from __future__ import annotations

import pytest

from karma_language.declarative import Declaratives
from karma_language.reading import Need, Request, Told
from karma_language.requests import Grammar
from karma_language.tokens import tokens_of
from karma_language.vocabulary import household
from karma_language.vocabulary.descriptions import described

LEXICON = household()
GRAMMAR = Grammar(LEXICON, described(LEXICON).is_word)


def declares(text: str) -> bool:
    """Return whether a sentence is one."""
    tokens = tokens_of(text)
    words, capitals = [token.word for token in tokens], [text[token.start].isupper() for token in tokens]
    return Declaratives(words, capitals, LEXICON).declares(0, len(tokens))


@pytest.mark.parametrize(
    "text",
    [
        "My cousin restored that clock in the attic, in 1988.",
        'Every Sunday at noon is "pancake hour"',
        "If it snows tonight I'm working from home",
        "Nina is only allowed her tablet before dinner",
        "Since August the doorbell has been silent",
        "The postman rings the bell on Fridays",
        "Kettle's been leaking since Monday",
        "On weekdays my aunt phones me at nine",
        "Uncle Bert snores terribly",
        "The twins turn six on Sunday",
        "the spare key hangs behind the fridge",
        "Mum left her glasses on the sofa",
        "When I was a boy we lived in Leeds",
        "Before bed Lucy always drinks a glass of milk",
        "Nobody gets into the study while I'm on the phone",
    ],
)
def test_a_subject_and_a_finite_verb_state_something(text: str) -> None:
    assert declares(text)


@pytest.mark.parametrize(
    "text",
    [
        "Put the pear in the fridge",
        "carrot and onion out of the drawer",
        "Lamp lit, radio off, please.",
        "the bowl in the sink must be rinsed",
        "two eggs, fried, on the plate",
        "I'd like the spoon in the cup",
        "The vase would look nicer on the shelf",
        "Now lift the lid and carry it outside",
        "Unscrew the lid and sell it online",
        "the sofa is fine",
        "They go into the drawer",
        "yo can you grab my phone",
        "Take the book which is on the desk",
        "the windows closed",
    ],
)
def test_what_is_wanted_is_not_stated(text: str) -> None:
    assert not declares(text)


@pytest.mark.parametrize(
    ("text", "told", "goals"),
    [
        ("The mug fell off the rack, pick it up", "The mug fell off the rack", 1),
        ("My grandpa carved this bowl in 1950.", "My grandpa carved this bowl in 1950", 0),
        ("Never wake the baby before seven.", "Never wake the baby before seven", 0),
        ("Don't ever move the vase, it was a gift.", "Don't ever move the vase, it was a gift", 0),
    ],
)
def test_what_is_told_is_kept_beside_what_is_asked_for(text: str, told: str, goals: int) -> None:
    read = GRAMMAR.read(text)
    assert [item.quote for item in read.items if isinstance(item, Told)] == [told]
    wanted = [goal for item in read.items if isinstance(item, Request) and not item.never for goal in item.goals]
    assert len(wanted) == goals
    assert not read.unread


@pytest.mark.parametrize(
    "text",
    [
        "I must say it is getting quite stuffy",
        "it's a bit dim in here, isn't it",
        "My hands are freezing",
        "I can barely see",
    ],
)
def test_needs_are_heard_through_hedges_and_tags(text: str) -> None:
    assert any(isinstance(item, Need) for item in GRAMMAR.read(text).items)
