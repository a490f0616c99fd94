# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A guideline: what was learned of how to do things. Mirrors karma_interfaces/Guideline."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from karma_memory.events import SkillCall


class Advice(str, Enum):
    """What a guideline says; the values equal those of karma_interfaces/Guideline."""

    MEANING = "meaning"
    """The word `word` meant `category`, not `instead_of`."""
    BEFORE = "before"
    """Before `skill` on things of `category`, do `steps`; learned where it failed with `message`."""
    AVOID = "avoid"
    """`skill` with `category` and `receptacle`, or with `object`, fails with `message`; `instead` worked."""
    INSIGHT = "insight"
    """Nothing but a text: the words of a language model, for another one."""


@dataclass(frozen=True)
class Guideline:
    """What was learned, and how well it has done since; see karma_interfaces/Guideline."""

    advice: Advice
    text: str = ""
    """One sentence, for people and prompts."""
    word: str = ""
    category: str = ""
    instead_of: str = ""
    skill: str = ""
    steps: tuple[SkillCall, ...] = ()
    """With categories; a target that says nothing is the object of the skill itself."""
    receptacle: str = ""
    object: str = ""
    instead: str = ""
    message: str = ""
    task_types: tuple[str, ...] = ()
    """Predicates of the goals that it was learned from."""
    scene: str = ""
    room: str = ""
    confidence: float = 0.0
    successes: int = 0
    uses: int = 0
    utility: float = 0.0
