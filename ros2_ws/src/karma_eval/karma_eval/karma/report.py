# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What `./karma eval karma` says: figures as JSON, a written report with what went wrong, and plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karma_eval.karma.errors import SORTS, Failure, failure
from karma_eval.karma.measure import Figure, Metrics, metrics
from karma_eval.karma.saving import saving, saving_lines
from karma_eval.karma.sequence import ABLATIONS, Outcome
from karma_eval.karma.tasks import COMPLEX, COMPOSITE, KINDS, SIMPLE, Task
from karma_eval.llm import unanswered
from karma_eval.report import Report, cell, markdown
from planner_node.parameters import OFFLINE

NAMES = ("sr", "mra", "re", "rt", "mhr")
LABELS = {"none": "no memory", "long_term": "long-term only", "short_term": "short-term only", "both": "both"}
TARGETS: Mapping[str, Mapping[str, float]] = {
    SIMPLE: {"sr": 0.95},
    COMPOSITE: {"sr": 0.90, "mra": 0.95},
    COMPLEX: {"sr": 0.80, "mra": 0.85, "re": 0.87, "rt": 0.69},
}
"""To beat with both memories."""
PAPER: Mapping[str, Mapping[str, Sequence[float | None]]] = {
    "none": {SIMPLE: (0.41,), COMPOSITE: (0.23,), COMPLEX: (0.04,)},
    "short_term": {
        SIMPLE: (0.40, None, 0.011, 0.002),
        COMPOSITE: (0.35, 1.0, 0.329, 0.210),
        COMPLEX: (0.12, 0.43, 0.021, 0.013),
    },
    "long_term": {
        SIMPLE: (0.44, None, 0.573, 0.605),
        COMPOSITE: (0.22, None, 0.774, 0.624),
        COMPLEX: (0.05, None, 0.784, 0.654),
    },
    "both": {
        SIMPLE: (0.42, None, 0.582, 0.612),
        COMPOSITE: (0.43, 0.93, 0.902, 0.687),
        COMPLEX: (0.21, 0.42, 0.867, 0.690),
    },
}
"""SR, MRA, RE, RT of the paper's table 1 (GPT-4o), on other tasks of the same kinds."""
_MOST_FAILURES = 12
"""Traces in the report."""


@dataclass(frozen=True)
class Results:
    """What came of a list of tasks."""

    planner: str
    tasks: tuple[Task, ...]
    unjudgeable: Mapping[str, tuple[str, ...]]
    """Reasons, by the name of the task."""
    outcomes: Mapping[str, Mapping[str, Outcome]]
    """By ablation and name of the task."""
    seed: int
    unanswered: int = 0
    """Questions to a language model that the server failed at, twice: these instructions were not understood."""

    def of(self, ablation: str, kind: str) -> list[Outcome]:
        """Return the outcomes of one kind."""
        return [outcome for outcome in self.outcomes[ablation].values() if outcome.task.kind == kind]

    def metrics(self) -> dict[str, dict[str, Metrics]]:
        """Return the metrics by ablation and kind."""
        unjudgeable = Counter(task.kind for task in self.tasks if task.name in self.unjudgeable)
        return {
            ablation: {
                kind: metrics(self.of(ablation, kind), self.outcomes["none"], unjudgeable[kind], self.seed)
                for kind in KINDS
            }
            for ablation in ABLATIONS
        }

    def row(self, task: Task) -> list[str]:
        """Return what came of a sequence with both memories; see _HEADER."""
        if task.name in self.unjudgeable:
            return [task.name, task.floor_plan, "unjudgeable", "", "", "; ".join(self.unjudgeable[task.name])]
        both, none = (self.outcomes[ablation][task.name] for ablation in ("both", "none"))
        return [
            task.name,
            task.floor_plan,
            "solved" if both.solved else "failed",
            f"{both.explore_steps}, {none.explore_steps}",
            f"{both.duration:.0f}, {none.duration:.0f}",
            "" if both.solved else failure(both).why,
        ]

    def failures(self, ablation: str) -> list[Failure]:
        """Return the sequences that failed, and why."""
        return [failure(outcome) for outcome in self.outcomes[ablation].values() if not outcome.solved]


def figures(results: Results, measured: Mapping[str, Mapping[str, Metrics]]) -> dict[str, Any]:
    """Return the figures, fractions 0 to 1; null where nothing of the kind happens."""
    return {
        "planner": results.planner,
        "seed": results.seed,
        **({} if results.planner == OFFLINE else {"model": {"unanswered": results.unanswered}}),
        "ablations": {
            ablation: {
                kind: {
                    "n": of.n,
                    "unjudgeable": of.unjudgeable,
                    **{name: _rounded(getattr(of, name)) for name in NAMES},
                }
                for kind, of in by_kind.items()
            }
            for ablation, by_kind in measured.items()
        },
        "intervals": {
            ablation: {
                kind: {
                    name: [round(end, 4) for end in figure.interval]
                    for name in NAMES
                    if (figure := getattr(of, name)) is not None
                }
                for kind, of in by_kind.items()
            }
            for ablation, by_kind in measured.items()
        },
        "saving": {kind: saving(results.of("both", kind), results.outcomes["none"]) for kind in KINDS},
        "errors": {name: dict(Counter(f.sort for f in results.failures(name))) for name in ABLATIONS},
        "tasks": [_row(task, results) for task in results.tasks],
    }


