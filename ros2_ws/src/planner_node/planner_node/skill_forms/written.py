# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls as they are written, before anything is known of skills; and what is wrong with a text, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from planner_node.skills import Point

LONGEST_PLAN = 20_000
"""Characters of a written plan."""
MOST_CALLS = 200
"""Calls of a written plan."""
LONGEST_NAME = 200
"""Characters of a name or an object in a plan."""

Argument = str | float | Point | tuple[Point, ...] | None
"""A word (category, id, relation), a number, a point or several, metres in the map frame; None: nothing."""


@dataclass(frozen=True)
class Trouble:
    """Something wrong in a written plan, for people and for the language model that wrote it."""

    message: str
    line: int = 0
    """From 1; 0: the plan as a whole."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class FormError(ValueError):
    """A text that is no plan in the form, or a call that the form can't express."""

    def __init__(self, troubles: Sequence[Trouble]) -> None:
        super().__init__("; ".join(map(str, troubles)))
        self.troubles = tuple(troubles)


@dataclass(frozen=True)
class Written:
    """One call as it is written."""

    name: str
    arguments: tuple[Argument, ...] = ()
    named: dict[str, Argument] = field(default_factory=dict)
    """Arguments by the name of a field of SkillCall."""
    line: int = 0


def check_size(text: str) -> None:
    """Raise FormError for a text that is longer than any plan."""
    if len(text) > LONGEST_PLAN:
        raise FormError([Trouble(f"the plan has {len(text)} characters: at most {LONGEST_PLAN}")])


def short(text: str) -> str:
    """Return a text quoted, shortened for messages."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def points_in(value: Argument) -> tuple[Point, ...]:
    """Return the point or points that an argument is; none of one that is a word or a number."""
    if not isinstance(value, tuple):
        return ()
    points: list[Point] = []
    flat: list[float] = []
    for item in value:
        if isinstance(item, tuple):
            points.append(item)
        else:
            flat.append(item)
    return ((flat[0], flat[1], flat[2]),) if len(flat) == 3 else tuple(points)
