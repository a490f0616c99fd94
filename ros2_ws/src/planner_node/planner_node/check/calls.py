# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skill calls against the skill table and the world model."""

from __future__ import annotations

from planner_node.skills import Code, SkillCall, SkillTable
from planner_node.world import World


def problem(call: SkillCall, table: SkillTable, world: World) -> tuple[Code, str] | None:
    """Return why a call can't succeed as things stand, None when it may."""
    malformed = table.problems(call)
    if malformed:
        code = Code.PLANNING_FAILURE if call.skill not in table else Code.INVALID_ARGUMENT
        return code, "; ".join(malformed)
    if table[call.skill].needs_hand_empty and world.held:
        return Code.PRECONDITION_FAILURE, f"{call.skill} needs an empty gripper, and it holds {world.held}"
    if table[call.skill].needs_hand_full and not world.held:
        return Code.PRECONDITION_FAILURE, f"{call.skill} needs something in the gripper"
    if call.skill in ("PutObject", "Place") and call.receptacle.id and call.receptacle.id == world.held:
        return Code.PRECONDITION_FAILURE, f"{world.held} can't be put on itself"
    return None
