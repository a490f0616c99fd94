# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users prefer, learned from their answers and corrections (PAHF)."""

from karma_language.told.wishes.choice import Mode, Request
from karma_memory.preferences.chooser import Choice, Chooser, Teaching
from karma_memory.preferences.deciding import Decider, Decision
from karma_memory.preferences.likeness import Likeness
from karma_memory.preferences.loop import PreferenceLoop, Turn
from karma_memory.preferences.memory import PreferenceMemory
from karma_memory.preferences.preference import Lesson, Preference

__all__ = [
    "Choice",
    "Chooser",
    "Decider",
    "Decision",
    "Lesson",
    "Likeness",
    "Mode",
    "Preference",
    "PreferenceLoop",
    "PreferenceMemory",
    "Request",
    "Teaching",
    "Turn",
]
