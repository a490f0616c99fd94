# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The planner with the real memory: what was learned of places and of words is used."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from karma_eval.household.memory import HouseholdMemory, opened
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import survey
from karma_language.vocabulary import household
from karma_memory import Memory
from planner_node.memory import Event, EventKind
from planner_node.planner import Instruction, Planner, Report
from planner_node.skills import Code, Outcome, SkillCall, Target
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend

KITCHEN = "FloorPlan1"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with opened(embedder="lexical") as memory:
        yield memory


def planner(memory: Memory, robot: HouseholdRobot) -> Planner:
    client = HouseholdMemory(memory, scene=KITCHEN, now=lambda: robot.clock)
    return Planner(robot, client, Hearing(household()), household(), now=lambda: robot.clock)


def opened_by(report: Report) -> list[str]:
    return [outcome.call.target.id for outcome in report.outcomes if outcome.call.skill == "OpenObject"]


def test_a_thing_is_looked_for_where_it_was_put_back_before(memory: Memory) -> None:
    backend = HouseholdBackend(KITCHEN)
    robot = HouseholdRobot(backend, began=1000.0)
    survey(robot).tell(memory)
    (spatula,) = backend.world.of_category("Spatula")
    drawer = sorted(backend.world.of_category("Cabinet"))[-1]
    opened = []
    for day in range(3):
        robot.began = 1000.0 + day * 86_400.0
        backend.move_object(spatula, drawer)
        report = planner(memory, robot).run(Instruction("Put the spatula on the counter."))
        assert report.code is Code.SUCCESS, report.message
        opened.append(opened_by(report))
    assert opened[0][-1] == drawer
    assert opened[2] == [drawer]
    assert len(opened[0]) > 1


def test_words_that_the_rules_do_not_know_mean_what_they_meant_before(memory: Memory) -> None:
    robot = HouseholdRobot(HouseholdBackend(KITCHEN), began=2_000_000_000.0 - 1e8)
    client = HouseholdMemory(memory, scene=KITCHEN, now=lambda: robot.clock)
    episode = str(uuid.uuid4())

    def happened(kind: EventKind, **fields: object) -> None:
        client.remember(
            [Event(str(uuid.uuid4()), kind, robot.clock, "", KITCHEN, episode, **fields)]  # type: ignore[arg-type]
        )

    outcome = Outcome(SkillCall("PutObject", receptacle=Target("Sink|1", "Sink")), Code.SUCCESS, stamp=robot.clock)
    happened(
        EventKind.EPISODE_START, text="yeet the mug into the sink", goals=("place(mug=Mug, sink=Sink|SinkBasin, in)",)
    )
    happened(EventKind.SKILL_OUTCOME, outcome=outcome)
    happened(EventKind.EPISODE_END, code=Code.SUCCESS)
    report = planner(memory, robot).run(Instruction("yeet the tomato into the sink"))
    assert report.code is Code.SUCCESS, report.message
    assert "when you asked: “yeet the mug into the sink”" in report.message
    assert f"trajectory:{episode}" in [found.id for found in report.recalled]
    happened(EventKind.FEEDBACK, text="no", code=Code.EXECUTION_FAILURE)  # it was wrong after all
    again = planner(memory, robot).run(Instruction("yeet the egg into the sink"))
    assert again.code is not Code.SUCCESS or "yeet the mug" not in again.message
