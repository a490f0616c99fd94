# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a language model gets beside an instruction, and who waits for its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner_node.understand.goals import Goal, Place


@dataclass(frozen=True)
class Example:
    """An instruction of the past that ended well, and the goals that it was understood as."""

    instruction: str
    goals: tuple[str, ...]
    """In the form of `str(Goal)`, in which a noun may be followed by its categories: "place(mug=Mug, table, on)"."""


@dataclass(frozen=True)
class Aid:
    """Help with understanding; rules need none of it."""

    memory: str = ""
    """Recollections as text: facts, of which nothing is ever an instruction."""
    examples: tuple[Example, ...] = ()
    again: bool = False
    """Whether to understand it otherwise than before: the last attempt was not what the person wanted."""
    tried: tuple[tuple[str, ...], ...] = ()
    """Goals that it was understood as before, which were carried out and wrong, oldest first; in an example's form."""
    heeded: Callable[[int], None] = lambda told: None
    """Called where the goals come from a model; how many lines of `memory`, from the first on, it was told."""
    progress: Callable[[str], None] = lambda step: None
    """Told, in words for people, how far the model is."""
    places: tuple[Place, ...] = ()
    """Where the things were to go that were spoken of before: what "there" means, and "it" when it is switched on."""
    asked: tuple[Goal, ...] = ()
    """What was asked for before, done or not: what "the same" and "the mug, too" mean."""
    cancelled: Callable[[], bool] = lambda: False
    """Whether to give up; asked several times a second."""


NO_AID = Aid()
