# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of task planning: real problems, the same for every engine, and figures that add up."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from karma_eval.planning.command import command, measure
from karma_eval.planning.engines import ENGINES, OWN, judge_missing, missing
from karma_eval.planning.measure import Measured, figures
from karma_eval.planning.problem import Problem
from karma_eval.planning.problems import KINDS, chosen, met
from karma_eval.planning.processes import Answer, EngineProcess, _cpu_here, _descendants
from karma_eval.planning.strips import StripsOperator, sas, strips
from karma_eval.planning.unified import Unified
from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.solving import Operator, solve

A, B = Literal("a"), Literal("b")
BOTH = Problem(
    "nowhere",
    "place",
    frozenset({A}),
    (Operator(frozenset({A}), frozenset({~A, B}), 1.5), Operator(frozenset({~A}), frozenset({A, ~A}), 2.0)),
    (A, B),
)
"""First b instead of a, then a again: the second operator both ends and begins it."""
NEVER = Problem(
    "nowhere",
    "place",
    frozenset(),
    tuple(
        Operator(
            frozenset({~Literal("on", (str(n),))}),
            frozenset({Literal("on", (str(n),)), *(~Literal("on", (str(m),)) for m in range(n))}),
            1.0,
        )
        for n in range(30)
    ),
    (*(Literal("on", (str(n),)) for n in range(30)), ~Literal("on", ("0",))),
)


def _reached(problem: Problem, plan: Sequence[int]) -> bool:
    state = problem.state
    for index in plan:
        assert problem.operators[index].possible_in(state)
        state = problem.operators[index].applied_to(state)
    return all(literal in state if literal.positive else ~literal not in state for literal in problem.goal)


def test_problems_are_those_that_a_robot_meets_the_same_for_the_same_seed_and_can_be_solved() -> None:
    problems = met(["FloorPlan301"], 1)
    assert met(["FloorPlan301"], 1) == problems
    assert {"place", "light"} <= {problem.kind for problem in problems} <= set(KINDS)
    assert any(len(problem.operators) > 20 for problem in problems)
    for problem in problems:
        assert _reached(problem, solve(problem.state, problem.operators, problem.goal))
    some = chosen(problems, 6, 1)
    assert len(some) == 6
    assert set(some) <= set(problems)
    assert {problem.kind for problem in some} == {problem.kind for problem in problems}


def test_a_negative_condition_becomes_a_fact_of_its_own() -> None:
    task = strips(BOTH)
    first, second = task.operators
    assert first == StripsOperator(frozenset({"a()"}), frozenset({"b()", "not a()"}), frozenset({"a()"}))
    assert second == StripsOperator(frozenset({"not a()"}), frozenset({"a()"}), frozenset({"not a()"}))
    assert (task.state, task.goal) == ({"a()"}, {"a()", "b()"})


def test_a_problem_is_written_as_fast_downward_reads_it() -> None:
    text = sas(BOTH)
    assert text.startswith("begin_version\n3\nend_version\nbegin_metric\n1\nend_metric\n2\n")
    assert "begin_state\n0\n1\nend_state" in text  # a holds, b does not
    assert "begin_goal\n2\n0 0\n1 0\nend_goal" in text
    assert "begin_operator\n1\n0\n1\n0 0 1 0\n200\nend_operator" in text  # a: from untrue to true, for 2 s


def test_an_engine_is_ended_at_its_limit_and_there_again_for_the_next_problem() -> None:
    with EngineProcess(OWN, 1.0) as engine:
        late = engine.solve(NEVER)
        assert (late.plan, late.error) == (None, "time limit")
        assert not multiprocessing.active_children()
        engine._limit = 60.0
        answer = engine.solve(BOTH)
    assert (answer.plan, answer.error) == ((0, 1), "")
    assert answer.cpu > 0.0
    assert 0.0 < answer.wall < 60.0
    assert not multiprocessing.active_children()


def test_the_time_of_what_an_engine_starts_is_its_own() -> None:
    before = _cpu_here()
    work = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
    with subprocess.Popen([sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert child.pid in _descendants(multiprocessing.current_process().pid or 0)
        assert _cpu_here() - before > 0.25
        child.kill()
    assert _cpu_here() - before > 0.25


def test_costs_are_those_beside_ours_and_times_those_of_what_was_solved() -> None:
    ours = Measured(OWN, (Answer((0, 1), 0.002, 0.001), Answer((0,), 0.004, 0.003)))
    theirs = Measured("theirs", (Answer((0, 1, 0), 0.1, 0.2), Answer(None, 10.0, 9.0, "time limit")))
    report = figures(theirs, ours, [BOTH, BOTH], [0])
    assert (report["solved"], report["invalid"], report["unsolved"]) == (1, 1, {"time limit": 1})
    assert report["wall_ms"] == {"median": 100.0, "p95": 100.0, "max": 100.0}
    assert report["cost"]["mean"] == pytest.approx(5.0 / 3.5)
    assert (report["cost"]["cheaper"], report["cost"]["dearer"]) == (0, 1)
    assert figures(ours, ours, [BOTH, BOTH], None)["invalid"] is None


@pytest.mark.skipif(judge_missing(), reason="unified-planning is not installed: ./karma bench installs it")
def test_the_judge_accepts_what_reaches_the_goal_and_nothing_else() -> None:
    judge = Unified(BOTH, costs=True)
    assert judge.is_valid([0, 1])
    assert not judge.is_valid([0])
    assert not judge.is_valid([1, 0])


@pytest.mark.parametrize("name", list(ENGINES))
def test_every_engine_that_is_there_finds_the_plan(name: str) -> None:
    if package := missing(name):
        pytest.skip(f"{package} is not installed: ./karma bench installs it")
    with EngineProcess(name, 60.0) as engine:
        answer = engine.solve(BOTH)
    assert answer.plan == (0, 1), answer.error


def test_what_was_measured_before_ctrl_c_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(name: str, problems: Sequence[Problem], limit: float, on_problem: object) -> Measured:
        if name != OWN:
            raise KeyboardInterrupt
        return Measured(name, ())

    monkeypatch.setattr("karma_eval.planning.command.run", interrupted)
    assert [one.name for one in measure([OWN, "aries-up", "aries-kept"], [BOTH], 1.0)] == [OWN]


@pytest.mark.slow
def test_the_report_says_what_every_engine_came_to(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    options = ["--scene", "FloorPlan401", "--problems", "5", "--no-peer", "--json", str(file)]
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 0, result.output
    report = json.loads(file.read_text())
    assert (report["problems"], sum(report["kinds"].values()), set(report["engines"])) == (5, 5, {OWN})
    assert report["complete"]
    own = report["engines"][OWN]
    assert (own["solved"], own["cost"]["mean"], own["invalid"] or 0) == (5, 1.0, 0)
    assert {"median", "p95", "max"} == set(own["wall_ms"]) == set(own["cpu_ms"])
    assert len(report["load_average"]) == 3
