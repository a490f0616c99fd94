# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals as texts: "place(Apple, Fridge, in)". What kind of task it is, and what kinds of things it is about.

A thing may stand with the noun that a person used for it, and with all that this may mean, likeliest first:
"place(bottle=SprayBottle|SoapBottle, toilet=Toilet, on)".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

GOALS_KEPT = 2048
"""Lists of goals that need not be read again."""
RELATIONS = frozenset({"on", "in", "near"})
_GOAL = re.compile(r"\b([A-Za-z_]\w*)\(([^()]*)\)")


@dataclass(frozen=True)
class Word:
    """A noun as a person said it, and the categories that it may mean, likeliest first."""

    noun: str
    categories: tuple[str, ...]


@dataclass(frozen=True)
class GoalText:
    """A goal, or a call of a skill, as it is written."""

    predicate: str
    """The type of task: "place", "clean"."""
    categories: tuple[str, ...]
    """What it is about, in order."""
    relation: str = ""
    words: tuple[Word, ...] = ()
    """The nouns that people used, of those things where they are given."""


def goals_in(text: str) -> list[GoalText]:
    """Return the goals that are written in a text, in order."""
    return [_goal(*found.groups()) for found in _GOAL.finditer(text)]


@lru_cache(GOALS_KEPT)
def goals_of(texts: tuple[str, ...]) -> tuple[GoalText, ...]:
    """Return the goals of an episode."""
    return tuple(goal for text in texts for goal in goals_in(text))


def task_types(goals: Iterable[GoalText]) -> tuple[str, ...]:
    """Return the types of task, each once, in order."""
    return tuple(dict.fromkeys(goal.predicate for goal in goals))


def categories(goals: Iterable[GoalText]) -> tuple[str, ...]:
    """Return the kinds of things, each once, in order."""
    return tuple(dict.fromkeys(name for goal in goals for name in goal.categories))


def words_in(goals: Iterable[GoalText]) -> dict[str, tuple[str, ...]]:
    """Return the nouns of goals with what they may mean, in order."""
    return {word.noun: word.categories for goal in goals for word in goal.words}


def _goal(predicate: str, arguments: str) -> GoalText:
    parts = [part.strip() for part in arguments.split(",")]
    relation = parts.pop() if parts[-1] in RELATIONS else ""
    kinds = tuple(name for part in parts if (name := _category(part)))
    return GoalText(predicate, kinds, relation, tuple(word for part in parts if (word := _word(part)) is not None))


def _word(argument: str) -> Word | None:
    """Return the noun in "bottle=SprayBottle|SoapBottle" and its meanings; None where none is given."""
    noun, given, meanings = argument.partition("=")
    categories = tuple(name for name in meanings.split("|") if name)
    return Word(noun.strip(), categories) if given and noun.strip() and categories else None


def _category(argument: str) -> str:
    """Return the category in "clean Apple from CounterTop": its last word before where the thing is said to be.

    Of a noun with its meanings, the likeliest.
    """
    if (word := _word(argument)) is not None:
        return word.categories[0]
    return next(iter(argument.partition(" from ")[0].split()[-1:]), "")
