# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The skill table that sim_bridge advertises, as the planner's library has it, without a running graph."""

from __future__ import annotations

from planner_node.skills import SkillParameter, SkillSpec, SkillTable
from sim_bridge.skills import SKILLS


def skill_table() -> SkillTable:
    """Return the table of sim_bridge.skills."""
    return SkillTable(
        [
            SkillSpec(
                spec.name,
                spec.description,
                tuple(SkillParameter(p.name, p.type, p.required, p.choices, p.description) for p in spec.parameters),
                spec.preconditions,
                spec.effects,
                spec.irreversible,
            )
            for spec in SKILLS.values()
        ]
    )
