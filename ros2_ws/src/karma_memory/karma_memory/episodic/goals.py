# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals as texts: "place(Apple, Fridge, in)", or with the words for them: "place(red fruit=Apple|Tomato, Fridge, in)".

A word stands with the categories that it may mean, likeliest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

GOALS_KEPT = 2048
"""Lists of goals that need not be read again."""
RELATIONS = frozenset({"on", "in", "near"})
_GOAL = re.compile(r"\b([A-Za-z_]\w*)\(([^()]*)\)")


@dataclass(frozen=True)
class Thing:
    """What a goal is about."""

    noun: str
    """In the words of the person, "" where it is not said."""
    categories: tuple[str, ...]
    """What it may be, likeliest first; empty where that is not known."""

    @property
    def category(self) -> str:
        """What it is taken for, "" where that is not known."""
        return next(iter(self.categories), "")


@dataclass(frozen=True)
class GoalText:
    """A goal, or a call of a skill, as it is written."""

    predicate: str
    """The type of task: "place", "clean"."""
    things: tuple[Thing, ...]
    """What it is about, in order."""
    relation: str = ""

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """What its things are taken for."""
        return tuple(thing.category for thing in self.things if thing.category)

    @cached_property
    def key(self) -> tuple[str, ...]:
        """What makes two goals the same, whatever the words were."""
        return (self.predicate, *(thing.category for thing in self.things), self.relation)


def goals_in(text: str) -> list[GoalText]:
    """Return the goals that are written in a text, in order."""
    return [_goal(*found.groups()) for found in _GOAL.finditer(text)]


def without_goals(text: str) -> str:
    """Return a text without the goals that are written in it."""
    return _GOAL.sub(" ", text)


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
    return {thing.noun: thing.categories for goal in goals for thing in goal.things if thing.noun and thing.categories}


def _goal(predicate: str, arguments: str) -> GoalText:
    parts = [part.strip() for part in arguments.split(",")]
    relation = parts.pop() if parts[-1] in RELATIONS else ""
    return GoalText(predicate, tuple(_thing(part) for part in parts if part), relation)


def _thing(argument: str) -> Thing:
    """Return the thing in "red fruit=Apple|Tomato", or in "clean Apple from CounterTop": a category, its last word."""
    noun, equals, names = argument.rpartition("=")
    if equals:
        return Thing(noun.strip(), tuple(name.strip() for name in names.split("|") if name.strip()))
    return Thing("", tuple(argument.partition(" from ")[0].split()[-1:]))
