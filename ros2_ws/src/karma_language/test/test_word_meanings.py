# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What single words mean to who carries out a request."""

from __future__ import annotations

from karma_language.vocabulary import word_meanings


def test_nouns() -> None:
    assert word_meanings.means("things", word_meanings.Sort.ANYTHING)
    assert not word_meanings.means("mug", word_meanings.Sort.ANYTHING)
    assert word_meanings.means("slice", word_meanings.Sort.PORTION)
    assert not word_meanings.means("bread", word_meanings.Sort.PORTION)


def test_verbs() -> None:
    assert word_meanings.begins_with_verb("Wash the mug")
    assert not word_meanings.begins_with_verb("the mug")
    assert not word_meanings.begins_with_verb("")
    assert word_meanings.verb_senses(("rinse", "the", "mug")) == {word_meanings.sense_of("wash")}
    assert "throw" in word_meanings.senses_in("Stop throwing the ball")
    assert not word_meanings.senses_in("the mug")


def test_pronouns() -> None:
    assert word_meanings.means("both", word_meanings.Sort.SEVERAL)
    assert not word_meanings.means("it", word_meanings.Sort.SEVERAL)
    assert word_meanings.means("ones", word_meanings.Sort.ANOTHER)
    assert [word_meanings.other_owner(owner) for owner in ("me", "ann", "")] == ["", "ann", ""]


def test_levels() -> None:
    said = ("the one on the lower shelf", "top", "the middle drawer", "the mug")
    assert [word_meanings.level_in(text) for text in said] == ["bottom", "top", "middle", ""]


def test_what_words_stand_for() -> None:
    assert word_meanings.speaks_of("warm water", word_meanings.Sort.WATER)
    assert not word_meanings.speaks_of("watering can", word_meanings.Sort.WATER)
    assert word_meanings.tells_manner("carefully")
    assert not word_meanings.tells_manner("upside down")


def test_what_was_dealt_with() -> None:
    said = ("ripe fruit you just washed", "fruit", "you")
    assert [word_meanings.noun_dealt_with(text) for text in said] == ["fruit", "", ""]


def test_likeness() -> None:
    assert word_meanings.likeness("the red mug", "mug red the") == 100.0
    assert word_meanings.likeness("mug", "xyz") < 50.0
