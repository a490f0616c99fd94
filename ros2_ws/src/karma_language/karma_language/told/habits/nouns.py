# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What things and places of a home are called: which names mean the same, which are kinds of which.

The table (`nouns.json`) is everyday English for any home. A name may mean several things ("teakettle").
"""

from __future__ import annotations

import json
from enum import Enum
from functools import cache, lru_cache
from importlib import resources
from typing import cast

from karma_language.vocabulary.lexicon import Lexicon, household
from karma_language.vocabulary.terms import singular, words

NAMES_KEPT = 4096
"""Names that need not be looked up again."""
SECTIONS = ("things", "furniture", "rooms")
"""Of the table, in the order of its rows."""
LONGEST_NAME = 4
"""Words of the longest name in the table."""


class Relation(Enum):
    """How two names are related."""

    SAME = "same"
    KIND = "kind"
    """One is a kind of the other: an alarm clock is a clock."""
    DIFFERENT = "different"
    """Both are known, and mean different things."""
    UNKNOWN = "unknown"
    """At least one is not in the table, and the names differ."""


@lru_cache(NAMES_KEPT)
def normal(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case and in the singular."""
    return tuple(singular(word) for word in words(name))


def is_known(name: str) -> bool:
    """Whether the table has this name."""
    return bool(_meanings(normal(name)))


def is_room(name: str) -> bool:
    """Whether a name can mean a room."""
    return any(row >= _first_room() for row in _meanings(normal(name)))


@cache
def of_any_home() -> Lexicon:
    """Return the vocabulary with the furniture and the rooms of the table, for the grammar."""
    lexicon = household()
    _, furniture, rooms = (
        [name for row in cast("list[list[str]]", _file()[section]) for name in row] for section in SECTIONS
    )
    return lexicon.of_home((name for name in furniture if tuple(name.split()) not in lexicon.nouns), rooms)


def longest_known(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return the longest name of the table that `tokens` ends with; empty where there is none."""
    for length in range(min(LONGEST_NAME, len(tokens)), 0, -1):
        if tokens[-length:] in _table():
            return tokens[-length:]
    return ()


@lru_cache(NAMES_KEPT)
def relation(one: str, other: str) -> Relation:
    """Return how two names of things or places are related. Symmetric."""
    a, b = normal(one), normal(other)
    if a == b:
        return Relation.SAME
    mine, yours = _meanings(a), _meanings(b)
    if mine & yours:
        return Relation.SAME
    if _is_kind(a, b) or _is_kind(b, a):
        return Relation.KIND
    return Relation.DIFFERENT if mine and yours else Relation.UNKNOWN


def _is_kind(special: tuple[str, ...], general: tuple[str, ...]) -> bool:
    """Whether `special` names a kind of `general`, by the table or as the name has it: a wall clock is a clock."""
    kinds = _kinds()
    if len(special) > len(general) and special[-len(general) :] == general and not _meanings(special):
        return True
    parents = set().union(*(kinds.get(meaning, frozenset()) for meaning in _meanings(special) | {special}))
    return bool(parents & (_meanings(general) | {general}))


Meaning = int | tuple[str, ...]
"""Row of the table; or the name itself, where only the kinds have it."""


@cache
def _file() -> dict[str, object]:
    table: dict[str, object] = json.loads(resources.files(__package__).joinpath("nouns.json").read_text("utf-8"))
    return table


@cache
def _rows() -> list[list[str]]:
    sections = [_file()[section] for section in SECTIONS]
    return [row for section in sections for row in cast("list[list[str]]", section)]


@cache
def _first_room() -> int:
    return len(_rows()) - len(cast("list[list[str]]", _file()[SECTIONS[-1]]))


@cache
def _table() -> dict[tuple[str, ...], frozenset[int]]:
    found: dict[tuple[str, ...], set[int]] = {}
    for number, row in enumerate(_rows()):
        for name in row:
            found.setdefault(normal(name), set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def _meanings(name: tuple[str, ...]) -> frozenset[int]:
    return _table().get(name, frozenset())


@cache
def _kinds() -> dict[Meaning, frozenset[Meaning]]:
    """Return what each meaning is a kind of."""
    found: dict[Meaning, set[Meaning]] = {}
    for general, specials in cast("dict[str, list[str]]", _file()["kinds"]).items():
        parents: set[Meaning] = {normal(general), *_meanings(normal(general))}
        for special in specials:
            name = normal(special)
            meanings: list[Meaning] = [name, *_meanings(name)]
            for meaning in meanings:
                found.setdefault(meaning, set()).update(parents)
    return {meaning: frozenset(parents) for meaning, parents in found.items()}
