# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skill calls as the papers write them: KARMA's action code and MEMENTO's actions, read, checked and written."""

from planner_node.skill_forms.forms import (
    Form,
    PlannedCall,
    form_of,
    may_be_plan,
    print_call,
    print_plan,
    read,
)
from planner_node.skill_forms.written import FormError, Trouble

__all__ = [
    "Form",
    "FormError",
    "PlannedCall",
    "Trouble",
    "form_of",
    "may_be_plan",
    "print_call",
    "print_plan",
    "read",
]
