# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Lists of tasks: whatever is in them is read, or named as a problem."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from karma_eval.karma.command import judged
from karma_eval.karma.literals import Literal, Relation, read_literals
from karma_eval.karma.tasks import KINDS, Task, TaskFileError, load_tasks, own_tasks, read_tasks, split_instruction

ODD = {
    "SimpleTasks": [
        {"FloorPlan": 3, "ID": 1, "Instruction": "wash it", "Goal Condition": "STATE ( apple ,Clean) :1;ON(apple"},
        {"floor_plan": "floorplan 4", "Instruction": ["wash a cup"], "goal condition": {"STATE(cup, clean)": 1}},
        {"FloorPlan": "FloorPlan999", "ID": 1, "Instruction": "open the fridge", "Goal Condition": "OPEN(fridge): 1"},
        None,
    ],
    "Complex Tasks": [{"a": 1}],
}  # fmt: skip


def test_what_the_paper_shows_is_read() -> None:
    literals, problems = read_literals(
        "STATE(tomato, sliced): 1, INSIDE(knife, garbageCan): 1, TOGGLEON(Faucet): 1, HOLDON(robot, frying pan): 1,"
    )
    assert not problems
    assert literals == (
        Literal(Relation.STATE, "tomato", state="sliced"),
        Literal(Relation.INSIDE, "knife", "garbageCan"),
        Literal(Relation.SWITCHED_ON, "Faucet"),
        Literal(Relation.HELD, "frying pan"),
    )


def test_a_goal_on_a_place_alone_is_about_what_was_put_there() -> None:
    assert read_literals("INSIDE(Fridge): 1")[0] == (Literal(Relation.INSIDE, "", "Fridge"),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("SMELLS(apple): 1", "there is no goal 'SMELLS'"),
        ("STATE(apple, purple): 1", "no state 'purple'"),
        ("ON(apple): x", "'x' is no number"),
        ("ON(apple, plate, table): 1", "should name 2 things"),
        ("TOGGLEON(): 1", "says of nothing"),
        ("and the apple is clean", "can't be read"),
    ],
)
def test_what_can_not_be_read_is_a_problem(text: str, problem: str) -> None:
    literals, problems = read_literals(text)
    assert not literals
    assert problem in problems[0]


def test_odd_lists_are_read_task_by_task() -> None:
    tasks = read_tasks(ODD)
    assert [task.kind for task in tasks] == ["simple", "simple", "simple", "simple", "complex"]
    assert [task.floor_plan for task in tasks[:3]] == ["FloorPlan3", "FloorPlan4", "FloorPlan999"]
    assert tasks[0].goals == (Literal(Relation.STATE, "apple", state="clean"),)
    assert "'ON(apple' can't be read" in tasks[0].problems[0]
    assert len({task.name for task in tasks}) == 5
    assert not tasks[1].problems
    unjudgeable = judged(tasks)
    assert set(unjudgeable) == {task.name for task in tasks} - {tasks[1].name}
    assert "there is no scene 'FloorPlan999'" in unjudgeable[tasks[2].name]


@pytest.mark.parametrize(
    ("text", "instructions"),
    [
        ("wash a cup → open the fridge -> get a pan.", ["wash a cup", "open the fridge", "get a pan"]),
        ("1. Wash a cup.\n2) Open the fridge", ["Wash a cup", "Open the fridge"]),
        ("Wash the cup and put it on the table.", ["Wash the cup and put it on the table"]),
        ("Wash a cup, then open the fridge and bring me a pan", ["Wash a cup", "open the fridge", "bring me a pan"]),
        ("Put salt, pepper and an egg on the table", ["Put salt, pepper and an egg on the table"]),
        ("Wash a cup. Also, open it; ", ["Wash a cup", "Also, open it"]),
        ("On second thought, open it", ["On second thought, open it"]),
    ],
)
def test_a_text_is_split_where_a_new_request_begins(text: str, instructions: list[str]) -> None:
    assert list(split_instruction(text)) == instructions


GARBAGE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["SimpleTasks", "ComplexTasks", "FloorPlan", "ID", "Instruction", "Goal Condition", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=60, deadline=None)
@given(GARBAGE)
def test_any_list_is_read_or_refused(data: Any) -> None:
    try:
        tasks = read_tasks(data)
    except TaskFileError:
        return
    assert tasks
    assert all(task.kind in KINDS for task in tasks)
    assert len({task.name for task in tasks}) == len(tasks)


@settings(max_examples=150, deadline=None)
@example("AND")
@given(st.text(alphabet="ONINSIDESTATEapple plate,():1 ;\n=→", max_size=120) | st.text(max_size=80))
def test_any_goal_condition_is_read_or_named_as_a_problem(text: str) -> None:
    literals, problems = read_literals(text)
    assert literals or problems or not any(map(str.isalnum, text))
    for literal in literals:
        assert read_literals(str(literal))[0] == (literal,)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["FloorPlan1", "FloorPlan301", "", "kitchen"]),
    st.text(max_size=60),
    st.text(alphabet="ONSTATE(),:1 applbedcn", max_size=60),
)
def test_any_task_can_be_asked_whether_it_can_be_judged(scene: str, instruction: str, goal: str) -> None:
    (task,) = read_tasks([{"FloorPlan": scene, "Instruction": instruction, "Goal Condition": goal}])
    unjudgeable = judged([task])
    assert unjudgeable or (scene.startswith("FloorPlan") and task.goals)


def test_a_file_that_is_no_json_says_so(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_bytes(b"\xff{")
    with pytest.raises(TaskFileError, match="can't be read as JSON"):
        load_tasks(file)


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps(ODD), encoding="utf-8")
    assert load_tasks(file) == read_tasks(ODD)


def test_the_own_list_is_what_it_should_be() -> None:
    tasks = own_tasks()
    assert len(tasks) >= 48
    assert {kind: sum(task.kind == kind for task in tasks) >= 16 for kind in KINDS} == dict.fromkeys(KINDS, True)
    scenes = {task.floor_plan for task in tasks if task.floor_plan.startswith("FloorPlan")}
    assert len(scenes) >= 20
    assert {(int(scene.removeprefix("FloorPlan")) // 100) for scene in scenes} == {0, 2, 3, 4}
    assert not any(task.problems for task in tasks)
    assert judged(tasks) == {}


def test_the_own_list_has_nothing_that_is_so_from_the_start() -> None:
    from karma_eval.karma.judge import Judge
    from sim_bridge.household.backend import HouseholdBackend

    def missing(task: Task) -> int:
        return len(Judge(task.goals, HouseholdBackend(task.floor_plan).world).missing())

    assert [task.name for task in own_tasks() if not missing(task)] == []
