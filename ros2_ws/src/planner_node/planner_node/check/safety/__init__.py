# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot refuses, asks before, warns of and puts right, whatever the plan is and however it came about."""

from planner_node.check.safety.guard import Guard, Safety
from planner_node.check.safety.rules import Rules, RulesError, household_rules, load_rules

__all__ = ["Guard", "Rules", "RulesError", "Safety", "household_rules", "load_rules"]
