# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is saved of the simulated time."""

from __future__ import annotations

import pytest

from karma_eval.karma.literals import Literal, Relation
from karma_eval.karma.measure import metrics
from karma_eval.karma.saving import saving, saving_lines
from karma_eval.karma.sequence import Outcome, Step
from karma_eval.karma.tasks import Task, read_tasks
from planner_node.planner import Report
from planner_node.skills import Code, SkillCall
from planner_node.skills import Outcome as SkillOutcome

MISSED = Literal(Relation.HELD, "apple")


def sequence(scene: str, ablation: str, *skills: SkillOutcome, solved: bool = True, number: int = 1) -> Outcome:
    entry = {"FloorPlan": scene, "ID": number, "Instruction": "Wash it.", "Goal Condition": "HOLDON(robot, apple): 1"}
    (task,) = read_tasks({"ComplexTasks": [entry]})
    report = Report(
        Code.SUCCESS, "", "", (), tuple(skills), sum(s.explore_steps for s in skills), sum(s.duration for s in skills)
    )
    return Outcome(task, ablation, (Step("Wash it.", report),), () if solved else (MISSED,))


def skill(name: str, seconds: float) -> SkillOutcome:
    return SkillOutcome(SkillCall(name), Code.SUCCESS, duration=seconds)


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
    of = metrics(with_, without, 0, seed=0)
    assert of.rt is not None
    assert of.rt.value == pytest.approx(1 - 110 / 300)
    (row,) = [line for line in saving_lines({"complex": with_}, without) if line.startswith("| complex")]
    assert row == "| complex | 2 | 0.40 | 0.75 | 0.40 |"


def test_of_nothing_nothing_is_saved() -> None:
    found = saving([], {})
    assert (found["n"], found["rt_both"], found["rt_homes"]) == (0, None, None)


def test_every_home_has_a_sequence_of_every_kind() -> None:
    from karma_eval.karma.tasks import KINDS, own_tasks
    from sim_bridge.household.homes import home_names

    def homes(kind: str, tasks: list[Task]) -> set[str]:
        return {task.floor_plan for task in tasks if task.kind == kind and task.floor_plan.startswith("home")}

    tasks = own_tasks()
    assert all(homes(kind, tasks) == set(home_names()) for kind in KINDS)
