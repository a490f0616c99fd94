# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the names in a list of tasks mean, and which things a text speaks of, word by word.

It reads no sentences: what a task asks for is the list's to say, not the planner's to interpret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from karma_language.vocabulary import Lexicon, household
from karma_language.vocabulary.lexicon import split_camel

_LONGEST = 5
"""Words of a name."""
_PARTS = {"Sink": ("SinkBasin",), "Bathtub": ("BathtubBasin",), "StoveBurner": ("StoveKnob",)}
"""What is part of what, and called by its name."""
_VAGUE = frozenset({"it", "them", "something", "thing", "things", "one", "ones", "that", "this", "those", "these"})


@dataclass(frozen=True)
class Mention:
    """Words of a text that speak of things."""

    words: tuple[str, ...]
    categories: frozenset[str]
    vague: bool
    """Whether they name a class of things ("food"), or none ("it")."""


@lru_cache(4096)
def categories_of(name: str) -> tuple[str, ...]:
    """Return the categories that a name in a goal may mean, empty for one never heard of."""
    lexicon = household()
    exact = {category.casefold(): category for category in lexicon.kinds}
    squeezed = re.sub(r"[^a-z0-9]", "", name.casefold())
    found = [exact[squeezed]] if squeezed in exact else []
    words = _words(split_camel(name) if not name.isupper() else name)
    for key in (words, (squeezed,), words[1:] if words[:1] in (("a",), ("an",), ("the",)) else ()):
        noun = lexicon.nouns.get(tuple(key))
        if noun is not None and not found:
            found += [*noun.categories, *noun.loosely]
    return tuple(dict.fromkeys([*found, *_with_parts(found, lexicon)]))


def exact_categories_of(name: str) -> tuple[str, ...]:
    """Return the categories that a name means, without what people also call so: chairs, and no armchairs."""
    noun = household().nouns.get(_words(split_camel(name) if not name.isupper() else name))
    return noun.categories if noun is not None else categories_of(name)


@lru_cache(4096)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return the things that a text speaks of, in order; longer names win."""
    lexicon, words = household(), _words(text)
    found, start = [], 0
    while start < len(words):
        for length in range(min(_LONGEST, len(words) - start), 0, -1):
            phrase = words[start : start + length]
            noun = lexicon.nouns.get(phrase)
            if noun is not None:
                means = {*noun.categories, *noun.loosely}
                found.append(Mention(phrase, frozenset(_with_parts(means, lexicon)), noun.generic))
                start += length
                break
        else:
            if words[start] in _VAGUE:
                found.append(Mention((words[start],), frozenset(), vague=True))
            start += 1
    return tuple(found)


def speaks_of(text: str, categories: Iterable[str]) -> bool:
    """Whether a text names one of the categories, be it by the name of a class."""
    wanted = set(categories)
    return any(wanted & mention.categories for mention in mentions(text))


def names(text: str, categories: Iterable[str]) -> bool:
    """Whether a text names one of the categories by a name of its own."""
    wanted = set(categories)
    return any(wanted & mention.categories for mention in mentions(text) if not mention.vague)


def is_vague(text: str) -> bool:
    """Whether a text leaves open which thing is meant: "it", "the clean, red food"."""
    return any(mention.vague for mention in mentions(text))


def names_another(text: str, things: Iterable[str], places: Iterable[str]) -> bool:
    """Whether a text names a portable thing that is neither of some things nor of some places, by categories."""
    known = {*things, *places}
    others = [mention for mention in mentions(text) if not mention.vague and not mention.categories & known]
    return any(any(map(portable, mention.categories)) for mention in others)


def portable(category: str) -> bool:
    """Whether things of a category can be carried."""
    return household().can(category, "pickup")


def _with_parts(categories: Iterable[str], lexicon: Lexicon) -> Iterable[str]:
    for category in categories:
        yield category
        yield from _PARTS.get(category, ())
        if category in lexicon.slices:
            yield lexicon.slices[category]


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z0-9']+", text.casefold()))
