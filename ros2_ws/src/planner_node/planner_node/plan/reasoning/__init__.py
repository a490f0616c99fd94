# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A language model that plans: it says the next skill call, sees what came of it, and goes on (BrainMem, KARMA)."""

from planner_node.plan.reasoning.loop import Planning, Reasoner
from planner_node.plan.reasoning.progress import can_tell

__all__ = ["Planning", "Reasoner", "can_tell"]
