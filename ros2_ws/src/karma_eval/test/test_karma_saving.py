# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What simulated time is spent on, and what is saved of it."""

from __future__ import annotations

import math

import pytest

from karma_eval.karma.literals import Literal, Relation
from karma_eval.karma.measure import metrics
from karma_eval.karma.saving import saving, saving_lines
from karma_eval.karma.sequence import Outcome, Step
from karma_eval.karma.spending import spent
from karma_eval.karma.tasks import Task, read_tasks
from planner_node.planner import Report
from planner_node.skills import Code, SkillCall
from planner_node.skills import Outcome as SkillOutcome
from sim_bridge.simulation.motion import Motion

MOTION = Motion(speed=0.5, turn_rate=math.pi / 2, act_time=2.0)
MISSED = Literal(Relation.HELD, "apple")


def sequence(scene: str, ablation: str, *skills: SkillOutcome, solved: bool = True, number: int = 1) -> Outcome:
    entry = {"FloorPlan": scene, "ID": number, "Instruction": "Wash it.", "Goal Condition": "HOLDON(robot, apple): 1"}
    (task,) = read_tasks({"ComplexTasks": [entry]})
    report = Report(
        Code.SUCCESS, "", "", (), tuple(skills), sum(s.explore_steps for s in skills), sum(s.duration for s in skills)
    )
    return Outcome(task, ablation, (Step("Wash it.", report),), () if solved else (MISSED,))


def skill(name: str, seconds: float, metres: float = 0.0, code: Code = Code.SUCCESS) -> SkillOutcome:
    return SkillOutcome(SkillCall(name), code, duration=seconds, distance=metres)


def test_seconds_are_sorted_by_what_they_are_spent_on() -> None:
    found = spent(
        [
            sequence(
                "FloorPlan1",
                "none",
                skill("Explore", 10.0, 2.0),  # 4 s of way, 6 s of turning
                skill("GoToObject", 3.0, 1.0),  # 2 s of way, 1 s of turning
                skill("PickupObject", 2.5),  # 2 s of the arm, 0.5 s to face it
                skill("PickupObject", 0.0, code=Code.PRECONDITION_FAILURE),  # refused at once
                skill("Wait", 5.0),
            )
        ],
        MOTION,
    )
    assert (found.exploring, found.driving, found.turning, found.handling) == (10.0, 2.0, 1.5, 7.0)
    # 8 + 6 while exploring, 4 + 1 to the thing, 1/2 + 1 to take it.
    assert found.steps == pytest.approx(14 + 5 + 1.5)


def test_a_movement_of_the_arm_is_one_though_the_clock_rounds() -> None:
    began = next(t for t in (k / 7 for k in range(1, 1000)) if (t + MOTION.act_time) - t < MOTION.act_time)
    found = spent([sequence("FloorPlan1", "none", skill("SliceObject", (began + MOTION.act_time) - began))], MOTION)
    assert (found.handling, found.turning) == (MOTION.act_time, 0.0)


def test_nothing_of_the_time_is_left_out() -> None:
    outcome = sequence("FloorPlan1", "none", skill("Pick", 9.0, 2.5), skill("OpenObject", 2.2), skill("Explore", 4.0))
    of = spent([outcome], MOTION)
    assert of.exploring + of.driving + of.turning + of.handling == pytest.approx(outcome.duration)


def test_what_is_saved_is_told_for_rooms_and_homes_apart_and_where_both_solve() -> None:
    with_ = [
        sequence("FloorPlan1", "both", skill("GoToObject", 60.0), number=1),
        sequence("home1", "both", skill("GoToObject", 50.0), number=2),
        sequence("home2", "both", skill("GoToObject", 1.0), solved=False, number=3),
    ]
    none = [
        sequence("FloorPlan1", "none", skill("GoToObject", 100.0), number=1),
        sequence("home1", "none", skill("Explore", 200.0), solved=False, number=2),
        sequence("home2", "none", skill("Explore", 900.0), number=3),
    ]
    without = {outcome.task.name: outcome for outcome in none}
    found = saving(with_, without)
    assert found["n"] == 2  # who fails saves nothing
    assert (found["rt_rooms"], found["rt_homes"], found["rt_both"]) == (0.4, 0.75, 0.4)
    assert found["seconds"]["none"]["exploring"] == 200.0
    assert found["seconds"]["both"]["exploring"] == 0.0
    of = metrics(with_, without, 0, seed=0)
    assert of.rt is not None
    assert of.rt.value == pytest.approx(1 - 110 / 300)
    (row,) = [line for line in saving_lines({"complex": with_}, without) if line.startswith("| complex")]
    assert "| 200 → 0 |" in row


def test_of_nothing_nothing_is_saved() -> None:
    found = saving([], {})
    assert (found["n"], found["rt_steps"], found["rt_homes"]) == (0, None, None)


def test_every_home_has_a_sequence_of_every_kind() -> None:
    from karma_eval.karma.tasks import KINDS, own_tasks
    from sim_bridge.household.homes import home_names

    def homes(kind: str, tasks: list[Task]) -> set[str]:
        return {task.floor_plan for task in tasks if task.kind == kind and task.floor_plan.startswith("home")}

    tasks = own_tasks()
    assert all(homes(kind, tasks) == set(home_names()) for kind in KINDS)
