# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from scripted_robot import TABLE, ScriptedRobot, shows, thing

from karma_language.vocabulary import household
from planner_node.act.gate import Gate
from planner_node.act.loop import Actor, Budget
from planner_node.check.safety import Guard, Safety
from planner_node.plan.steps import GoalFailed, Step, Steps, Stopped
from planner_node.skills import Code, Outcome, SkillCall, Target
from planner_node.world import World


def test_the_same_failure_again_and_again_is_noticed() -> None:
    def stubborn() -> Steps[None]:
        while True:
            yield Step(SkillCall("OpenObject", Target("Fridge1")), "open the fridge")

    robot = ScriptedRobot({"OpenObject": [(Code.PRECONDITION_FAILURE, "it is locked")]})
    world = World(household())
    actor = Actor(
        robot,
        TABLE,
        world,
        budget=Budget(repeats=4),
        on_step=lambda step, done: None,
        on_outcome=lambda outcome: None,
        cancelled=lambda: False,
        guard=Guard(Safety(), household(), world, ()),
    )
    with pytest.raises(GoalFailed, match=r"round in circles.* failed 4 times: it is locked"):
        actor.perform(stubborn())
    assert len(robot.calls) == 4


def going(skills: list[tuple[str, str]], robot: ScriptedRobot, **more: Any) -> Actor:
    world = more.pop("world", World(household()))
    actor = Actor(
        robot,
        TABLE,
        world,
        budget=more.pop("budget", Budget(repeats=3)),
        on_step=lambda step, done: None,
        on_outcome=lambda outcome: None,
        cancelled=more.pop("cancelled", lambda: False),
        guard=Guard(Safety(), household(), world, ()),
        **more,
    )

    def plan() -> Steps[None]:
        for skill, target in skills:
            yield Step(SkillCall(skill, Target(target)), f"{skill} {target}")

    actor.pursue(plan)
    return actor


@pytest.mark.parametrize("length", [2, 3, 4])
def test_a_circle_of_different_skills_that_all_succeed_is_noticed(length: int) -> None:
    robot = ScriptedRobot()
    circle = [("GoToObject", f"Cabinet{i}") for i in range(length)]
    with pytest.raises(GoalFailed, match="round in circles"):
        going(circle * 10, robot)
    assert len(robot.calls) == 3 * length


def test_what_changes_something_is_no_circle() -> None:
    found = [shows(thing(f"Apple{i}")) for i in range(20)]
    going([("Explore", "Apple"), ("GoToObject", "Table1")] * 10, ScriptedRobot({"Explore": found}))
    going([("GoToObject", f"Cabinet{i}") for i in range(40)], ScriptedRobot())
    going([("GoToObject", "Cabinet1")] * 2 + [("OpenObject", "Cabinet1")] * 2, ScriptedRobot())


def test_a_pause_comes_between_two_skills_and_takes_nothing_of_the_budget() -> None:
    gate, waited = Gate(), []
    knife = thing("Knife1")
    world = World(household())
    world.believe(knife, "long_term")

    class Pausing(ScriptedRobot):
        def execute(self, call: SkillCall, on_feedback: Any, cancelled: Callable[[], bool]) -> Outcome:
            if call.skill == "PickupObject":
                gate.pause()
                assert not cancelled()  # the arm is not stopped half-way
            return super().execute(call, on_feedback, cancelled)

    def on_wait(why: str, done: int) -> None:
        waited.append((why, done))
        gate.resume()

    robot = Pausing()
    skills = [("GoToObject", "Knife1"), ("PickupObject", "Knife1"), ("GoToObject", "Table1")]
    actor = going(skills, robot, world=world, gate=gate, on_wait=on_wait)
    assert [call.skill for call in robot.calls] == [skill for skill, _ in skills]
    assert waited == [("Paused before I GoToObject Table1. Careful: I hold a knife, which is sharp.", 2)]
    assert actor.outcomes[-1].ok


