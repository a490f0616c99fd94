# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Noun phrases for things of any name, and lists of them."""

from __future__ import annotations

from dataclasses import dataclass

from karma_language.phrases import COUNTS
from karma_language.vocabulary.lexicon import household
from karma_language.words import GENERIC, PLAIN_ADJECTIVES
from planner_node.arranging.words import ADVERBS, AFTER_NOUN, DETERMINERS, POSSESSIVE, PRONOUNS

_MANY = 20
"""Numbers from here on are part of a name."""
_DIGITS = 4
"""Of a number that are read: more are no count."""
_NO_NOUN = DETERMINERS - POSSESSIVE - {"one", "two"} | ADVERBS | {",", "of", "me"}
_NO_END = ADVERBS | {",", "and", "to", "on", "in", "from", "by", "at", ":"}


@dataclass(frozen=True)
class ThingRef:
    """Something that is to be moved, as it is spoken of."""

    phrase: str
    """Without its determiner: "brass lantern with a tall handle", "drum"."""
    head: str
    """The phrase up to its first modifier after the noun: "brass lantern", "drum"."""
    plural: bool = False
    """Whether there is no telling how many: "the toys"."""
    count: int = 1
    """How many; 1 also where there is no telling."""
    other: bool = False
    """Whether it is not one that was spoken of before ("another cup")."""
    told: tuple[str, ...] = ()
    """What the rest of the text tells of it."""


def noun_phrases(tokens: list[str]) -> list[ThingRef]:
    """Split a list of things into its phrases: "the drum, flute and my red kite with a tail" are three."""
    phrases: list[list[str]] = [[]]
    described = False
    """Whether the phrase is past its noun."""
    for index, word in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        current = phrases[-1]
        if word not in ("and", ",", "then", "&", "plus"):
            described |= word in AFTER_NOUN and any(w not in DETERMINERS for w in current)
            current.append(word)
        elif current and _goes_on(word, following, current[-1], described):
            current.append(word)
        elif current:
            phrases.append([])
            described = False
    return [thing for phrase in phrases if (thing := _thing(phrase)) is not None]


def _goes_on(link: str, following: str, before: str, described: bool) -> bool:
    """Whether "and" or a comma joins two words of one phrase: "a green and purple kite", "with a round, flat lid"."""
    if described:
        return following not in POSSESSIVE | {"the", "then", "and"}
    colours = household().colours
    adjective = before in colours or before in PLAIN_ADJECTIVES
    return adjective and (following in colours or link == "and")


def _thing(tokens: list[str]) -> ThingRef | None:
    """Return what one phrase speaks of, None where it has no noun."""
    while tokens and tokens[0] in _NO_NOUN:
        tokens = tokens[1:]
    while tokens and tokens[-1] in _NO_END:
        tokens = tokens[:-1]
    if not tokens or (len(tokens) == 1 and (tokens[0] in PRONOUNS or tokens[0] in GENERIC)):
        return None
    owner, words = (tokens[:1], tokens[1:]) if tokens[0] in POSSESSIVE else ([], tokens)
    count, other = 1, False
    while words and (words[0] in COUNTS or words[0].isdecimal() or words[0] in ("another", "other", "of")):
        other |= words[0] in ("another", "other")
        number = int(words[0][:_DIGITS]) if words[0].isdecimal() else 0
        count = COUNTS.get(words[0]) or (number if 0 < number < _MANY else count)
        words = words[1:]
    if not words:
        return None
    end = next((i for i, word in enumerate(words) if i and word in AFTER_NOUN), len(words))
    head = " ".join(words[:end]).strip(" ,")
    last = head.split()[-1]
    plural = count == 1 and last.endswith("s") and not last.endswith("ss")
    return ThingRef(" ".join([*owner, *words]), head, plural, count, other)
