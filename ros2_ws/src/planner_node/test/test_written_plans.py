# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans written as skill calls: checked against the scene graph before anything moves, then followed."""

from __future__ import annotations

import pytest
from household_robot import DictMemory, HouseholdRobot
from scripted_robot import thing

from karma_language.vocabulary import household
from planner_node.plan.written import check, goals_of
from planner_node.planner import Instruction, Planner
from planner_node.skill_forms import FormError
from planner_node.skills import Code, SkillTable
from planner_node.understand.hearing import Hearing
from planner_node.world import World
from sim_bridge.household.backend import HouseholdBackend

TABLE: SkillTable = HouseholdRobot(HouseholdBackend("FloorPlan1")).skills()


def world_of(*names: str) -> World:
    world = World(household())
    for place, name in enumerate(names):
        world.believe(thing(name, (float(place), 0.0, 1.0)), "long_term")
    return world


def checked(text: str, *names: str) -> tuple[list[str], tuple[str, ...]]:
    """Return what is wrong with a plan, and what it leaves to the robot."""
    try:
        goals = goals_of(text, TABLE, household())
    except FormError as error:
        return [str(trouble) for trouble in error.troubles], ()
    troubles, notes = check(goals, TABLE, world_of(*names), household())
    return [str(trouble) for trouble in troubles], notes


def planner(robot: HouseholdRobot, memory: DictMemory | None = None) -> Planner:
    return Planner(robot, memory or DictMemory(), Hearing(household()), household())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("PickupObject(robot, 'Mug')", "line 1: I know of no Mug yet: have me Explore for it first"),
        ("PickupObject(robot, 'Apple_1')", "line 1: I know of no 'Apple_1'; did you mean Apple1 or Apple2?"),
        ("PickupObject(robot, 'zorblax')", "line 1: I know of no kind of thing called 'zorblax'"),
        ("OpenObject(robot, 'frudge')", "line 1: I know of no kind of thing called 'frudge'; did you mean fridge?"),
        ("PickupObject(robot, 'Fridge1')", "line 1: a fridge can't be picked up"),
        ("OpenObject(robot, 'Apple')", "line 1: an apple can't be opened"),
        ("PickupObject(robot, 'Apple')\nPickupObject(robot, 'Bowl')", "line 2: PickupObject needs an empty gripper"),
        ("PutObject(robot, 'Bowl')", "line 1: PutObject needs something in the gripper"),
        ("PickupObject(robot, 'Bowl')\nPutObject(robot, 'Apple')", "line 2: an apple can't hold anything"),
        ("Grab(robot, 'Apple')", "line 1: there is no skill 'Grab'"),
        ("I would pick up the apple.", "no call of a skill"),
    ],
)
def test_what_is_wrong_with_a_plan_is_said_line_by_line(text, complaint):
    troubles, _ = checked(text, "Apple1", "Apple2", "Bowl1", "Fridge1")
    assert any(complaint in said for said in troubles)


def test_what_is_explored_for_may_be_unknown():
    assert not checked("Explore(robot, 'Mug')\nGoToObject(robot, 'Mug')\nPickupObject(robot, 'Mug')")[0]


def test_of_several_that_may_be_meant_it_says_which():
    troubles, notes = checked("PickupObject(robot, 'Apple')", "Apple1", "Apple2")
    assert not troubles
    assert notes == ("There are 2 that 'Apple' may mean (Apple1, Apple2): I take the nearest.",)


PLAN = """
def apple_into_the_bowl():
    # find both
    Explore(robot, 'Bowl')
    Explore(robot, 'Apple')
    GoToObject(robot, 'Apple')
    PickupObject(robot, 'Apple')
    GoToObject(robot, 'Bowl')
    PutObject(robot, 'Apple', 'Bowl')
"""


def test_a_written_plan_is_followed():
    backend = HouseholdBackend("FloorPlan1")
    robot = HouseholdRobot(backend)
    report = planner(robot).run(Instruction(PLAN))
    assert report.code is Code.SUCCESS, report.message
    (apple,) = backend.world.of_category("Apple")
    assert any(backend.world.category(name) == "Bowl" for name in backend.world.ancestors(apple))
    assert [call.skill for call in robot.calls] == [
        "Explore",
        "Explore",
        "GoToObject",
        "PickupObject",
        "GoToObject",
        "PutObject",
    ]


def test_what_is_held_at_the_end_of_a_plan_stays_held():
    robot = HouseholdRobot(HouseholdBackend("FloorPlan1"))
    report = planner(robot).run(Instruction("Explore[apple]\nPick[apple]"))
    assert report.code is Code.SUCCESS, report.message
    assert robot.calls[-1].skill == "Pick"


def test_a_plan_can_be_rehearsed():
    robot = HouseholdRobot(HouseholdBackend("FloorPlan1"))
    report = planner(robot).run(Instruction(PLAN, dry_run=True))
    assert report.code is Code.SUCCESS
    assert not robot.calls
    assert len(report.outcomes) == 6


def test_nothing_moves_where_a_plan_is_wrong():
    robot = HouseholdRobot(HouseholdBackend("FloorPlan1"))
    report = planner(robot).run(Instruction("Explore(robot, 'Apple')\nGrab(robot, 'Apple')"))
    assert report.code is Code.INVALID_ARGUMENT
    assert "line 2: there is no skill 'Grab'" in report.message
    report = planner(robot).run(Instruction("PutObject(robot, 'Fridge')"))
    assert report.code is Code.PRECONDITION_FAILURE
    assert not robot.calls


def test_a_plan_that_fails_says_where_and_what_was_done():
    memory = DictMemory()
    robot = HouseholdRobot(HouseholdBackend("FloorPlan1"))
    report = planner(robot, memory).run(Instruction("Explore(robot, 'Fridge')\nExplore(robot, 'Sofa')\nWait(robot, 1)"))
    assert report.code is Code.NOT_FOUND
    assert "Explore(Sofa) failed (line 2 of the plan)" in report.message
    assert "Done before: Explore(Fridge)" in report.message
    assert "not done: Explore(Sofa); Wait()" in memory.events[-1].text
