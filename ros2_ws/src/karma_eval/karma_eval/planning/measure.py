# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every engine on every problem; what it took, what its plans cost beside ours, and whether they are valid."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from karma_eval.planning.engines import OWN
from karma_eval.planning.problem import Problem
from karma_eval.planning.processes import Answer, EngineError, EngineProcess
from karma_eval.planning.unified import Unified

_SAME = 1e-6
"""Seconds by which costs may differ and still be the same."""


@dataclass(frozen=True)
class Measured:
    """One engine's answers, in the order of the problems; `error`, where it could not be loaded."""

    name: str
    answers: tuple[Answer, ...]
    error: str = ""


def run(name: str, problems: Sequence[Problem], limit: float, on_problem: Callable[[], object]) -> Measured:
    """Give an engine every problem. One, unmeasured, comes first: what is loaded late counts for nobody."""
    answers = []
    with EngineProcess(name, limit) as process:
        try:
            process.solve(problems[0])
            for problem in problems:
                answers.append(process.solve(problem))
                on_problem()
        except EngineError as error:
            return Measured(name, (), str(error))
    return Measured(name, tuple(answers))


def invalid(measured: Measured, problems: Sequence[Problem], judges: Sequence[Unified]) -> list[int]:
    """Return the indices of the problems whose plan unified-planning's validator does not accept."""
    return [
        index
        for index, (answer, _) in enumerate(zip(measured.answers, problems, strict=True))
        if answer.plan is not None and not judges[index].is_valid(answer.plan)
    ]


def figures(
    measured: Measured, own: Measured, problems: Sequence[Problem], wrong: Sequence[int] | None
) -> dict[str, Any]:
    """Return what an engine's answers come to. `wrong`: see `invalid`; None: nobody judged.

    Times are those of the problems that it solved; costs those beside our own search's plans for the same problems.
    """
    if measured.error:
        return {"error": measured.error}
    solved = [a for a in measured.answers if a.plan is not None]
    ratios = [
        (problem.cost(theirs.plan) + _SAME) / (problem.cost(ours.plan) + _SAME)
        for problem, theirs, ours in zip(problems, measured.answers, own.answers, strict=True)
        if theirs.plan is not None and ours.plan is not None
    ]
    errors = [a.error for a in measured.answers if a.plan is None]
    return {
        "problems": len(problems),
        "solved": len(solved),
        "unsolved": {error: errors.count(error) for error in sorted(set(errors))},
        "wall_ms": _milliseconds([a.wall for a in solved]),
        "cpu_ms": _milliseconds([a.cpu for a in solved]),
        "cost": {
            "mean": statistics.fmean(ratios) if ratios else None,
            "cheaper": sum(ratio < 1.0 - _SAME for ratio in ratios),
            "dearer": sum(ratio > 1.0 + _SAME for ratio in ratios),
            "least": min(ratios, default=None),
            "most": max(ratios, default=None),
        },
        "invalid": None if wrong is None else len(wrong),
    }


def report_of(
    runs: Sequence[Measured], problems: Sequence[Problem], wrong: Mapping[str, Sequence[int]] | None
) -> dict[str, Any]:
    """Return all that is known of a benchmark."""
    own = next(measured for measured in runs if measured.name == OWN)
    sizes = sorted(len(problem.operators) for problem in problems)
    lengths = sorted(len(answer.plan) for answer in own.answers if answer.plan is not None)
    return {
        "problems": len(problems),
        "kinds": {kind: sum(p.kind == kind for p in problems) for kind in sorted({p.kind for p in problems})},
        "actions": {"median": statistics.median(sizes), "max": sizes[-1]},
        "plan_length": {"median": statistics.median(lengths), "max": lengths[-1]} if lengths else {},
        "load_average": list(os.getloadavg()),
        "cores": os.cpu_count(),
        "engines": {
            measured.name: figures(measured, own, problems, None if wrong is None else wrong.get(measured.name))
            for measured in runs
        },
    }


def _milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    if not seconds:
        return {}
    median, p95, most = np.percentile(seconds, (50, 95, 100)) * 1000
    return {"median": float(median), "p95": float(p95), "max": float(most)}
