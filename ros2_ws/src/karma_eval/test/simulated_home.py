# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated home that a robot explored once: people speak, the robot acts, with the real memory in between."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from karma_eval.household.memory import HouseholdMemory
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import explored, survey
from karma_language.vocabulary import household
from karma_memory import Memory
from planner_node.act.loop import Budget
from planner_node.act.reasoning import Planning
from planner_node.instruction import Instruction, Report, Unobserved
from planner_node.planner import Planner
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend

SKILLS = 60
"""That an instruction may take: enough for looking into every cabinet, and not for trying everything everywhere."""


class SimulatedHome:
    """One home. `without`: kinds of memory that say nothing."""

    def __init__(self, scene: str, memory: Memory, without: Collection[str] = ()) -> None:
        known = explored(scene)
        known.tell(memory)
        self.robot = HouseholdRobot(HouseholdBackend(scene), began=known.ended + 1.0)
        self._scene = scene
        self._without = without
        self.remembers(memory)

    def remembers(self, memory: Memory) -> None:
        """Take up a memory, and start the planner."""
        self._memory = memory
        self._client = HouseholdMemory(memory, scene=self._scene, now=lambda: self.robot.clock, without=self._without)
        self.start()

    def start(self, hearing: Hearing | None = None, planning: Planning = Planning.GOALS) -> None:
        """Start the planner, anew where it ran. `hearing`: the rules where none is given; `planning`: who plans."""
        self._planner = Planner(
            self.robot,
            self._client,
            hearing or Hearing(household()),
            household(),
            Budget(skills=SKILLS),
            now=lambda: self.robot.clock,
        )
        self._planner.pursuit.planning = planning

    def say(self, text: str, user: str = "", *, answer: str = "", dry_run: bool = False) -> Report:
        """Let a person say something, and answer if asked; without an answer, they are gone. `dry_run`: only plan."""
        return self._planner.run(Instruction(text, user=user, dry_run=dry_run), _Answering(answer))

    def judge(self, report: Report, *, right: bool, user: str = "") -> None:
        """Let a person say whether that was right."""
        self._planner.judged(report.instruction_id, right=right, user=user)

    def new_day(self, began: float) -> None:
        """Find everything where it was at first, at a time of the robot's clock, seconds."""
        self.robot.backend, self.robot.began = HouseholdBackend(self._scene), began
        self.start()

    def look_around(self) -> None:
        """Let the robot see how everything is now."""
        survey(self.robot).tell(self._memory)


class _Answering(Unobserved):
    """A person who answers every question alike."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def ask(self, question: str, choices: Sequence[str]) -> str:
        """Answer."""
        return self._answer
