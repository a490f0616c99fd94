# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of several things is meant, by what it is said to look like: "the teal vase with a tall, slender neck"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from karma_language.arranging.descriptions import descriptions_in
from karma_language.arranging.words import content_words, head_of
from planner_node.skills import Node, SkillTable
from planner_node.understand.goals import Goal, ObjectRef, with_refs
from planner_node.world import LOOKS

DESCRIBED = "described(target)"
"""Effect of DescribeObject where it shows a node with LOOKS."""
SURE = 0.7
"""Likeness from which on nothing else is looked at."""


def tells_looks(table: SkillTable) -> bool:
    """Whether a robot can say what an object in view looks like: its row of DescribeObject promises that."""
    spec = table.get("DescribeObject")
    return spec is not None and DESCRIBED in spec.effects


def looks_of(node: Node) -> str:
    """Return what an object looks like, "" where that is not known."""
    return node.states.get(LOOKS, "")


def likeness(told: Iterable[str], looks: str, nouns: str) -> float:
    """Return how well what was told of a thing fits what it looks like, 0 to 1: the best of the texts counts.

    `nouns`: what such things are called, which tells none apart.
    """
    seen, plain = content_words(looks), content_words(nouns)
    return max((_dice(content_words(text) - plain, seen - plain) for text in told), default=0.0)


def is_called_so(noun: str, looks: str) -> bool:
    """Whether a description calls a thing by a noun: "A white orchid pot" is called a pot."""
    return bool(content_words(noun)) and content_words(noun) <= content_words(looks)


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2.0 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def with_looks(goals: Sequence[Goal], told: Sequence[str]) -> tuple[Goal, ...]:
    """Return goals whose things know what some sentences tell of how they look."""
    refs = [ref for goal in goals for ref in goal.refs]
    heads = list(dict.fromkeys(head_of(ref.noun.lower()) for ref in refs))
    about: dict[str, tuple[str, ...]] = {}
    for of, clause in descriptions_in(told, heads):
        for head in of:
            about[head] = (*about.get(head, ()), clause)

    def told_of(ref: ObjectRef | None) -> ObjectRef | None:
        if ref is None:
            return None
        more = tuple(f"{ref.noun} {text}" for text in about.get(head_of(ref.noun.lower()), ()))
        return replace(ref, looks=(*ref.looks, *more), place=told_of(ref.place))

    return tuple(with_refs(goal, told_of) for goal in goals)
