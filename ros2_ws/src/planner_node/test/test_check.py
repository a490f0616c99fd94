# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from scripted_robot import TABLE

from karma_language.vocabulary import household
from planner_node.check.calls import problem
from planner_node.skills import Code, SkillCall, SkillParameter, SkillSpec, SkillTable, Target
from planner_node.understand.goals import Goal, ObjectRef, Predicate
from planner_node.understand.possible_goals import complaint
from planner_node.world import World


def ref(category: str, entity: int = 1, **fields: object) -> ObjectRef:
    return ObjectRef((category,), household().kind(category).noun, entity=entity, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Goal(Predicate.HOLD, ref("DiningTable")), "can't be picked up"),
        (Goal(Predicate.SLICE, ref("Mug")), "can't be sliced"),
        (Goal(Predicate.OPEN, ref("Apple")), "can't be opened"),
        (Goal(Predicate.SWITCH_ON, ref("Apple")), "can't be switched on"),
        (Goal(Predicate.PLACE, ref("Apple")), "not said where"),
        (Goal(Predicate.PLACE, ref("Apple"), ref("Pen", 2), "on"), "nothing can be put"),
        (Goal(Predicate.PLACE, ref("Bowl"), ref("Bowl"), "in"), "on itself"),
        (Goal(Predicate.PLACE, ref("Mug", states=frozenset({"sliced"})), ref("Sofa", 2)), "can't be sliced"),
        (Goal(Predicate.EXAMINE, ref("Sofa"), ref("DeskLamp", 2)), "can't be carried"),
        (Goal(Predicate.HOLD), "needs an object"),
        (Goal(Predicate.HEAT, ref("Egg"), ref("StoveBurner", 2)), "microwave or a toaster"),
    ],
)
def test_goals_that_make_no_sense_are_refused(goal: Goal, words: str) -> None:
    assert words in complaint(goal, household())


@pytest.mark.parametrize(
    "goal",
    [
        Goal(Predicate.PLACE, ref("Apple"), ref("Pen", 2), "near"),
        Goal(Predicate.SWITCH_ON, ref("StoveBurner")),
        Goal(Predicate.EXPLORE),
        Goal(Predicate.HEAT, ref("Bread"), ref("Toaster", 2)),
        Goal(Predicate.GO_TO, ObjectRef((), "kitchen", room="Kitchen")),
    ],
)
def test_goals_that_may_make_sense_pass(goal: Goal) -> None:
    assert complaint(goal, household()) == ""


def holding(name: str) -> World:
    world = World(household())
    world.held = name
    return world


@pytest.mark.parametrize(
    ("call", "held", "code"),
    [
        (SkillCall("FlyAway"), "", Code.PLANNING_FAILURE),
        (SkillCall("GoToObject"), "", Code.INVALID_ARGUMENT),
        (SkillCall("GoToObject", Target("Apple1", position=(math.nan, 0, 0))), "", Code.INVALID_ARGUMENT),
        (SkillCall("Explore", positions=((0, 0, math.inf),)), "", Code.INVALID_ARGUMENT),
        (SkillCall("Explore", duration=-1.0), "", Code.INVALID_ARGUMENT),
        (SkillCall("PickupObject", Target("Apple1")), "Mug1", Code.PRECONDITION_FAILURE),
        (SkillCall("PutObject", receptacle=Target("Table1")), "", Code.PRECONDITION_FAILURE),
        (SkillCall("PutObject", receptacle=Target("Bowl1")), "Bowl1", Code.PRECONDITION_FAILURE),
    ],
)
def test_calls_that_cannot_succeed_are_not_sent(call: SkillCall, held: str, code: Code) -> None:
    found = problem(call, TABLE, holding(held))
    assert found is not None
    assert found[0] is code


def test_a_call_that_may_succeed_has_no_problem() -> None:
    assert problem(SkillCall("PutObject", receptacle=Target("Bowl1")), TABLE, holding("Apple1")) is None


def test_arguments_outside_the_choices_are_named() -> None:
    table = SkillTable([SkillSpec("Place", parameters=(SkillParameter("relation", choices=("on", "in")),))])
    assert "'over' is none of on, in" in table.problems(SkillCall("Place", relation="over"))[0]
