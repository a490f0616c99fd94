# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""EB-ALFRED's tasks through AI2-THOR's client, with a stand-in for Unity: as many succeed as in the household itself.

Only where KARMA_DATA names the folder with eb_alfred/.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ai2thor.controller", reason="./karma test installs it")

from unity_stand_in import EXECUTABLE

from karma_eval.eb_alfred.judge import judge
from karma_eval.eb_alfred.life import ABLATIONS, STEPS, lived
from karma_eval.eb_alfred.tasks import Task, load
from karma_eval.household.memory import HouseholdMemory, opened
from karma_eval.household.robot import HouseholdRobot
from karma_language.vocabulary import household
from planner_node.act.loop import Budget
from planner_node.instruction import Instruction, Unobserved
from planner_node.planner import Planner
from planner_node.skills import Outcome
from planner_node.understand.hearing import Hearing
from sim_bridge.ai2thor.agent import Agent
from sim_bridge.ai2thor.backend import Ai2ThorBackend
from sim_bridge.ai2thor.launching import Launch
from sim_bridge.backend import SeenObject

DATA = Path(os.environ.get("KARMA_DATA", "nowhere"), "eb_alfred")
OF_EACH_SPLIT = 2

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="KARMA_DATA does not name the folder with eb_alfred/"),
]


class Truth:
    """As much of a world as ALFRED's judge asks for, from the truth after every skill."""

    def __init__(self, backend: Ai2ThorBackend) -> None:
        self._backend = backend
        self.washed: set[str] = set()
        self.heated: set[str] = set()
        self.cooled: set[str] = set()
        self._now: dict[str, SeenObject] = {}
        self.note()

    def note(self, outcome: Outcome | None = None) -> None:
        self._now = {o.id: o for o in self._backend.ground_truth()}
        taps = any(o.category == "Faucet" and o.states.get("isToggled") == "true" for o in self._now.values())
        basins = {o.id for o in self._now.values() if o.category in ("SinkBasin", "BathtubBasin")}
        for o in self._now.values():
            if taps and basins & set(self.ancestors(o.id)):
                self.washed.add(o.id)
            self.heated |= {o.id} if o.states.get("temperature") == "Hot" else set()
            self.cooled |= {o.id} if o.states.get("temperature") == "Cold" else set()

    @property
    def held(self) -> str:
        return next((o.id for o in self._now.values() if o.relation == "held"), "")

    def of_category(self, category: str) -> list[str]:
        return [o.id for o in self._now.values() if o.category.casefold() == category.casefold()]

    def is_(self, name: str, state: str) -> bool:
        return self._now[name].states.get(state) == "true"

    def ancestors(self, name: str) -> Iterator[str]:
        while (name := self._now[name].receptacle) in self._now:
            yield name


class Body:
    """AI2-THOR where the evaluation's robot expects the household."""

    def __init__(self, thor: Ai2ThorBackend) -> None:
        self.run, self.so_far = thor.run, thor.so_far
        self._thor = thor

    @property
    def robot(self) -> Agent:
        return self._thor.agent


def carried_out(task: Task, thor: Ai2ThorBackend, memory: Any) -> bool:
    room = json.loads(task.trial.read_text())["scene"]
    thor.reset(task.floor_plan)
    thor.arrange(room)
    robot, truth = HouseholdRobot(Body(thor)), Truth(thor)
    robot.watch = truth.note
    planner = Planner(
        robot,
        HouseholdMemory(memory, scene=task.name, now=lambda: robot.clock),
        Hearing(household()),
        household(),
        Budget(skills=STEPS),
        now=lambda: robot.clock,
        memories=(),
    )
    planner.run(Instruction(task.instruction), Unobserved(), str(uuid.uuid4()))
    return judge(truth, task.goal).success


def test_tasks_succeed_through_the_client_as_in_the_household() -> None:
    tasks = [task for split in load(DATA).values() for task in split[:OF_EACH_SPLIT]]
    at_home = lived(tasks, ABLATIONS["none"], Hearing(household()), household(), "lexical")
    expected = [result.first.verdict.success for result in at_home]
    thor = Ai2ThorBackend(tasks[0].floor_plan, Launch(executable=str(EXECUTABLE), pictures=False, start_timeout=60.0))
    try:
        with opened(embedder="lexical") as memory:
            done = [carried_out(task, thor, memory) for task in tasks]
    finally:
        thor.close()
    print(f"of {len(tasks)} tasks {sum(expected)} succeed in the household, {sum(done)} through AI2-THOR's client")
    assert sum(expected) >= len(tasks) // 3
    assert sum(done) >= sum(expected) - 1
