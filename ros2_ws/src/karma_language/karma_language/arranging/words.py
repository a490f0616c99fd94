# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Small words of requests to arrange things, beside those of karma_language.vocabulary.words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from karma_language.vocabulary.terms import singular


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


ON = word_set("on onto to atop upon at over for")
IN = word_set("in into inside within")
NEAR = word_set("beside by near alongside") | {"next to", "close to"}
AWAY = word_set("from off") | {"out of", "off of"}
POSSESSIVE = word_set("my our his her their your")
DETERMINERS = POSSESSIVE | word_set("the a an some this that these those both all one two each every any")
PRONOUNS = word_set("it them both these those they this that one")
ADVERBS = word_set(
    "back up away down out together again first then please also next finally too as well neatly carefully side just "
    "afterwards later now over here there"
)
LEADS = word_set("and , : ; then by to please also first next finally after before")
"""What may stand before the verb of a further request."""
ARRANGING = word_set(
    "tidy prepare change swap make create refresh help setup ready decorate rearrange gather clear recreate"
)
"""Verbs that ask for something and that planner_node.understand has no goal for."""
_ARRANGES = word_set("set clean organize organise sort arrange get")
"""Further ones, which may ask for something by themselves."""
EMPTY = word_set(
    "a an the is are was were be been of with and or in on at to from by for it its this that these those my our your "
    "his her their has have had which who some as part"
)
"""Words that tell nothing about what a thing looks like or means."""
OTHER = word_set("other another different new separate second distinct")
"""What says that a place is not where the thing is now."""
SORTS = word_set("same top left right main big small large little own usual nearby")
"""What tells furniture of a kind apart: "the top shelf"."""
BEFORE_PLACES = SORTS | OTHER | word_set("the a an my our its their this that any some his her")
"""What may stand before the noun of a place."""
ROOM_LINKS = word_set("in of from inside at within")
"""What may stand between furniture and its room: "the table in the kitchen"."""
_WHERE = word_set("on in onto into at to")
_WORD = re.compile(r"[a-z0-9]+")
_GROUPS = re.compile(
    r"\b(?:set|collection|essentials?|setup|set-up|items?|things|stuff|materials?|kit|gear|group|pair|pieces|belongings|"
    r"supplies|ware|everything|all|both|them|decor|décor|toys|accessories|tools)\b"
)
_AFTER_NOUN = re.compile(r" (?:with|that|which|who|whose|from|for|of|in|on|at|by|called|named|given|my|our|i|we|you) ")
_THEN = re.compile(r"(?:\b(?:then|next|afterwards|finally|lastly|second|now)|\bafter that)\W+(?:\w+ ){0,4}$", re.I)
_ONCE = re.compile(
    r",?\s*\b(?:just )?(?:this time|this once|for once|for today|today|tonight|instead)\b"
    r"(?=,?(?: please)?[\s.?!]*$)",
    re.IGNORECASE,
)


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that mean something, without endings of plurals."""
    words = _WORD.findall(text.lower().replace("'s", ""))
    return frozenset(map(singular, words)) - EMPTY


def names_group(text: str) -> bool:
    """Whether a phrase names several things by one word: "the tea set", "everything"."""
    return _GROUPS.search(text) is not None


def head_of(phrase: str) -> str:
    """Return a noun phrase without what follows its noun: "the cup" of "the cup with the red handle"."""
    return _AFTER_NOUN.split(phrase, maxsplit=1)[0].strip(" ,")


def arranges(verb: str) -> bool:
    """Whether a verb asks for a state of affairs, which what comes after it may say in particular: "tidy up"."""
    return verb.partition(" ")[0] in ARRANGING | _ARRANGES


def is_sequel(before: str) -> bool:
    """Whether the text before a clause says that it comes after another one: "…, then"."""
    return _THEN.search(before) is not None


def without_once(sentence: str) -> tuple[str, bool]:
    """Return a sentence without "this time" and the like at its end, and whether that was there."""
    rest, found = _ONCE.subn("", sentence)
    return rest, bool(found)


def sets_apart(words: Iterable[str]) -> bool:
    """Whether words say that a place is not where the thing is now: "a different table"."""
    return not OTHER.isdisjoint(words)


def place_words(text: str) -> str:
    """Return a text from its first preposition of a place on, "" where it has none."""
    words = text.split()
    at = next((i for i, word in enumerate(words) if word.lower() in _WHERE), -1)
    return " ".join(words[at:]) if at >= 0 else ""


def undetermined(text: str) -> str:
    """Return a phrase without determiners."""
    return " ".join(word for word in text.split() if word not in ("the", "a", "an", "my", "our"))
