# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A planning problem that any engine can be given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.solving import Operator


@dataclass(frozen=True)
class Problem:
    """A state (what holds), ground actions of which each may be of use, and a goal."""

    scene: str
    kind: str
    """Of the goal on the way to which it was met."""
    state: frozenset[Literal]
    operators: tuple[Operator, ...]
    goal: tuple[Literal, ...]

    def cost(self, plan: Iterable[int]) -> float:
        """Return what a plan costs, in seconds."""
        return sum((self.operators[index].cost for index in plan), 0.0)
