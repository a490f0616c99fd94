# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The skill table that sim_bridge advertises, as the planner's library has it, without a running graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from planner_node.skills import SkillParameter, SkillSpec, SkillTable
from sim_bridge.skills import SKILLS, Parameter


def skill_table() -> SkillTable:
    """Return the table of sim_bridge.skills."""
    return SkillTable([_spec(**vars(spec)) for spec in SKILLS.values()])


def _spec(*, parameters: Iterable[Parameter], **same: Any) -> SkillSpec:
    return SkillSpec(parameters=tuple(SkillParameter(**vars(parameter)) for parameter in parameters), **same)
