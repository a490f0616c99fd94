# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether plain English says what was said, no more and no less; and whether two readings mean the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pydantic import BaseModel
from rapidfuzz import fuzz, process

from karma_language.reading import Deed, Item, Question, Reading, Request, Told
from karma_language.syntax.parser import NO, parse
from karma_language.syntax.utterance import CLOSED
from karma_language.time_expressions import NUMBERS
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import base_form, each

_ALIKE = 80.0
"""Likeness, 0 to 100, from which on a word may be a slip of the pen for another."""
_CONDITIONS = frozenset(each("except unless instead until if only but"))
_KEPT = ("NOUN", "PROPN", "ADJ", "NUM", "ADV", "X")
"""Kinds of words that tell one thing, place, state, number, time or manner from another."""
_IMPLIED = frozenset((Deed.PLACE, Deed.PUT_DOWN, Deed.HOLD, Deed.BRING, Deed.FIND))
"""Deeds that people leave out the verb of: "my scarf, please"."""
_OF_WORDS = ("quote", "verb")
_WORD = re.compile(r"[^\W_]+")


def unaccounted(text: str, plain: str, reading: Reading, lexicon: Lexicon, memories: Iterable[str] = ()) -> str:
    """Return, for the model, which word its English adds to what was said in English, or leaves out; "" for none.

    `reading` is that of the plain English. Verbs may be added that people leave out, and a place that `memories` say.
    """
    said, meant = _bases(text), _bases(plain)
    places = [goal.to.thing.text for goal in _goals(reading) if goal.to is not None and goal.do is Deed.PLACE]
    known = _bases(" ".join(memories)) & _bases(" ".join(places))
    verbs = {base_form(goal.verb) for goal in _goals(reading) if goal.do in _IMPLIED}
    for word in meant - said - known - verbs:
        if not _like(word, said, lexicon):
            return f"nobody said {word!r}. Use the person's own words"
    for word in _telling(text):
        if base_form(word) not in meant and not _like(word, meant, lexicon):
            return f"{word!r} is left out. Keep every detail"
    return ""


def same(one: Reading, other: Reading) -> bool:
    """Whether two readings mean the same, in whatever words."""
    return [*map(_gist, one.items)] == [*map(_gist, other.items)]


def quoted(item: Item, text: str) -> Item:
    """Return an item of plain English as one that rests on what was said, letter by letter."""

    def said(quote: str) -> str:
        return quote if quote in text else text

    if isinstance(item, Request):
        goals = tuple(goal.model_copy(update={"quote": said(goal.quote)}) for goal in item.goals)
        return item.model_copy(update={"quote": said(item.quote), "goals": goals})
    return item.model_copy(update={"quote": said(item.quote.rstrip(" .!?"))})


def _goals(reading: Reading) -> list[Any]:
    return [goal for item in reading.items if isinstance(item, Request) for goal in item.goals]


def _bases(text: str) -> set[str]:
    """Return the base forms of the words that say something, or that turn or limit what is said."""
    words = _WORD.findall(text.casefold().replace("n't", " not").replace("n’t", " not"))
    return {base_form(word) for word in words if word not in CLOSED or word in NO | _CONDITIONS or word in NUMBERS}


def _telling(text: str) -> Sequence[str]:
    """Return the words of English that may not be left out."""
    return [
        token.lower_
        for token in parse(text) or ()
        if token.lower_ in NO | _CONDITIONS or (token.pos_ in _KEPT and token.lower_ not in CLOSED)
    ]


def _like(word: str, others: Collection[str], lexicon: Lexicon) -> bool:
    """Whether a word may be a slip of the pen for one of others, another form of it, or another name for the thing."""
    if process.extractOne(word, others, scorer=fuzz.ratio, score_cutoff=_ALIKE) is not None:
        return True
    kinds = _kinds(word, lexicon)
    return any(kinds & _kinds(other, lexicon) for other in others)


def _kinds(word: str, lexicon: Lexicon) -> set[str]:
    noun = lexicon.nouns.get((word,))
    return {*noun.categories, *noun.loosely} if noun is not None else set()


def _gist(item: Item) -> Any:
    """Return what an item means, without the words that it is said in."""
    if isinstance(item, Told) or (isinstance(item, Question) and item.thing is None):
        return type(item), sorted(re.findall(r"\d+", item.quote)), sorted(_named(item.quote))
    return type(item), _meant(item)


def _named(text: str) -> list[str]:
    return [token.lemma_ for token in parse(text) or () if token.pos_ in ("NOUN", "PROPN", "NUM")]


def _meant(value: Any) -> Any:
    if isinstance(value, BaseModel):
        known = getattr(value, "categories", ()) or getattr(value, "room", "")
        left = (*_OF_WORDS, "text", "aside") if known else (*_OF_WORDS, "aside")
        return [(name, _meant(one)) for name, one in value if name not in left]
    return [*map(_meant, value)] if isinstance(value, tuple) else value
