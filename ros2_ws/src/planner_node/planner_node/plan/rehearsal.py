# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot in the mind: every skill does what it should. For dry runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.skills import Code, Node, Outcome, SkillCall, SkillTable
from planner_node.world import World


class Rehearsal:
    """Imagines the outcome of skills. What is looked for is imagined to be found."""

    def __init__(self, table: SkillTable, world: World, lexicon: Lexicon) -> None:
        self._table = table
        self._world = world
        self._lexicon = lexicon
        self._imagined = 0

    def skills(self) -> SkillTable:
        """Return the real robot's skills."""
        return self._table

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        """Return what the skill should bring about."""
        seen: tuple[Node, ...] = ()
        target = call.target
        if call.skill == "Explore" and target.category:
            self._imagined += 1
            seen = (
                Node(
                    f"{target.category}?{self._imagined}",
                    target.category,
                    position=(0.0, 0.0, 0.0),
                    movable=self._lexicon.can(target.category, "pickup"),
                ),
            )
        elif call.skill == "GoToObject":
            known = self._world.get(target.id)
            seen = (known.node,) if known else (Node(target.id, target.category, position=target.position),)
        elif call.skill == "DescribeObject":  # the gripper was felt
            known = self._world.get(target.id)
            seen = (replace(known.node if known else Node(target.id, target.category), relation="held"),)
        elif call.skill == "SliceObject":
            known = self._world.get(target.id)
            if known is not None:
                category = self._lexicon.slices.get(known.node.category, known.node.category)
                seen = (
                    Node(
                        f"{target.id}|{category}_0",
                        category,
                        position=known.node.position,
                        receptacle=known.node.receptacle,
                    ),
                )
        return Outcome(call, Code.SUCCESS, seen=seen)
