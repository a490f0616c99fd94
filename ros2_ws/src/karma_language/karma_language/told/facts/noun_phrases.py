# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Noun phrases of a clause: as values, as lists, with the owner that stands apart."""

from __future__ import annotations

from collections.abc import Sequence

from karma_language.told.facts.english import DETERMINERS, PRONOUNS, mention, phrase
from karma_language.told.facts.extraction import GAP, Mention
from karma_language.told.facts.relations import (
    role_of,
)
from karma_language.told.facts.verb_group import Clause

_LISTS = ("shopping list", "list", "grocery list")


def as_value(words: Sequence[str]) -> Mention | None:
    """Return a noun phrase that is a value: possessives are mentions, everything else is text."""
    words = before_apposition(words)
    kept = [w for w in words if w not in (",", ":")]
    while kept and kept[-1].lower() in ("now", "too", "instead", "again"):
        kept.pop()
    if not kept:
        return None
    for word in kept:
        if word.startswith("@") and not word[1:].isdigit():
            return Mention(GAP, (word[1:],))
    low = kept[0].lower()
    if low in ("my", "our", "his", "her", "their", "its") or (len(kept) == 1 and low in PRONOUNS) or "'s" in kept:
        return mention(kept)
    text = phrase(kept)
    return Mention(text) if text and not text.startswith("@") else None


def before_apposition(words: Sequence[str]) -> Sequence[str]:
    """Cut "Arden Group, the company" to "Arden Group"."""
    cut = next(
        (i for i, word in enumerate(words[:-1]) if i and word == "," and words[i + 1].lower() in ("the", "a", "an")),
        None,
    )
    return words[:cut]


def after_name(words: Sequence[str]) -> list[str]:
    """Cut "the name of Rex" and "the nickname Rex" to "Rex"."""
    kept = [word for word in words if word.lower() not in ("the", "name", "nickname")]
    return kept[1:] if kept[:1] == ["of"] else kept


def listed(words: Sequence[str]) -> list[list[str]]:
    """Split "milk, eggs and bread"."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word.lower() in (",", "and", "or", "&"):
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def first_kind(words: Sequence[str]) -> list[str]:
    """Cut "a nurse but a teacher" to "a nurse"."""
    for i, word in enumerate(words):
        if word.lower() in ("but", ","):
            return list(words[:i])
    return list(words)


def names_list(words: Sequence[str]) -> bool:
    """Whether a noun phrase is the shopping list."""
    return (
        " ".join(w.lower() for w in words if w.lower() not in DETERMINERS and w.lower() not in ("my", "our")) in _LISTS
    )


def is_person(who: Mention) -> bool:
    """Whether a mention is of somebody rather than of something."""
    if who.steps:
        return role_of(who.steps[-1]) is not None or bool(who.name)
    return who.base != "it"


def has_owner(obj: Sequence[str], clause: Clause) -> bool:
    """Whether the object says whose it is: "the code of the bike"."""
    return any(name in ("of", "for") for name, _ in clause.preps) or any(w.lower() in ("of", "for") for w in obj)


def with_owner(obj: Sequence[str], clause: Clause) -> list[str]:
    """Return "the code" with the "of my bike" or "for my bike" that stands apart."""
    return list(obj)
