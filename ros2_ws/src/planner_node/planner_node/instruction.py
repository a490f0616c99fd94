# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An instruction, whoever follows it, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from planner_node.memory import Recollection
from planner_node.skills import Code, Outcome, Point
from planner_node.understand.goals import Goal


class Stage(IntEnum):
    """Stage of an instruction; the values equal those of karma_interfaces/ExecuteInstruction's feedback."""

    UNDERSTAND = 0
    GROUND = 1
    PLAN = 2
    CHECK = 3
    ACT = 4
    LEARN = 5


@dataclass(frozen=True)
class Instruction:
    """What a person asks for."""

    text: str
    user: str = ""
    ignore_memory: bool = False
    dry_run: bool = False
    person: Point | None = None
    """Where the person is, metres, map frame; None when unknown."""
    retry_of: str = ""
    """Id of the instruction that this one tries again, because it was not what the person wanted."""


@dataclass(frozen=True)
class Report:
    """What came of an instruction."""

    code: Code
    message: str = ""
    instruction_id: str = ""
    goals: tuple[Goal, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    explore_steps: int = 0
    duration: float = 0.0
    """Seconds of simulated or real time."""
    recalled: tuple[Recollection, ...] = ()
    heard: str = ""
    """What was heard, and what was not understood, in sentences; "" where nothing was read."""
    reader: str = ""
    """Who read the words: "rules", or the model's name; "" where nobody did."""


class Observer(Protocol):
    """Follows an instruction: shows its progress, asks the person, stops it."""

    def progress(self, stage: Stage, step: str, done: int) -> None:
        """Show what is being done."""

    def ask(self, question: str, choices: Sequence[str]) -> str:
        """Ask the person and return the answer, empty when there is none."""

    def cancelled(self) -> bool:
        """Whether to stop."""

    def waits(self, why: str, done: int) -> None:
        """Show that nothing is done for now, and why: the robot is paused, or something is more urgent."""


class Unobserved:
    """Nobody watches, answers or stops."""

    def progress(self, stage: Stage, step: str, done: int) -> None:
        """Show nothing."""

    def ask(self, question: str, choices: Sequence[str]) -> str:
        """Answer nothing."""
        return ""

    def cancelled(self) -> bool:
        """Never stop."""
        return False

    def waits(self, why: str, done: int) -> None:
        """Show nothing."""