def test_looking_and_driving_are_stopped_for_a_pause_and_begun_again() -> None:
    gate = Gate()

    class Long(ScriptedRobot):
        def execute(self, call: SkillCall, on_feedback: Any, cancelled: Callable[[], bool]) -> Outcome:
            if not self.calls:
                gate.pause()
            outcome = super().execute(call, on_feedback, cancelled)
            return Outcome(call, Code.CANCELED, "stopped") if cancelled() else outcome

    robot = Long()
    actor = going([("Explore", "Apple")], robot, gate=gate, on_wait=lambda why, done: gate.resume())
    assert [outcome.code for outcome in actor.outcomes] == [Code.CANCELED, Code.SUCCESS]


def test_a_robot_that_others_stopped_is_not_sent_on() -> None:
    class Taken(ScriptedRobot):
        def execute(self, call: SkillCall, on_feedback: Any, cancelled: Callable[[], bool]) -> Outcome:
            super().execute(call, on_feedback, cancelled)
            return Outcome(call, Code.CANCELED, "stopped", stopped_by_others=True)

    robot = Taken()
    with pytest.raises(Stopped, match="Stopped as asked while I was about to GoToObject Table1") as stop:
        going([("GoToObject", "Table1"), ("GoToObject", "Apple1")], robot)
    assert stop.value.code is Code.CANCELED
    assert [call.target.id for call in robot.calls] == ["Table1"]


def test_a_paused_instruction_can_be_canceled() -> None:
    gate, stop = Gate(), threading.Event()
    gate.pause()
    with pytest.raises(Stopped, match="Stopped as asked"):
        going(
            [("Explore", "Apple")],
            ScriptedRobot(),
            gate=gate,
            on_wait=lambda why, done: stop.set(),
            cancelled=stop.is_set,
        )


def test_after_something_urgent_the_plan_is_made_anew_from_where_things_stand() -> None:
    gate, world = Gate(), World(household())
    world.believe(thing("Apple1"), "long_term")
    moved = Outcome(SkillCall("PutObject"), Code.SUCCESS, seen=(thing("Apple1", (5.0, 5.0, 1.0)),))

    class Interrupted(ScriptedRobot):
        def execute(self, call: SkillCall, on_feedback: Any, cancelled: Callable[[], bool]) -> Outcome:
            if not self.calls:
                gate.interrupt()
            return super().execute(call, on_feedback, lambda: False)

    def give_way() -> list[Outcome]:
        gate.hand_back([])
        return [moved]

    robot = Interrupted()
    going([("GoToObject", "Apple1"), ("PickupObject", "Apple1")], robot, world=world, gate=gate, give_way=give_way)
    assert robot.log == ["GoToObject(Apple1)", "GoToObject(Apple1)", "PickupObject(Apple1)"]
    apple = world.get("Apple1")
    assert apple is not None
    assert apple.node.position == (5.0, 5.0, 1.0)


def test_a_refused_skill_ends_the_goal_and_is_not_run() -> None:
    world = World(household())
    world.believe(thing("Knife1"), "long_term")
    world.believe(thing("Person1", (1.2, 1.0, 1.0)), "long_term")
    world.held = "Knife1"
    robot = ScriptedRobot()
    with pytest.raises(GoalFailed, match="up to people") as failed:
        going([("GoToObject", "Person1")], robot, world=world)
    assert failed.value.code is Code.REFUSED
    assert robot.calls == []


def test_leaving_things_safe_may_go_beyond_the_budget() -> None:
    robot = ScriptedRobot()
    actor = going([("GoToObject", "Stove1")], robot, budget=Budget(skills=1))

    def off() -> Steps[None]:
        yield Step(SkillCall("ToggleOff", Target("Stove1")), "switch it off")

    with pytest.raises(Stopped):
        actor.perform(off())
    actor.put_right(off())
    assert robot.log == ["GoToObject(Stove1)", "ToggleOff(Stove1)"]
