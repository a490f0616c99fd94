# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One robot's life: task after task, with the memories it is allowed (BrainMem, sections 3.3 and 3.4).

Each task begins with the room as the task wants it, and the robot has `STEPS` skills. What it does, sees and is told of
the outcome goes into its memory; what it may recall is the ablation's. Only the first attempt counts. Where it failed,
and the ablation has guided retry, the room is set back and the robot is asked to try again, to learn from it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from karma_eval.eb_alfred.judge import Verdict, judge
from karma_eval.eb_alfred.seeing import Seeing
from karma_eval.eb_alfred.tasks import Task
from karma_eval.household.memory import HouseholdMemory, opened
from karma_eval.household.robot import HouseholdRobot
from karma_language.vocabulary.lexicon import Lexicon
from karma_memory import Memory
from planner_node.act.loop import Budget
from planner_node.act.reasoning import Planning
from planner_node.instruction import Instruction, Report, Stage, Unobserved
from planner_node.planner import Planner
from planner_node.skills import Code
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend

STEPS = 30
"""Skills that an attempt may take, as in the benchmark."""
PAUSE = 86_400.0
"""Seconds between two tasks: the room is another day's."""
_PAST = ("episodic", "trajectory", "long_term", "short_term")


@dataclass(frozen=True)
class Ablation:
    """What a robot may recall, and how often it tries again what was wrong."""

    memories: tuple[str, ...] = ()
    retries: int = 0

    @property
    def lives(self) -> bool:
        """Whether a task depends on the tasks before it."""
        return bool(set(self.memories) - {"working"})


ABLATIONS: dict[str, Ablation] = {
    "none": Ablation(),
    "working": Ablation(("working",)),
    "episodic": Ablation(("working", *_PAST)),
    "guidelines": Ablation(("working", *_PAST, "guideline")),
    "full": Ablation(("working", *_PAST, "guideline"), retries=3),
}
"""BrainMem's table 4: memory by memory, then with guided retry."""


@dataclass(frozen=True)
class Attempt:
    """What came of one attempt at a task."""

    report: Report
    verdict: Verdict
    plan_steps: int
    """Times that skills were planned."""

    @property
    def env_steps(self) -> int:
        """Skills that were run."""
        return len(self.report.outcomes)


@dataclass(frozen=True)
class Result:
    """A task and the attempts at it; the first one counts."""

    task: Task
    attempts: tuple[Attempt, ...]

    @property
    def first(self) -> Attempt:
        """The attempt that counts."""
        return self.attempts[0]


class Life:
    """A robot that is given one task after the other."""

    def __init__(
        self, memory: Memory, ablation: Ablation, hearing: Hearing, lexicon: Lexicon, planning: Planning
    ) -> None:
        self._memory = memory
        self._ablation = ablation
        self._hearing = hearing
        self._lexicon = lexicon
        self._planning = planning
        self._clock = 0.0

    def live(self, task: Task) -> Result:
        """Carry out one task."""
        robot = HouseholdRobot(HouseholdBackend(task.scene()), began=self._clock)
        memory = HouseholdMemory(self._memory, scene=task.floor_plan, now=lambda: robot.clock)
        planner = Planner(
            robot,
            memory,
            self._hearing,
            self._lexicon,
            Budget(skills=STEPS),
            now=lambda: robot.clock,
            memories=self._ablation.memories,
        )
        planner.pursuit.planning = self._planning
        attempts = [self._attempt(planner, robot, task, "")]
        while not attempts[-1].verdict.success and len(attempts) <= self._ablation.retries:
            self._clock = robot.clock + PAUSE
            robot.backend, robot.began = HouseholdBackend(task.scene()), self._clock
            attempts.append(self._attempt(planner, robot, task, attempts[-1].report.instruction_id))
            if attempts[-1].report.code is Code.PLANNING_FAILURE and not attempts[-1].report.outcomes:
                break  # it knows no other way
        self._clock = robot.clock + PAUSE
        return Result(task, tuple(attempts))

    def _attempt(self, planner: Planner, robot: HouseholdRobot, task: Task, retry_of: str) -> Attempt:
        watching = _Planning()
        seeing = Seeing(robot, task.floor_plan)
        seeing.arrive(self._memory)
        report = planner.run(Instruction(task.instruction, retry_of=retry_of), watching, str(uuid.uuid4()))
        seeing.tell(self._memory)
        verdict = judge(robot.backend.world, task.goal)
        if report.outcomes:
            planner.judged(report.instruction_id, right=verdict.success)
        return Attempt(report, verdict, watching.plans)


class _Planning(Unobserved):
    """Counts how often skills are planned."""

    def __init__(self) -> None:
        self.plans = 0

    def progress(self, stage: Stage, step: str, done: int) -> None:
        """Count."""
        self.plans += stage is Stage.PLAN


def lived(
    tasks: Sequence[Task],
    ablation: Ablation,
    hearing: Hearing,
    lexicon: Lexicon,
    embedder: str,
    planning: Planning = Planning.GOALS,
) -> Iterator[Result]:
    """Yield the results of a life with these tasks, in their order. Its memory is gone afterwards."""
    with opened(embedder) as memory:
        life = Life(memory, ablation, hearing, lexicon, planning)
        for task in tasks:
            yield life.live(task)