def _rounded(figure: Figure | None) -> float | None:
    return None if figure is None else round(figure.value, 4)


def _row(task: Task, results: Results) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": task.kind, "id": task.id, "scene": task.floor_plan}
    if task.name in results.unjudgeable:
        return {**row, "result": "unjudgeable", "reasons": list(results.unjudgeable[task.name])}
    by_ablation = {
        ablation: {
            "result": "solved" if outcome.solved else "failed",
            "missing": list(map(str, outcome.missing)),
            "explore_steps": outcome.explore_steps,
            "seconds": round(outcome.duration, 1),
            **({} if outcome.solved else {"why": failure(outcome).why, "error": failure(outcome).sort}),
        }
        for ablation, of in results.outcomes.items()
        if (outcome := of.get(task.name)) is not None
    }
    return {**row, "result": by_ablation["both"]["result"], "ablations": by_ablation}


def checks(measured: Mapping[str, Mapping[str, Metrics]]) -> dict[str, bool | None]:
    """Return what is to be beaten, and whether it is; None where that was not measured."""
    found: dict[str, bool | None] = {}
    for kind, targets in TARGETS.items():
        for name, target in targets.items():
            figure: Figure | None = getattr(measured["both"][kind], name)
            value = "" if figure is None else f"{figure.value:.2f} "
            found[f"{name.upper()} {kind} {value}≥ {target:.2f}"] = None if figure is None else figure.value >= target
    return found


def reported(results: Results, measured: Mapping[str, Mapping[str, Metrics]]) -> Report:
    """Return the report: figures beside the paper's, every sequence, and what went wrong."""
    surveys = {task.floor_plan for task in results.tasks if task.name not in results.unjudgeable}
    report = Report(
        "KARMA: sequences of tasks, with and without memory",
        f"{len(results.tasks)} sequences, {len(results.unjudgeable)} of them unjudgeable, in {len(surveys)} scenes; "
        f"planner {results.planner}, seed {results.seed}. Fractions, with 95 % intervals (SR: Wilson; else bootstrap "
        "over sequences); in brackets the paper's (GPT-4o, other tasks of the same kinds); unj.: unjudgeable. What "
        "each figure means: docs/evaluation.md.",
    )
    found = [(ablation, kind, of) for ablation, by_kind in measured.items() for kind, of in by_kind.items()]
    head = ["memory", "kind", "n", "unj.", *(name.upper() for name in NAMES)]
    counts = [[LABELS[ablation], kind, of.n, of.unjudgeable] for ablation, kind, of in found]
    plain = [[_plain(getattr(of, name)) for name in NAMES] for _, _, of in found]
    title = f"KARMA, {len(results.tasks)} sequences; planner: {results.planner}"
    report.table(title, head, [[*row, *cells] for row, cells in zip(counts, plain, strict=True)])
    report.add(*markdown(head, [[*row, *_cells(*of)] for row, of in zip(counts, found, strict=True)]))
    report.checks(checks(measured))
    if results.unanswered:
        report.say(unanswered(results.unanswered))
    report.say(*(f"unjudgeable: {name}: {'; '.join(reasons)}" for name, reasons in results.unjudgeable.items()))
    report.add(*saving_lines({kind: results.of("both", kind) for kind in KINDS}, results.outcomes["none"]))
    report.add("## Every sequence, with both memories", "", *markdown(_HEADER, map(results.row, results.tasks)))
    report.add(*_errors(results))
    return report


_HEADER = ("sequence", "scene", "result", "explorations, without memory", "seconds, without memory", "reason")


def _plain(figure: Figure | None) -> str:
    return "–" if figure is None else f"{figure.value:.2f}"


def _cells(ablation: str, kind: str, of: Metrics) -> list[str]:
    paper = dict(zip(NAMES, PAPER[ablation][kind], strict=False))
    cells = []
    for name in NAMES:
        figure: Figure | None = getattr(of, name)
        said = paper.get(name)
        beside = "" if said is None else f" ({said:g})"
        if figure is None:
            cells.append(f"–{beside}")
        else:
            cells.append(f"{figure.value:z.2f} [{figure.interval[0]:z.2f}, {figure.interval[1]:z.2f}]{beside}")
    return cells


def _errors(results: Results) -> list[str]:
    counts = {ablation: Counter(f.sort for f in results.failures(ablation)) for ablation in ABLATIONS}
    lines = [
        "## What went wrong",
        "",
        "In the kinds of BrainMem's figure 4: what was not understood or taken for something else (reasoning), not "
        "found (perception), not brought about (planning).",
        "",
        *markdown(["memory", *SORTS], [[LABELS[name], *(of[sort] for sort in SORTS)] for name, of in counts.items()]),
    ]
    failures = results.failures("both")
    for f in sorted(failures, key=lambda f: -counts["both"][f.sort])[:_MOST_FAILURES]:
        lines += ["", f"### {cell(f.outcome.task.name)}, {f.outcome.task.floor_plan}: {f.sort}", "", cell(f.why), ""]
        lines += [f"    {line}" for entry in f.trace() for line in entry.splitlines()]
    if len(failures) > _MOST_FAILURES:
        lines += ["", f"… and {len(failures) - _MOST_FAILURES} more, in the JSON file."]
    return lines
