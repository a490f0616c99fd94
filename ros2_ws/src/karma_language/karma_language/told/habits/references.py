# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How people refer to things and places: the noun, what is said of it, the room."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from karma_language.told.habits.nouns import LONGEST_NAME, is_known, is_room, longest_known, normal
from karma_language.vocabulary.terms import STOP_WORDS

TEXTS_KEPT = 4096
"""Texts that need not be taken apart again."""
OTHERNESS = frozenset(normal("another other different new separate second further"))
"""What tells that a place of the same name is not meant."""
COLOURS = frozenset(
    normal(
        "black white gray grey silver gold golden red blue green yellow orange purple violet pink brown beige tan "
        "cream teal turquoise bronze copper maroon navy colourful colorful"
    )
)
NO_ATTRIBUTES = STOP_WORDS | frozenset(
    normal(
        "feature featuring equipped having make made call called name named shape shaped look looking item thing "
        "object one pair set piece design style detail big small little new old just same also plain simple"
    )
)
"""Words of a description that don't tell one thing from another, or hardly."""
_DETERMINERS = frozenset(normal("a an the my our your his her their its this that these those some both"))
_AFTER = re.compile(
    r"(?:,| (?=(?:with|in|on|at|from|by|for|that|which|who|featuring|equipped|made|called|named|shaped|holding|given|"
    r"titled|gifted|bought|inside|near|next|under|containing)\b)| of (?=my|our|the|a|an)\b)",
    re.IGNORECASE,
)
"""Where the noun of a description ends."""
_SAYS_WHAT = re.compile(r"\b(?:which|that|who) (?:is|was|are|were)\b|\bis\b", re.IGNORECASE)


@dataclass(frozen=True)
class ThingReference:
    """A thing as somebody speaks of it."""

    noun: str
    """What it is, in the singular: "alarm clock"."""
    attributes: tuple[str, ...]
    """Words that tell it from others of its kind, in the singular, in order."""
    text: str
    colours: frozenset[str] = frozenset()
    """Of the thing itself where they are said before its noun, else all that are said."""
    all_colours: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PlaceReference:
    """A place as somebody speaks of it."""

    furniture: str
    """In the singular; empty for a room as such."""
    room: str
    """Empty where none is said."""
    other: bool
    """Whether it is another than the one that was spoken of: "a different table"."""
    text: str


@lru_cache(TEXTS_KEPT)
def thing(text: str) -> ThingReference:
    """Read a reference to a thing, such as "a brass lantern with a tall handle"."""
    first, *rest = _SAYS_WHAT.split(text, maxsplit=1)
    head = _AFTER.split(first.strip(), maxsplit=1)[0]
    tokens = tuple(word for word in normal(head) if word not in _DETERMINERS)
    noun = longest_known(tokens) or tokens[-1:]
    said = [word for part in (first, *rest) for word in normal(part)]
    attributes = dict.fromkeys(word for word in said if word not in NO_ATTRIBUTES and word not in noun)
    colours = _colours(said)
    return ThingReference(" ".join(noun), tuple(attributes), text.strip(), _colours(tokens) or colours, colours)


@lru_cache(TEXTS_KEPT)
def place(text: str) -> PlaceReference:
    """Read a reference to a place, such as "another shelf" or "the counter in the kitchen"."""
    tokens = tuple(word for word in normal(text) if word not in _DETERMINERS)
    room: tuple[str, ...] = ()
    start = len(tokens)
    for length in range(LONGEST_NAME, 0, -1):
        for begin in range(len(tokens) - length, -1, -1):
            name = tokens[begin : begin + length]
            whole = " ".join(tokens[begin : begin + length + 1])
            if not room and is_room(" ".join(name)) and not (begin + length < len(tokens) and is_known(whole)):
                room, start = name, begin
    rest = tokens[:start] + tokens[start + len(room) :]
    other = any(word in OTHERNESS for word in rest)
    rest = tuple(word for word in rest if word not in OTHERNESS)
    head = _first_phrase(rest)
    furniture = longest_known(head) or head[-1:]
    return PlaceReference(" ".join(furniture), " ".join(room), other, text.strip())


_SAME_COLOUR = {"grey": "gray", "golden": "gold", "colourful": "colorful", "violet": "purple", "turquoise": "teal"}


def _colours(tokens: Iterable[str]) -> frozenset[str]:
    return frozenset(_SAME_COLOUR.get(word, word) for word in tokens if word in COLOURS)


_PREPOSITIONS = frozenset(normal("in at on of from to into onto inside near next by"))


def _first_phrase(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first words that are no prepositions; "of" may be within a name ("chest of drawers")."""
    phrase: tuple[str, ...] = ()
    for word in tokens:
        if word not in _PREPOSITIONS or (word == "of" and phrase):
            phrase = (*phrase, word)
        elif phrase:
            break
    if "of" in phrase and "of" not in longest_known(phrase):
        phrase = phrase[: phrase.index("of")]
    return phrase
