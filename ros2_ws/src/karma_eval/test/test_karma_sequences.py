# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Sequences carried out with and without memory, and what is reported of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from karma_eval.karma.command import command
from karma_eval.karma.errors import failure
from karma_eval.karma.measure import metrics, wilson
from karma_eval.karma.sequence import ABLATIONS, Outcome, carry_out
from karma_eval.karma.tasks import Task, own_tasks, read_tasks
from karma_language.vocabulary import household
from planner_node.understand.hearing import Hearing

LEANING = {
    "FloorPlan": "FloorPlan1",
    "ID": 7,
    "Instruction": "Wash a tomato. Slice the bread. Put the bread in the fridge. Put the clean red food in the bowl.",
    "Goal Condition": "STATE(tomato, clean): 1, STATE(bread, sliced): 1, INSIDE(bread, fridge): 1, "
    "INSIDE(tomato, bowl): 1",
}


def run(task: Task, ablation: str) -> Outcome:
    return carry_out(task, ablation, lambda: Hearing(household()), seed=0, embedder="lexical")


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    (task,) = read_tasks({"ComplexTasks": [LEANING]})
    return {ablation: run(task, ablation) for ablation in ABLATIONS}


def test_memory_saves_looking_around(outcomes: dict[str, Outcome]) -> None:
    assert outcomes["both"].solved
    assert outcomes["both"].explore_steps < outcomes["short_term"].explore_steps <= outcomes["none"].explore_steps
    assert outcomes["both"].duration < outcomes["none"].duration


def test_a_need_is_what_an_earlier_instruction_handled(outcomes: dict[str, Outcome]) -> None:
    assert outcomes["none"].needs == outcomes["long_term"].needs == ()
    for ablation in ("short_term", "both"):
        needs = [(need.step, need.thing, need.handled, need.kept) for need in outcomes[ablation].needs]
        assert needs == [
            (0, "tomato", False, False),
            (1, "bread", False, False),
            (2, "bread", True, True),
            (3, "tomato", True, True),
        ]
        assert all(need.rank >= 1 for need in outcomes[ablation].needs[2:])


def test_the_metrics_are_those_of_the_paper(outcomes: dict[str, Outcome]) -> None:
    both, none = outcomes["both"], outcomes["none"]
    of = metrics([both], {both.task.name: none}, 2, seed=0)
    assert (of.n, of.unjudgeable) == (3, 2)
    assert of.sr is not None
    assert of.re is not None
    assert of.mhr is not None
    assert of.sr.value == 1.0
    assert of.re.value == 1.0 - both.explore_steps / none.explore_steps
    assert of.mhr.value == pytest.approx(2 / 4)
    nothing = metrics([none], {none.task.name: none}, 0, seed=0)
    assert nothing.mra is None
    assert nothing.mhr is None


def test_wilsons_interval() -> None:
    # 81 of 263, Newcombe (1998), table I, method 3.
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    assert [f"{end:.2f}" for end in wilson(0, 5)] == ["0.00", "0.43"]  # 1.96² / (5 + 1.96²)


def test_the_same_seed_gives_the_same(outcomes: dict[str, Outcome]) -> None:
    again = run(outcomes["both"].task, "both")
    assert again.duration == outcomes["both"].duration
    assert again.needs == outcomes["both"].needs
    assert [s.report.message for s in again.steps] == [s.report.message for s in outcomes["both"].steps]


def test_a_failure_is_named_after_the_first_instruction_that_went_wrong() -> None:
    tasks = read_tasks(
        [
            {**LEANING, "Instruction": "Frobnicate the tomato. Put the tomato in the bowl."},
            {**LEANING, "ID": 8, "Instruction": "Bring me the pillow. Wash the tomato."},
        ]
    )
    failures = [failure(run(task, "both")) for task in tasks]
    assert [f.sort for f in failures] == ["reasoning", "perception"]
    assert "Frobnicate" in failures[0].why
    assert failures[1].trace()[-1].startswith("not reached: ")


@pytest.mark.parametrize("number", ["1", "8", "20", "29", "34", "42", "60"])
def test_a_sample_of_the_own_list_can_be_solved(number: str) -> None:
    (task,) = [task for task in own_tasks() if task.id == number]
    outcome = run(task, "both")
    assert outcome.solved, failure(outcome).trace()


def test_the_command_reports_every_task(tmp_path: Path) -> None:
    file, figures = tmp_path / "tasks.json", tmp_path / "figures.json"
    lacking = {
        "FloorPlan": "FloorPlan1",
        "ID": "p|q",
        "Instruction": "smile",
        "Goal Condition": "STATE(robot, happy): 1",
    }
    file.write_text(json.dumps({"ComplexTasks": [LEANING, lacking]}), encoding="utf-8")
    arguments = ["--tasks", str(file), "--out", str(tmp_path), "--json", str(figures), "--embedding", "lexical"]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    report = json.loads(figures.read_text(encoding="utf-8"))
    assert set(report["ablations"]) == {"none", "long_term", "short_term", "both"}
    assert set(report["ablations"]["both"]["complex"]) == {"n", "unjudgeable", "sr", "mra", "re", "rt", "mhr"}
    of = report["ablations"]["both"]
    assert (of["complex"]["n"], of["complex"]["unjudgeable"], of["complex"]["sr"]) == (2, 1, 1.0)
    assert (of["simple"]["n"], of["simple"]["sr"]) == (0, None)
    assert [row["result"] for row in report["tasks"]] == ["solved", "unjudgeable"]
    written = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "complex p\\|q" in written
    for said in (written, result.output):
        assert re.search(r"not measured:? +SR simple ≥ 0\.95", said), "there were no simple ones"
        assert re.search(r"yes:? +SR complex 1\.00 ≥ 0\.80", said)


def test_a_list_without_tasks_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_text("{}", encoding="utf-8")
    result = CliRunner().invoke(command, ["--tasks", str(file), "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert "there are no tasks in it" in result.output
