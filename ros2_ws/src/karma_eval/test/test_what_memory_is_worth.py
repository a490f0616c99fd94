# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The planner with the real memory: what was learned of places and of words is used."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from simulated_home import SimulatedHome

from karma_eval.household.memory import HouseholdMemory, opened
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import survey
from karma_language.vocabulary import household
from karma_memory import Memory
from karma_memory.working.memory import FADES
from planner_node.planner import Instruction, Planner, Report
from planner_node.skills import Code
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend

KITCHEN, BEDROOM = "FloorPlan1", "FloorPlan301"


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


def test_what_was_asked_for_is_its_users_own_and_out_of_mind_in_another_scene_and_after_a_while(memory: Memory) -> None:
    home = SimulatedHome(BEDROOM, memory)
    assert home.say("Pick up the alarm clock.", "ann").code is Code.SUCCESS
    for user in ("bob", ""):
        assert home.say("Put it on the bed.", user).code is Code.NOT_UNDERSTOOD
    home.robot.began += FADES + 1.0
    assert home.say("Put it on the bed.", "ann").code is Code.NOT_UNDERSTOOD
    assert home.say("Put the alarm clock on the bed.", "ann").code is Code.SUCCESS  # it still holds it
    elsewhere = SimulatedHome("FloorPlan302", memory)
    elsewhere.robot.began = home.robot.clock
    assert elsewhere.say("Put it back.", "ann").code is Code.NOT_UNDERSTOOD


def test_after_a_restart_the_robot_knows_what_it_holds(memory: Memory) -> None:
    """By working memory alone; what is picked up then needs an empty hand."""
    home = SimulatedHome(BEDROOM, memory, ("short_term",))
    home.say("Pick up the alarm clock.")
    home.start()
    report = home.say("Pick up the book.")
    assert report.code is Code.SUCCESS
    assert all(outcome.ok for outcome in report.outcomes)
    assert report.outcomes[0].call.skill == "DescribeObject"
