# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How far instructions are, for whoever looks on: gathered while they are carried out, and looked at when wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from planner_node.instruction import Instruction, Report, Stage
from planner_node.memory import Recollection
from planner_node.skills import Outcome, SkillCall
from planner_node.understand.goals import Goal


@dataclass(frozen=True)
class Status:
    """An instruction at one moment; see karma_interfaces/InstructionStatus."""

    id: str = ""
    instruction: Instruction = field(default=Instruction(""))
    began: float = 0.0
    """Seconds, the robot's clock."""
    stage: Stage = Stage.UNDERSTAND
    step: str = ""
    heard: str = ""
    """What was heard of the words, and what was not understood, in sentences."""
    goals: tuple[Goal, ...] = ()
    goal: int = 0
    recalled: tuple[Recollection, ...] = ()
    plan: tuple[SkillCall, ...] = ()
    """What is to come, without the call that runs."""
    current: SkillCall | None = None
    done: tuple[Outcome, ...] = ()
    question_id: str = ""
    question: str = ""
    choices: tuple[str, ...] = ()
    asked: float = 0.0
    """When the question was put, as `began`; 0: there is none."""
    waits: bool = False
    report: Report | None = None
    """How it ended; None: it has not."""
    ended_at: float = 0.0
    """As `began`; 0: it has not."""
    picture: Any = None
    """Of what the answer to a question is about (sensor_msgs/CompressedImage); None: there is none."""


class Following:
    """Takes note of how far one instruction is. Thread-safe: whoever looks sees one moment."""

    def __init__(self, first: Status | None = None, clock: Callable[[], float] = time.time) -> None:
        """`clock`: the robot's, seconds."""
        self._clock = clock
        self._changing = threading.Lock()
        self._ahead: tuple[SkillCall, ...] = ()
        self.now = first or Status()
        """The present status; another object after every change."""

    def _change(self, **what: Any) -> None:
        with self._changing:
            self.now = replace(self.now, **what)

    def progress(self, stage: Stage, step: str) -> None:
        """Note what is being done, for people."""
        if (stage, step, False) != (self.now.stage, self.now.step, self.now.waits):
            self._change(stage=stage, step=step, waits=False)

    def waits(self, why: str) -> None:
        """Note that nothing is done for now, and why."""
        self._change(step=why, waits=True)

    def asks(self, question_id: str, question: str, choices: Sequence[str]) -> None:
        """Note that an answer is waited for."""
        self._change(question_id=question_id, question=question, choices=tuple(choices), asked=self._clock())

    def answered(self) -> None:
        """Note that none is waited for any more."""
        self._change(question_id="", question="", choices=(), asked=0.0)

    def hears(self, heard: str) -> None:
        """Note what was heard of the words."""
        self._change(heard=heard)

    def understood(self, goals: tuple[Goal, ...]) -> None:
        """Note the goals."""
        self._change(goals=goals)

    def uses(self, recalled: tuple[Recollection, ...]) -> None:
        """Note all memories that were used so far."""
        if recalled != self.now.recalled:
            self._change(recalled=recalled)

    def shows(self, picture: Any) -> None:
        """Note the picture (sensor_msgs/CompressedImage) that goes with the answer to a question."""
        self._change(picture=picture)

    def pursues(self, goal: int) -> None:
        """Note which goal is pursued, by its index; nothing is planned for it yet. A dry run's plan is that of all."""
        self._change(goal=goal, plan=self.now.plan if self.now.instruction.dry_run else ())

    def plans(self, calls: Iterable[SkillCall]) -> None:
        """Note what is to come, as planned now."""
        self._ahead = tuple(calls)
        self._change(plan=self._ahead)

    @contextmanager
    def before(self, *calls: SkillCall) -> Iterator[tuple[SkillCall, ...]]:
        """Let something be planned that comes before `calls` and all that was to come; yield these."""
        outer = self._ahead
        try:
            self.plans((*calls, *outer))
            yield self._ahead
        finally:
            self.plans(outer)

    def next(self, call: SkillCall) -> None:
        """Note what comes next, before what is planned after it."""
        self._change(plan=(call, *self._ahead))

    def runs(self, call: SkillCall) -> None:
        """Note that a skill has begun."""
        plan = self.now.plan
        self._change(current=call, plan=plan[1:] if plan[:1] == (call,) else plan)

    def did(self, outcome: Outcome) -> None:
        """Note that it has ended."""
        self._change(current=None, done=(*self.now.done, outcome))

    def ended(self, report: Report) -> None:
        """Note how the instruction ended."""
        self.answered()
        self.pursues(self.now.goal)
        self._change(
            current=None,
            waits=False,
            goals=report.goals,
            recalled=report.recalled,
            report=report,
            ended_at=self._clock(),
        )


class Board:
    """What instructions are underway. Shows the newest that has not ended; where there is none, the last. Thread-safe.

    An urgent instruction is shown before the one that it has interrupted.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """`clock`: the robot's, seconds."""
        self._clock = clock
        self._changing = threading.Lock()
        self._underway: tuple[Following, ...] = ()
        self._last: Following | None = None

    def begin(self, first: Status) -> Following:
        """Show an instruction that begins; return what takes note of it."""
        begun = Following(first, self._clock)
        with self._changing:
            self._underway = (*self._underway, begun)
        return begun

    def leave(self, ended: Following) -> None:
        """Show the one that goes on, if there is one, instead of one that has ended."""
        with self._changing:
            self._last = ended
            self._underway = tuple(one for one in self._underway if one is not ended)

    @property
    def shown(self) -> Status | None:
        """What is to be shown; None before the first instruction."""
        with self._changing:
            shown = self._underway[-1] if self._underway else self._last
        return shown.now if shown is not None else None
