# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop: run a plan's steps one at a time, look at each outcome, retry, and stop in time."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from planner_node.act.gate import Gate
from planner_node.act.recovery import Recovery
from planner_node.check.calls import problem
from planner_node.check.circles import Circles
from planner_node.check.safety.guard import Guard
from planner_node.check.safety.rules import At
from planner_node.plan.steps import GoalFailed, Step, Steps, Stopped
from planner_node.skills import Code, Outcome, Robot, RobotUnavailable, SkillCall, SkillTable
from planner_node.status import Following
from planner_node.world import World

_LOG = logging.getLogger(__name__)

OnStep = Callable[[str, int], None]
"""Called with what is being done, for people, and the number of skills done."""
_STOPPABLE = frozenset({"Explore", "GoToObject", "Navigate", "Wait"})
"""Skills that can be stopped anywhere and begun again: nothing is half done by them."""
_TO_PUT_RIGHT = 20, 300.0
"""Skills and seconds beyond the budget for leaving everything safe."""


class _Interrupted(Exception):  # noqa: N818 - an outcome, not a defect
    """Something more urgent is to be done first."""


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
        guard: Guard,
        gate: Gate | None = None,
        on_wait: OnStep | None = None,
        give_way: Callable[[], Iterable[Outcome]] | None = None,
        recovery: Recovery | None = None,
        following: Following | None = None,
    ) -> None:
        """`guard` says which skills must not be run. `recovery`: what is done for a skill to work.

        `gate` stops the robot between two skills; `on_wait` hears of that. `give_way` waits until more urgent
        instructions have ended, and returns what they did. `following` is told of the calls.
        """
        self._following = following or Following()
        self.guard = guard
        self._recovery = recovery
        self._is_recovering = False
        self._prepared: set[tuple[SkillCall, SkillCall]] = set()
        self._gate = gate or Gate()
        self._on_wait = on_wait or on_step
        self._give_way = give_way or self._gate.give_way
        self._circles = Circles(budget.repeats)
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
        """Run the steps to their end. What the rules refuse is raised in the plan, which may know something else.

        Raises GoalFailed when the plan gives up, Stopped when the instruction must end.
        """
        try:
            step = next(steps)
            while True:
                try:
                    outcome = self._run(step)
                except GoalFailed as failure:
                    if failure.code is not Code.REFUSED:
                        raise
                    step = steps.throw(failure)
                else:
                    step = steps.send(outcome)
        except StopIteration:
            return
        finally:
            steps.close()

    def pursue(self, plan: Callable[[], Steps[None]]) -> None:
        """Run a plan to its end, and make it anew after more urgent instructions have passed. Raises as `perform`."""
        while True:
            try:
                return self.perform(plan())
            except _Interrupted:
                since = time.monotonic()
                self._on_wait("wait for something more urgent", len(self.outcomes))
                for outcome in self._give_way():
                    self._world.apply(outcome)
                self._world.at = ""
                self._began += time.monotonic() - since

    def put_right(self, steps: Steps[None]) -> None:
        """Run steps that leave everything safe, even where the budget is used up. Raises as `perform`."""
        budget, (skills, seconds) = self._budget, _TO_PUT_RIGHT
        self._budget = replace(
            budget,
            skills=max(budget.skills, len(self.outcomes) + skills),
            seconds=max(budget.seconds, self._used + seconds),
        )
        try:
            self.pursue(lambda: steps)
        finally:
            self._budget = budget

    @property
    def _used(self) -> float:
        """Seconds used up, simulated or real, whichever are more; those of pauses don't count."""
        return max(self.duration, time.monotonic() - self._began)

    def _run(self, step: Step) -> Outcome:
        """Run one skill, as guidelines have it."""
        outcome = self._guided(step)
        if outcome.code is Code.CANCELED:
            raise _stopped_during(step)
        if outcome.code in (Code.UNAVAILABLE, Code.TIMEOUT, Code.INTERNAL_ERROR):
            raise Stopped(outcome.code, f"I could not {step.text}: {outcome.message}")
        if not outcome.ok:
            self._failures[step.call, outcome.message] += 1
            if self._failures[step.call, outcome.message] >= self._budget.repeats:
                raise GoalFailed(
                    Code.EXECUTION_FAILURE,
                    f"I am going round in circles: {step.call} failed {self._budget.repeats} times: {outcome.message}",
                )
        length = self._circles.closed_by(outcome, self._world)
        if length:
            again = ", ".join(str(done.call) for done in self.outcomes[-length:])
            raise GoalFailed(Code.EXECUTION_FAILURE, f"I am going round in circles, and nothing comes of it: {again}")
        return outcome

    def _guided(self, step: Step) -> Outcome:
        """Run one skill after what was learned has to come first; after a failure, try what may put it right."""
        if self._recovery is None or self._is_recovering:
            return self._persistent(step)
        for call in self._recovery.before(step.call):
            if (call, step.call) not in self._prepared:
                self._prepared.add((call, step.call))
                self._recover(call, f"do as I have learned before I {step.text}", step.call)
        outcome = self._persistent(step)
        try:
            return self._repaired(step, outcome)
        except (Stopped, _Interrupted):
            self._recovery.broken_off()
            raise

    def _repaired(self, step: Step, outcome: Outcome) -> Outcome:
        """Try what may put a skill right that failed; return how it ended."""
        assert self._recovery is not None
        for call in self._recovery.repairs(outcome):
            if not self._recover(call, f"try whether that helps to {step.text}", step.call):
                self._recovery.not_done()
                continue
            undo = self._recovery.undo
            again = self._once(step)
            if again.ok:
                self._recovery.helped()
                return again
            if undo is not None:
                self._recover(undo, f"undo what did not help to {step.text}", step.call)
        self._recovery.in_vain(outcome)
        return outcome

    def _recover(self, call: SkillCall, text: str, then: SkillCall) -> bool:
        """Do something to another thing, or to the same, and come back for `then`; return whether it is done."""
        assert self._recovery is not None
        self._is_recovering = True
        try:
            with self._following.before(then):
                self.perform(self._recovery.plan(call, text))
        except GoalFailed as failure:
            _LOG.debug("%s beside the plan: %s", call, failure)
            return False
        finally:
            self._is_recovering = False
        return True

    def _persistent(self, step: Step) -> Outcome:
        """Run one skill, again after failures of the arm."""
        outcome = self._once(step)
        for _ in range(self._budget.retries):
            if outcome.code is not Code.EXECUTION_FAILURE:
                break
            outcome = self._once(Step(step.call, f"{step.text} (again: {outcome.message})"))
        return outcome

    def _pass_gate(self, step: Step) -> None:
        """Wait while the robot is paused; raise _Interrupted where something more urgent is to be done."""
        if self._gate.paused and not self._cancelled():
            careful = self.guard.held_notes(At.PAUSE)
            says = " ".join([f"Paused before I {step.text}.", *careful])
            since = time.monotonic()
            self._on_wait(says, len(self.outcomes))
            self._gate.wait(self._cancelled, says)
            self._began += time.monotonic() - since
        if self._cancelled():
            raise Stopped(Code.CANCELED, f"Stopped as asked before I could {step.text}.")
        if self._gate.wanted:
            raise _Interrupted

    def _obey(self, step: Step) -> None:
        """Ask the rules about a step, and run what has to come first. Raises GoalFailed where they refuse it."""
        verdict = self.guard.judge(step.call, self._table)
        for call in verdict.first:
            first = self._execute(Step(call, f"make it safe to {step.text}"))
            if not first.ok:
                raise GoalFailed(Code.REFUSED, f"It is not safe to {step.text}: {call} failed: {first.message}")
        if verdict.refusal:
            raise GoalFailed(Code.REFUSED, verdict.refusal)

    def _once(self, step: Step) -> Outcome:
        self._following.next(step.call)
        self._pass_gate(step)
        if len(self.outcomes) >= self._budget.skills:
            raise Stopped(
                Code.TIMEOUT,
                f"I used up the {self._budget.skills} skills that an instruction may take, before I could {step.text}.",
            )
        if self._used > self._budget.seconds:
            raise Stopped(
                Code.TIMEOUT,
                f"I used up the {self._budget.seconds:.0f} s that an instruction may take, before I could {step.text}.",
            )
        refused = problem(step.call, self._table, self._world)
        if refused is not None:
            return Outcome(step.call, refused[0], refused[1])
        self._obey(step)
        outcome = self._execute(step)
        if outcome.code is Code.CANCELED and step.call.skill in _STOPPABLE and not self._cancelled():
            return self._once(step)  # stopped for the gate
        return outcome

    def _execute(self, step: Step) -> Outcome:
        self._on_step(step.text, len(self.outcomes))
        self._following.runs(step.call)
        done = len(self.outcomes)
        stoppable = step.call.skill in _STOPPABLE
        try:
            outcome = self._robot.execute(
                step.call,
                lambda text: self._on_step(f"{step.text}: {text}", done),
                lambda: self._cancelled() or (stoppable and self._gate.closed),
            )
        except RobotUnavailable as error:
            raise Stopped(Code.UNAVAILABLE, f"The robot went away while I was about to {step.text}: {error}") from error
        self._world.apply(outcome)
        self.outcomes.append(outcome)
        self._following.did(outcome)
        self._on_outcome(outcome)
        if outcome.stopped_by_others:  # who stops the robot does not want it to be sent on
            raise _stopped_during(step)
        return outcome


def _stopped_during(step: Step) -> Stopped:
    return Stopped(Code.CANCELED, f"Stopped as asked while I was about to {step.text}.")
