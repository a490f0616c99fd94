# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What makes two descriptions speak of different things: another time of day, another person, thing or room."""

from __future__ import annotations

from functools import lru_cache

from karma_language.told.habits.nouns import LONGEST_NAME, Relation, is_known, is_room, normal, relation

TEXTS_KEPT = 4096
"""Texts that need not be taken apart again."""
_GROUPS = (
    ("morning dawn", "noon midday", "afternoon", "evening dusk", "night bedtime nighttime midnight bed sleep"),
    ("breakfast", "brunch", "lunch", "dinner supper"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("spring", "summer", "autumn fall", "winter"),
    (
        "grandmother grandma granny", "grandfather grandpa granddad", "mother mom mum", "father dad", "aunt", "uncle",
        "sister", "brother", "cousin", "wife", "husband", "son", "daughter", "friend", "colleague coworker", "boss",
        "neighbour neighbor", "teacher", "girlfriend", "boyfriend", "partner",
    ),
)  # fmt: skip
"""Of each group a person means one."""
_MEMBER = {
    word: (number, member)
    for number, group in enumerate(_GROUPS)
    for member, synonyms in enumerate(group)
    for word in normal(synonyms)
}


def contrast(one: str, other: str) -> str:
    """Return what two descriptions differ in for certain, empty where nothing is. Symmetric."""
    mine, yours = _members(one), _members(other)
    for group in mine.keys() & yours.keys():
        if not mine[group] & yours[group]:
            return f"{' '.join(_GROUPS[group][min(mine[group])].split()[:1])} or not"
    for what, names in (("room", _rooms), ("thing", _things)):
        a, b = names(one), names(other)
        if a and b and all(relation(x, y) is Relation.DIFFERENT for x in a for y in b):
            return f"{what}: {min(a)} or {min(b)}"
    return ""


def _members(text: str) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for word in normal(text):
        if word in _MEMBER:
            group, member = _MEMBER[word]
            found.setdefault(group, set()).add(member)
    return found


def _rooms(text: str) -> frozenset[str]:
    return frozenset(name for name in _names(text) if is_room(name))


def _things(text: str) -> frozenset[str]:
    return frozenset(name for name in _names(text) if not is_room(name))


@lru_cache(TEXTS_KEPT)
def _names(text: str) -> tuple[str, ...]:
    """Return the names of the table in a text, longest first at each place."""
    tokens = normal(text)
    found: list[str] = []
    at = 0
    while at < len(tokens):
        for length in range(min(LONGEST_NAME, len(tokens) - at), 0, -1):
            name = " ".join(tokens[at : at + length])
            if is_known(name) and name not in _MEMBER:
                found.append(name)
                at += length
                break
        else:
            at += 1
    return tuple(found)
