# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals as texts: "place(Apple, Fridge, in)". What kind of task it is, and what kinds of things it is about."""

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
class GoalText:
    """A goal, or a call of a skill, as it is written."""

    predicate: str
    """The type of task: "place", "clean"."""
    categories: tuple[str, ...]
    """What it is about, in order."""
    relation: str = ""


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


def _goal(predicate: str, arguments: str) -> GoalText:
    parts = [part.strip() for part in arguments.split(",")]
    relation = parts.pop() if parts[-1] in RELATIONS else ""
    return GoalText(predicate, tuple(name for part in parts if (name := _category(part))), relation)


def _category(argument: str) -> str:
    """Return the category in "clean Apple from CounterTop": its last word before where the thing is said to be."""
    return next(iter(argument.partition(" from ")[0].split()[-1:]), "")
