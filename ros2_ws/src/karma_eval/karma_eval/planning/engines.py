# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The planners that are compared: KARMA's own search, and those of the field, each in the best set-up we know of.

All are given a state, ground operators and a goal, and return the indices of a plan's operators. What turns that into
their own form counts as theirs: an open world asks for it at every surprise.

- through `unified-planning` (UP): as its users would call them. Pyperplan knows neither costs nor negative conditions,
  which UP compiles away. Fast Downward's translator looks for invariants among ground actions, which takes it longer
  than all else; "binary" is told not to. Aries starts a server for each problem; "kept" asks one that stays.
- "direct": without UP, text and translation. Pyperplan gets its STRIPS task in this process; Fast Downward's search
  gets a SAS+ task, as if translating, lifted or ground, took no time.

Tamer (`up-tamer`) is not among them: its license is for education only.
"""

from __future__ import annotations

import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib import metadata, util
from pathlib import Path
from typing import Any

from karma_eval.planning.problem import Problem
from karma_eval.planning.strips import Strips, sas, strips
from karma_eval.planning.unified import Unified
from planner_node.plan.task_planning.solving import NoPlan, solve

OWN = "own"


class Engine(ABC):
    """A planner, loaded and ready."""

    @abstractmethod
    def solve(self, problem: Problem) -> list[int] | None:
        """Return a plan; None when the planner says that there is none or fails."""


class Own(Engine):
    """planner_node.plan.task_planning.solving, which may take as long as the others."""

    def solve(self, problem: Problem) -> list[int] | None:
        """See Engine."""
        try:
            return solve(problem.state, problem.operators, problem.goal, seconds=3600.0)
        except NoPlan:
            return None


class ThroughUp(Engine):
    """An engine of unified-planning."""

    def __init__(self, name: str, *, compiled: bool = False, **parameters: Any) -> None:
        """`compiled`: costs are left out and negative conditions compiled away. `parameters`: of the engine."""
        from unified_planning.shortcuts import Compiler, OneshotPlanner, get_environment

        get_environment().credits_stream = None
        self._planner = OneshotPlanner(name=name, params=parameters)
        self._compiler = Compiler(name="up_negative_conditions_remover") if compiled else None

    def solve(self, problem: Problem) -> list[int] | None:
        """See Engine."""
        unified = Unified(problem, costs=self._compiler is None)
        if self._compiler is None:
            return unified.indices(self._planner.solve(unified.problem).plan)
        compiled = self._compiler.compile(unified.problem)
        plan = self._planner.solve(compiled.problem).plan
        return unified.indices(plan and plan.replace_action_instances(compiled.map_back_action_instance))


class AriesKept(Engine):
    """Aries, whose server is started once."""

    def __init__(self) -> None:
        from unified_planning import shortcuts  # noqa: F401 - what follows can't be imported without
        from unified_planning.grpc.proto_reader import ProtobufReader
        from unified_planning.grpc.proto_writer import ProtobufWriter
        from up_aries.solver import _find_executable, _Server

        self._server = _Server(_find_executable())
        self._writer, self._reader = ProtobufWriter(), ProtobufReader()

    def solve(self, problem: Problem) -> list[int] | None:
        """See Engine."""
        from unified_planning.grpc.generated.unified_planning_pb2 import PlanRequest

        unified = Unified(problem, costs=True)
        request = PlanRequest(problem=self._writer.convert(unified.problem), engine_options={"optimal": "false"})
        answer = self._reader.convert(self._server.planner.planOneShot(request), unified.problem)
        return unified.indices(answer.plan)


class PyperplanDirect(Engine):
    """Pyperplan's greedy search with its FF heuristic, on a task made in memory."""

    def solve(self, problem: Problem) -> list[int] | None:
        """See Engine."""
        from pyperplan.heuristics.relaxation import hFFHeuristic
        from pyperplan.search import greedy_best_first_search
        from pyperplan.task import Operator, Task

        task: Strips = strips(problem)
        operators = [Operator(str(i), o.needs, o.adds, o.ends) for i, o in enumerate(task.operators)]
        made = Task("task", task.facts, task.state, task.goal, operators)
        plan = greedy_best_first_search(made, hFFHeuristic(made))
        return None if plan is None else [int(operator.name) for operator in plan]


class FastDownwardDirect(Engine):
    """Fast Downward's search component, without its driver and translator."""

    def __init__(self, search: str) -> None:
        """`search`: the option --search."""
        import up_fast_downward

        self._binary = Path(up_fast_downward.__file__).parent / "downward/builds/release/bin/downward"
        self._search = search

    def solve(self, problem: Problem) -> list[int] | None:
        """See Engine."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "plan"
            command = [str(self._binary), "--search", self._search, "--internal-plan-file", str(file)]
            subprocess.run(command, input=sas(problem), text=True, capture_output=True, check=False)  # noqa: S603
            if not file.exists():
                return None
            lines = file.read_text(encoding="utf-8").splitlines()
        return [int(line.strip("()")) for line in lines if line.startswith("(")]


_LAMA_FIRST = (
    "let(hlm,eval_modify_costs(landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()),pref=false),cost_type=one),"
    "let(hff,eval_modify_costs(ff(),cost_type=one),"
    "lazy_greedy([hff,hlm],preferred=[hff,hlm],cost_type=one,reopen_closed=false)))"
)
_BINARY: Mapping[str, Any] = {"fast_downward_translate_options": ["--invariant-generation-max-candidates", "0"]}
"""As Fast Downward's own help advises for grounded input: only binary variables."""
ENGINES: Mapping[str, tuple[Callable[[], Engine], tuple[str, ...]]] = {
    OWN: (Own, ()),
    "pyperplan-up": (lambda: ThroughUp("pyperplan", compiled=True), ("up-pyperplan",)),
    "pyperplan-direct": (PyperplanDirect, ("pyperplan",)),
    "fd-lama-first-up": (lambda: ThroughUp("fast-downward"), ("up-fast-downward",)),
    "fd-optimal-up": (lambda: ThroughUp("fast-downward-opt"), ("up-fast-downward",)),
    "fd-lama-first-up-binary": (lambda: ThroughUp("fast-downward", **_BINARY), ("up-fast-downward",)),
    "fd-optimal-up-binary": (
        lambda: ThroughUp("fast-downward", fast_downward_search_config="astar(lmcut())", **_BINARY),
        ("up-fast-downward",),
    ),
    "fd-lama-first-direct": (lambda: FastDownwardDirect(_LAMA_FIRST), ("up-fast-downward",)),
    "fd-astar-ff-direct": (lambda: FastDownwardDirect("astar(ff())"), ("up-fast-downward",)),
    "fd-optimal-direct": (lambda: FastDownwardDirect("astar(lmcut())"), ("up-fast-downward",)),
    "aries-up": (lambda: ThroughUp("aries"), ("up-aries",)),
    "aries-kept": (AriesKept, ("up-aries",)),
}
"""Name → how it is loaded, and the packages that it needs."""


def missing(name: str) -> str:
    """Return the package without which an engine can't be loaded; empty where all are there."""
    return next((package for package in ENGINES[name][1] if not _installed(package)), "")


def judge_missing() -> bool:
    """Whether unified-planning, whose validator judges the plans, is not installed."""
    return util.find_spec("unified_planning") is None


def _installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True
