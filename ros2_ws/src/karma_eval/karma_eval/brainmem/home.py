# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated home in which a trial takes place: people speak, the robot acts, days pass, the truth is looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from karma_eval.household.memory import HouseholdMemory, opened
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import Survey, survey
from karma_language.vocabulary import household
from karma_memory import Memory
from planner_node.act.loop import Budget
from planner_node.act.reasoning import Planning
from planner_node.instruction import Instruction, Report, Unobserved
from planner_node.planner import Planner
from planner_node.skills import Code, Outcome, SkillCall
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.world import World

DAY = 86_400.0
"""Seconds."""
SKILLS = 60
"""That an instruction may take: enough for looking into every cabinet, and not for trying everything everywhere."""

Refusal = Callable[[World, SkillCall, frozenset[tuple[str, str]]], str]
"""Says why a home does not let a skill do its work, "" where it does; knows the skills that were done, with their
targets, since the day began."""


@dataclass(frozen=True)
class Effort:
    """What instructions took."""

    success: bool
    """By the simulator's truth."""
    skills: int
    failed: int
    """Skills that did not succeed."""


class Home:
    """One home. `without`: kinds of memory that say nothing."""

    def __init__(self, scene: str, memory: Memory, without: Collection[str], refusal: Refusal | None = None) -> None:
        known = explored(scene)
        known.tell(memory)
        self.robot = _Robot(HouseholdBackend(scene), refusal, began=known.ended + 1.0)
        self._scene = scene
        self._without = without
        self.remembers(memory)
        self._since = 0

    def remembers(self, memory: Memory) -> None:
        """Take up a memory, and start the planner."""
        self._memory = memory
        self._client = HouseholdMemory(memory, scene=self._scene, now=lambda: self.robot.clock, without=self._without)
        self.start()

    @property
    def world(self) -> World:
        """What is really the case."""
        return self.robot.backend.world

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

    def say(self, text: str, user: str = "", *, answer: str = "", retry_of: str = "") -> Report:
        """Let a person say something, and give an answer if asked; without one, they are gone."""
        return self._planner.run(Instruction(text, user=user, retry_of=retry_of), _Answering(answer))

    def rehearse(self, text: str, user: str = "") -> Report:
        """Return what would be done for a person; nothing is."""
        return self._planner.run(Instruction(text, user=user, dry_run=True), _Answering(""))

    def judge(self, report: Report, *, right: bool, user: str = "") -> None:
        """Let a person say whether that was right."""
        self._planner.judged(report.instruction_id, right=right, user=user)

    def next_day(self) -> None:
        """Let a night pass, in which somebody puts everything where it was at first."""
        self.robot.new_day(HouseholdBackend(self._scene), self.robot.clock + DAY)
        self.start()

    def look_around(self) -> None:
        """Let the robot see how everything is now."""
        survey(self.robot).tell(self._memory)

    def count(self) -> None:
        """Count what is done from here on."""
        self._since = len(self.robot.outcomes)

    def effort(self, *, success: bool) -> Effort:
        """Return what was done since `count`."""
        done = self.robot.outcomes[self._since :]
        return Effort(success, len(done), sum(not outcome.ok for outcome in done))


class _Answering(Unobserved):
    """A person who answers every question alike."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def ask(self, question: str, choices: Sequence[str]) -> str:
        """Answer."""
        return self._answer


class _Robot(HouseholdRobot):
    """A robot in a home where some skills fail for a reason that no skill table tells."""

    def __init__(self, backend: HouseholdBackend, refusal: Refusal | None, *, began: float) -> None:
        super().__init__(backend, began=began)
        self._refusal = refusal
        self._done: set[tuple[str, str]] = set()

    def new_day(self, backend: HouseholdBackend, began: float) -> None:
        """Go on in the home as it is on another day."""
        self.backend, self.began = backend, began
        self._done.clear()

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        """Run one skill, where the home lets it."""
        why = self._refusal(self.backend.world, call, frozenset(self._done)) if self._refusal is not None else ""
        if why:
            refused = Outcome(call, Code.PRECONDITION_FAILURE, why, stamp=self.clock)
            self.outcomes.append(refused)
            return refused
        outcome = super().execute(call, on_feedback, cancelled)
        if outcome.ok:
            self._done.add((call.skill, call.target.id))
        return outcome


@lru_cache(maxsize=64)
def explored(scene: str) -> Survey:
    """Return what a robot saw that explored a home once."""
    return survey(HouseholdRobot(HouseholdBackend(scene)))


def lived(scene: str, live: Callable[[Home], Effort], without: Collection[str], refusal: Refusal | None) -> Effort:
    """Let a trial take place in a home of its own, with a memory of its own."""
    with opened(embedder="lexical") as memory:
        return live(Home(scene, memory, without, refusal))
