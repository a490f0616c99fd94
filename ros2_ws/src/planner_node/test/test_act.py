# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from scripted_robot import TABLE, ScriptedRobot

from planner_node.act import Actor, Budget
from planner_node.skills import Code, SkillCall, Target
from planner_node.steps import GoalFailed, Step, Steps
from planner_node.vocabulary import household
from planner_node.world import World


def test_the_same_failure_again_and_again_is_noticed() -> None:
    def stubborn() -> Steps[None]:
        while True:
            yield Step(SkillCall("OpenObject", Target("Fridge1")), "open the fridge")

    robot = ScriptedRobot({"OpenObject": [(Code.PRECONDITION_FAILURE, "it is locked")]})
    actor = Actor(
        robot,
        TABLE,
        World(household()),
        budget=Budget(repeats=4),
        on_step=lambda step, done: None,
        on_outcome=lambda outcome: None,
        cancelled=lambda: False,
    )
    with pytest.raises(GoalFailed, match=r"round in circles.* failed 4 times: it is locked"):
        actor.perform(stubborn())
    assert len(robot.calls) == 4
