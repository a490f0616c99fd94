# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What facts are about: the paper's four types and their subclasses (table 7), and relations with words that name them.

Relations that are not listed are kept as they were said; the list only makes different words for the same thing meet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from karma_language.vocabulary.terms import stems, words

TYPES = ("relationship", "preference", "event", "attribute")
TO_DO = "to do"
"""Relation of a user and what they have to do."""
LISTS = (TO_DO, "to buy")
"""Relations of a user and what is on a list of theirs."""
_DROPPED = frozenset(("the", "a", "an", "new", "current", "present", "of", "for", "my", "own", "exact", "another"))


@dataclass(frozen=True)
class Relation:
    """A relation of the schema."""

    name: str
    subclass: str
    """"" where it depends on what it is about."""
    many: bool
    """Whether several hold at once. Of the others a new one replaces the old one."""
    opposite: str
    value: str
    """"time" or "day" where the object is one, else ""."""


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(
        resources.files(__package__).joinpath("relations.json").read_text(encoding="utf-8")
    )
    return table


@cache
def relations() -> Mapping[str, Relation]:
    """Return the relations of the schema by name."""
    return {
        name: Relation(name, r["subclass"], r.get("many", False), r.get("opposite", ""), r.get("value", ""))
        for name, r in _table()["relations"].items()
    }


@cache
def subclasses() -> Mapping[str, tuple[str, str]]:
    """Return each subclass with its type and the words that describe it."""
    return {name: (kind, text) for name, (kind, text) in _table()["subclasses"].items()}


@cache
def _phrases(part: str) -> Mapping[str, str]:
    return {phrase_key(text): name for name, r in _table()["relations"].items() for text in r[part]}


@lru_cache(8192)
def phrase_key(text: str) -> str:
    """Return a phrase with its words spelled one way, without articles: what phrases are compared by."""
    parts = [_table()["spelling"].get(word, word) for word in text.lower().replace("-in-law", "inlaw").split()]
    return " ".join(part for part in parts if part not in _DROPPED)


@lru_cache(8192)
def stem_set(text: str) -> frozenset[str]:
    """Return the stems of a phrase's words, spelled one way."""
    return frozenset(stem for word in words(phrase_key(text)) for stem in stems(word))


def by_noun(noun: str) -> str:
    """Return the relation that a noun phrase names: of the schema, else the phrase itself."""
    key = phrase_key(noun)
    return _phrases("nouns").get(key, key)


def is_relation_noun(noun: str) -> bool:
    """Whether a noun phrase names a relation of the schema."""
    return phrase_key(noun) in _phrases("nouns")


def by_verb(verb: str) -> str | None:
    """Return the relation that a verb with its preposition ("live in") names, None when it isn't in the schema."""
    return _phrases("verbs").get(phrase_key(verb))


def takes_many(relation: str) -> bool:
    """Whether several facts of a relation hold at once. What isn't in the schema holds one value at a time."""
    known = relations().get(relation)
    return known.many if known else relation.startswith("~")


def value_kind(relation: str) -> str:
    """Return "day" for what returns every year, "time" for a point in time, "" for anything else."""
    known = relations().get(relation)
    if known is not None:
        return known.value
    return "day" if any(word in relation.split() for word in _table()["recurring"]) else ""


@cache
def _people() -> Mapping[str, str]:
    return {
        stem: name
        for name, (kind, text) in subclasses().items()
        if kind == "relationship"
        for word in text.split()
        for stem in stem_set(word)
    }


def role_of(noun: str) -> str | None:
    """Return the subclass of a noun that says who somebody is to somebody ("best friend"), None for other nouns."""
    head = phrase_key(noun).split()[-1:]
    found = [_people()[stem] for word in head for stem in stem_set(word) if stem in _people()]
    return found[0] if found else None


def is_event(noun: str) -> bool:
    """Whether a noun phrase is the name of something that takes place."""
    head = phrase_key(noun.split(" to ")[0].split(" with ")[0]).split()[-1:]
    return bool(head) and (head[0] in _table()["events"] or head[0].rstrip("s") in _table()["events"])


def gender_of(noun: str) -> str | None:
    """Return the gender that a noun such as "girl" tells."""
    found: str | None = _table()["genders"].get(noun.lower())
    return found


def is_diet(noun: str) -> bool:
    """Whether a noun such as "vegetarian" tells what somebody doesn't eat."""
    return noun.lower() in _table()["diets"]


def many_people(relation: str) -> bool:
    """Whether one can have several of a role: sisters and friends, but not mothers, spouses and best friends."""
    role = role_of(relation)
    head = phrase_key(relation).split()[-1:]
    if role is None or "best" in relation.split():
        return False
    if role in ("parents_children", "relatives"):
        return head not in (["mother"], ["father"])
    return head[:1] in (
        ["friend"],
        ["colleague"],
        ["neighbour"],
        ["client"],
        ["roommate"],
        ["mate"],
        ["student"],
        ["pupil"],
    )
