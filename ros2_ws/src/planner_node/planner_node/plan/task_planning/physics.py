# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What no skill table says of household things, read from household_physics.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from planner_node.plan.task_planning.literals import Literal, LiteralError, parse_all


class PhysicsError(ValueError):
    """The file of physics does not have the form that its header describes."""


@dataclass(frozen=True)
class Process:
    """What comes about where several things hold at once."""

    when: tuple[Literal, ...]
    then: tuple[Literal, ...]
    categories: Mapping[str, tuple[str, ...]]
    """Variable → what it can stand for; any portable thing for variables that are not among them."""
    named: str = ""
    """The variable that an instruction must name, if one must be."""
    within: tuple[str, str, float] | None = None
    """Two variables, and how far apart they may be horizontally, metres."""


@dataclass(frozen=True)
class First:
    """What must hold before something can be brought about."""

    to: Literal
    needs: tuple[Literal, ...]
    categories: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Physics:
    """All of it; see household_physics.yaml. Compared by identity."""

    here: frozenset[str]
    affordances: Mapping[str, str]
    same: Mapping[str, str]
    undone: tuple[tuple[str, bool], ...]
    """Predicate, and the value that is undone."""
    processes: tuple[Process, ...]
    first: tuple[First, ...]
    hollow: frozenset[str]
    surfaces: tuple[str, ...]
    said: Mapping[tuple[str, bool], str]
    """Predicate and its value → what people call bringing it about."""

    @staticmethod
    def load(text: str) -> Physics:
        """Read physics from YAML. Raises PhysicsError when it is malformed."""
        try:
            return _build(yaml.load(text, yaml.CSafeLoader))
        except (yaml.YAMLError, LiteralError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise PhysicsError(f"the physics are not as their header describes: {error!r}") from error


@cache
def household_physics() -> Physics:
    """Return the physics that come with this package."""
    return Physics.load(files(__package__).joinpath("household_physics.yaml").read_text(encoding="utf-8"))


def _build(data: Mapping[str, Any]) -> Physics:
    undone = parse_all(f"{text}(x)" for text in data["undone"])
    said = {Literal.parse(text): str(words) for text, words in data["said"].items()}
    return Physics(
        frozenset(data["here"]),
        dict(data["affordances"]),
        dict(data["same"]),
        tuple((literal.predicate, literal.positive) for literal in undone),
        tuple(_process(entry) for entry in data["processes"]),
        tuple(First(Literal.parse(e["to"]), parse_all(e["needs"]), _categories(e)) for e in data["first"]),
        frozenset(data["hollow"]),
        tuple(data["surfaces"]),
        {(literal.predicate, literal.positive): words for literal, words in said.items()},
    )


def _process(entry: Mapping[str, Any]) -> Process:
    within = None
    if "within" in entry:
        (one, other), metres = next(iter(entry["within"].items())), float(entry["within"]["metres"])
        within = (str(one), str(other), metres)
    named = str(entry.get("named", ""))
    return Process(parse_all(entry["when"]), parse_all(entry["then"]), _categories(entry), named, within)


def _categories(entry: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return what the variables of an entry, which are single letters, can stand for."""
    return {key: tuple(value) for key, value in entry.items() if len(key) == 1}
