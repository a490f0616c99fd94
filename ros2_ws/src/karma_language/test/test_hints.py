# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a question that no rule reads is taken for, and what is not taken for a question about the home."""

from __future__ import annotations

import pytest

from karma_language.hints import hinted
from karma_language.reading import Kind
from karma_language.vocabulary import household

NOW = 1_778_068_800.0
"""2026-05-06 12:00 UTC."""


@pytest.mark.parametrize(
    ("words", "kind", "deed"),
    [
        ("Tell me the last time you saw the sponge", Kind.WHEN, "see"),
        ("Count how often you moved the apple", Kind.HOW_OFTEN, "move"),
        ("the location of my mug, please?", Kind.WHERE, ""),
        ("I wonder what the number of plates is", Kind.COUNT, ""),
        ("would you guess that the fridge is open?", Kind.STATE, ""),
        ("which person would have asked for the mug", Kind.WHO, "ask"),
    ],
)
def test_the_words_of_a_question_and_the_one_thing_in_it_say_what_it_asks_for(
    words: str, kind: Kind, deed: str
) -> None:
    question = hinted(words, household(), NOW)
    assert question is not None
    assert (question.kind, question.deed) == (kind, deed)
    assert question.thing is not None
    assert question.quote == words


@pytest.mark.parametrize(
    "words",
    [
        "",
        "how are you?",
        "where does my sister live?",
        "is the mug or the plate dirty, and where is the pan?",
        "who is the statue from?",
        "how long does an egg take?",
        "is there room for the mug?",
    ],
)
def test_words_without_one_thing_or_about_something_else_hint_at_nothing(words: str) -> None:
    assert hinted(words, household(), NOW) is None


def test_a_time_is_kept() -> None:
    question = hinted("any guess at the location of the mug yesterday at eight?", household(), NOW)
    assert question is not None
    assert question.time is not None
    assert question.time.text == "yesterday at eight"
