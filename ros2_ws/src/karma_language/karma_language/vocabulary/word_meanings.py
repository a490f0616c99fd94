# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What single words mean to who carries out a request: nouns for anything, parts of food, verbs, pronouns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from rapidfuzz import fuzz

from karma_language.vocabulary.verbs import VERBS, verb_at
from karma_language.vocabulary.words import GENERIC, PERSONS, PORTIONS, base_form, content_words

_DENIED = re.compile(r"(?:\b(?:not|never|without)\b|n['’]t\b)[^,.;:!?]*", re.IGNORECASE)

MOVING = frozenset(("put", "return", "bring", "give", "take", "get", "tidy"))
"""Senses of verbs that say the same of a thing and a place."""
_AWAY = frozenset(("throw", "discard"))
_LEVELS = {
    **dict.fromkeys(("top", "upper", "highest", "higher"), "top"),
    **dict.fromkeys(("bottom", "lower", "lowest"), "bottom"),
    "middle": "middle",
}
_SIZES = {
    **dict.fromkeys(("small", "little", "tiny", "smaller", "wee"), -1),
    **dict.fromkeys(("big", "large", "huge", "bigger", "larger"), 1),
}
_NOBODY_ELSE = frozenset(("me", "you", "its"))


class Sort(Enum):
    """What nouns, verbs and pronouns stand for: the words for it."""

    ANYTHING = GENERIC
    PORTION = PORTIONS
    CLOSURE = frozenset(("door", "lid", "doors"))
    ROOM = frozenset(("room", "rooms"))
    HAND = frozenset(("hand", "hands", "gripper"))
    WATER = frozenset(("water",))
    LIFTING = frozenset(("raise", "lift", "pull"))
    FETCHING = frozenset(("bring", "get", "fetch"))
    HANDLING = frozenset(("touch", "use", "handle", "light", "disturb", "borrow", "operate"))
    OF_APPLIANCE = frozenset(("microwave", "refrigerate", "toast"))
    PLACE = frozenset(("there", "here"))
    PAIR = frozenset(("both",))
    SEVERAL = frozenset(("them", "both", "these", "those", "all"))
    ANOTHER = frozenset(("one", "ones", "other", "others", "another"))


def collective(noun: str, kinds: Sequence[str]) -> bool:
    """Whether a noun in the singular names a group of things of several kinds: "the cutlery", "the silverware"."""
    return len(kinds) > 1 and noun.lower().endswith(("ware", "lery", "kery", "nery", "elry"))


def means(word: str, sort: Sort) -> bool:
    """Whether a word stands for something of a sort: "lid" for a closure, "both" for a pair."""
    return word.lower() in sort.value


def speaks_of(phrase: str, sort: Sort) -> bool:
    """Whether one of some words stands for something of a sort: "hot water" for water."""
    return any(means(word, sort) for word in phrase.split())


def with_article(noun: str) -> str:
    """Return a noun as it is said behind "the": "things" for "everything"."""
    return "things" if noun == "everything" else noun


def noun_dealt_with(phrase: str) -> str:
    """Return the noun of what is described by what the robot did: "fruit" of "fruit you just washed"; "" for none."""
    said, _, deed = phrase.lower().partition(" you ")
    return said.rpartition(" ")[2] if deed else ""


def level_in(text: str) -> str:
    """Return which of several that are one above the other words mean: "top", "middle", "bottom"; "" where unclear."""
    words = text.casefold().replace(",", " ").split()
    said = [_LEVELS[word] for word in words if word in _LEVELS]
    return said[0] if len(said) == 1 and not {"not", "but", "below", "above", "under"} & {*words} else ""


def says_something(text: str) -> bool:
    """Whether words say something of somebody rather than name a thing: "soup I need"."""
    return not PERSONS.isdisjoint(text.casefold().split())


def size_in(text: str) -> int:
    """Return 1 where words mean the larger of several things, -1 for the smaller one, 0 where they don't say."""
    said = {_SIZES[word] for word in re.findall(r"[a-z]+", text.casefold()) if word in _SIZES}
    return next(iter(said)) if len(said) == 1 else 0


_STOREYS = {"ground": 0, "lower": 0, "first": 1, "second": 2, "third": 3}
"""Words for storeys, as numbers from the ground."""


def storey(word: str, count: int, here: int) -> int | None:
    """Return which of `count` storeys, counted from the lowest, a word means to who is on the storey `here`.

    None where there is none such.
    """
    up, down = min(here + 1, count - 1), max(here - 1, 0)  # who is upstairs says so of where they are, too
    relative = {"upstairs": up, "downstairs": down} if count > 1 else {}
    known = {**_STOREYS, **relative, "top": count - 1, "upper": count - 1}
    number = known.get(word)
    return number if number is not None and 0 <= number < count else None


def begins_with_verb(text: str) -> bool:
    """Whether a text begins with a verb that is known."""
    return verb_at(text.casefold().split(), 0) is not None


def without_denied(text: str) -> str:
    """Return a text without what it says not to do: "DON'T WASH IT, just put it in the sink"."""
    return _DENIED.sub("", text)


def verb_senses(words: Sequence[str]) -> set[str]:
    """Return what the verbs among words ask for, as far as skills serve them."""
    found = (verb_at(words, at) for at in range(len(words)))
    return {verb.sense for verb in found if verb is not None and verb.sense}


def sense_of(verb: str) -> str:
    """Return what the base form of a verb asks for, "" where no skill serves it."""
    return VERBS.get(verb, "")


def senses_in(text: str) -> set[str]:
    """Return what words of a text may ask for, were they verbs in whatever form."""
    found = {VERBS.get(word) or VERBS.get(base_form(word), "") for word in _stems(text)}
    return found - {""}


def deeds_in(text: str) -> set[str]:
    """Return what words of a text may ask for, with one word for all that moves things."""
    senses = senses_in(text)
    return {"move"} | senses if senses & (MOVING | _AWAY) else senses


def tells_manner(words: str) -> bool:
    """Whether words only say how to do something: "carefully"."""
    return words.endswith("ly")


def other_owner(owner: str) -> str:
    """Return whose a thing is said to be, "" where it is the speaker's, the robot's or the home's."""
    return "" if owner in _NOBODY_ELSE else owner


def words_shared(one: str, other: str) -> int:
    """Return how many of the words that say something two texts have in common."""
    return len(content_words(one) & content_words(other))


def likeness(one: str, other: str) -> float:
    """Return how much two texts have in common, word by word, 0 to 100."""
    return fuzz.token_set_ratio(one, other)


def _stems(text: str) -> set[str]:
    """Return the words of a text, and what they may be forms of."""
    found = set()
    for word in "".join(c if c.isalpha() else " " for c in text.lower()).split():
        found |= {word, word.removesuffix("ing"), word.removesuffix("ing") + "e", word.removesuffix("ed")}
        found |= {word.removesuffix("d"), word.removesuffix("s"), word.removesuffix("es")}
    return found
