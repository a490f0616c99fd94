# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop: run a plan's steps one at a time, look at each outcome, retry, and stop in time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from planner_node.check import problem
from planner_node.skills import Code, Outcome, Robot, RobotUnavailable, SkillCall, SkillTable
from planner_node.steps import GoalFailed, Step, Steps
from planner_node.world import World

OnStep = Callable[[str, int], None]
"""Called with what is being done, for people, and the number of skills done."""


class Stopped(Exception):  # noqa: N818 - an outcome, not a defect
    """The instruction ends here whatever else is wanted: canceled, out of budget, robot gone."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Budget:
    """How much an instruction may use up."""

    skills: int = 200
    seconds: float = 3600.0
    """Of simulated or real time, summed over the skills; and of wall-clock time."""
    retries: int = 2
    """Times that a skill is tried again after an EXECUTION_FAILURE."""
    repeats: int = 4
    """Times that the same call may fail in the same way before the robot is going round in circles."""


class Actor:
    """Runs steps on a robot and keeps the world model up to date."""

    def __init__(
        self,
        robot: Robot,
        table: SkillTable,
        world: World,
        *,
        budget: Budget,
        on_step: OnStep,
        on_outcome: Callable[[Outcome], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self._robot = robot
        self._table = table
        self._world = world
        self._budget = budget
        self._on_step = on_step
        self._on_outcome = on_outcome
        self._cancelled = cancelled
        self._failures: Counter[tuple[SkillCall, str]] = Counter()
        self._began = time.monotonic()
        self.outcomes: list[Outcome] = []

    @property
    def duration(self) -> float:
        """Seconds of simulated or real time used so far."""
        return sum((outcome.duration for outcome in self.outcomes), 0.0)

    def perform(self, steps: Steps[None]) -> None:
        """Run the steps to their end.

        Raises GoalFailed when the plan gives up, Stopped when the instruction must end.
        """
        try:
            step = next(steps)
            while True:
                outcome = self._run(step)
                step = steps.send(outcome)
        except StopIteration:
            return
        finally:
            steps.close()

    def _run(self, step: Step) -> Outcome:
        """Run one skill, again after failures of the arm."""
        outcome = self._once(step)
        for _ in range(self._budget.retries):
            if outcome.code is not Code.EXECUTION_FAILURE:
                break
            outcome = self._once(Step(step.call, f"{step.text} (again: {outcome.message})"))
        if outcome.code is Code.CANCELED:
            raise Stopped(Code.CANCELED, f"Stopped as asked while I was about to {step.text}.")
        if outcome.code in (Code.UNAVAILABLE, Code.TIMEOUT, Code.INTERNAL_ERROR):
            raise Stopped(outcome.code, f"I could not {step.text}: {outcome.message}")
        if not outcome.ok:
            self._failures[step.call, outcome.message] += 1
            if self._failures[step.call, outcome.message] >= self._budget.repeats:
                raise GoalFailed(
                    Code.EXECUTION_FAILURE,
                    f"I am going round in circles: {step.call} failed {self._budget.repeats} times: {outcome.message}",
                )
        return outcome

    def _once(self, step: Step) -> Outcome:
        if self._cancelled():
            raise Stopped(Code.CANCELED, f"Stopped as asked before I could {step.text}.")
        if len(self.outcomes) >= self._budget.skills:
            raise Stopped(
                Code.TIMEOUT,
                f"I used up the {self._budget.skills} skills that an instruction may take, before I could {step.text}.",
            )
        used = max(self.duration, time.monotonic() - self._began)
        if used > self._budget.seconds:
            raise Stopped(
                Code.TIMEOUT,
                f"I used up the {self._budget.seconds:.0f} s that an instruction may take, before I could {step.text}.",
            )
        refused = problem(step.call, self._table, self._world)
        if refused is not None:
            return Outcome(step.call, refused[0], refused[1])
        self._on_step(step.text, len(self.outcomes))
        done = len(self.outcomes)
        try:
            outcome = self._robot.execute(
                step.call, lambda text: self._on_step(f"{step.text}: {text}", done), self._cancelled
            )
        except RobotUnavailable as error:
            raise Stopped(Code.UNAVAILABLE, f"The robot went away while I was about to {step.text}: {error}") from error
        self._world.apply(outcome)
        self.outcomes.append(outcome)
        self._on_outcome(outcome)
        return outcome
