# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Lists of English words: verbs and their base forms, prepositions, particles, adverbs."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from importlib import resources
from typing import Any


@cache
def table() -> dict[str, Any]:
    """Return the word lists."""
    found: dict[str, Any] = json.loads(
        resources.files(__package__).joinpath("english.json").read_text(encoding="utf-8")
    )
    return found


@cache
def word_set(name: str) -> frozenset[str]:
    """Return a word list as a set."""
    return frozenset(table()[name])


def is_verb(word: str) -> bool:
    """Whether the base form of a word is a verb that is known."""
    return lemma(word) in word_set("verbs")


def is_preposition(word: str) -> bool:
    """Whether a word is a preposition."""
    return word.lower() in word_set("prepositions")


def is_particle(word: str) -> bool:
    """Whether a word can belong to a verb: "give up"."""
    return word.lower() in word_set("particles")


def is_adverb(word: str) -> bool:
    """Whether a word adds nothing to what is so: "now", "really"."""
    return word.lower() in word_set("adverbs")


@lru_cache(8192)
def lemma(word: str) -> str:
    """Return the base form of a verb; other words may change, too."""
    low = word.lower()
    irregular: dict[str, str] = table()["irregular"]
    if low in irregular:
        return irregular[low]
    verbs = word_set("verbs")
    if low in verbs:
        return low
    for ending, others in (
        ("ies", ("y",)),
        ("ied", ("y",)),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ed", ("", "e")),
        ("ing", ("", "e")),
    ):
        if low.endswith(ending) and len(low) > len(ending) + 1:
            stem = low[: -len(ending)]
            doubled = (stem[:-1],) if len(stem) > 2 and stem[-1] == stem[-2] else ()
            for base in (*(stem + other for other in others), *doubled):
                if base in verbs:
                    return str(base)
    return low
