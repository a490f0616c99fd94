# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The written report of EB-ALFRED: figures beside the paper's, spread over orders, errors with their traces."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from karma_eval.eb_alfred.errors import KINDS, errors, kind, trace
from karma_eval.eb_alfred.measure import Done, Results, not_answered
from karma_eval.llm import FAILED, unanswered

PAPER = {"none": 64.0, "working": 68.0, "episodic": 70.0, "guidelines": 76.0, "full": 82.0}
"""Success rates of BrainMem's table 4."""
GOAL, GAIN, SPREAD = 75.0, 10.0, 2.0
"""What the full memory shall reach, by how much it shall beat none, and how little orders shall matter: points."""
_TRACES = 2
"""Failed tasks of each kind that are told in full."""


def checks(figures: Mapping[str, Any]) -> dict[str, bool]:
    """Return what is aimed at, and whether it is reached; only that of which the figures are there."""
    found = {}
    if "full" in figures:
        full = figures["full"]
        found[f"full memory: {GOAL:.0f} % or more"] = full["average"]["sr"] >= GOAL
        if len(full["orders"]["sr"]) > 1:
            found[f"its spread over orders: {SPREAD:.0f} points or less"] = full["orders"]["std"] <= SPREAD
        if "none" in figures:
            gain = full["average"]["sr"] - figures["none"]["average"]["sr"]
            found[f"memory adds {GAIN:.0f} points or more ({gain:+.1f})"] = gain >= GAIN
    names = [name for name in PAPER if name in figures]
    for without, name in pairwise(names):
        gain = figures[name]["average"]["sr"] - figures[without]["average"]["sr"]
        found[f"{name} is worth something ({gain:+.1f})"] = gain > 0
    return found


def untold(figures: Mapping[str, Any]) -> list[str]:
    """Return what the figures can't tell, in sentences."""
    single = "full" in figures and len(figures["full"]["orders"]["sr"]) == 1
    return ["Not known: the spread over orders, of which a single one tells nothing."] if single else []


def spread(of: Mapping[str, Any]) -> str:
    """Return the standard deviation over orders, a dash where there was only one."""
    return f"{of['orders']['std']:.1f}" if len(of["orders"]["sr"]) > 1 else "–"


def interval(successes: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a success rate, percent."""
    z = 1.96
    p = successes / n
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return 100.0 * max(0.0, low), 100.0 * min(1.0, high)  # rounding must not leave the range


def write_report(folder: Path, planner: str, life: str, figures: Mapping[str, Any], results: Results) -> list[Path]:
    """Write report.md and its pictures; return the paths, the report first."""
    pictures = [_plot_rates(figures, folder / "success.png"), _plot_errors(results, folder / "errors.png")]
    report = folder / "report.md"
    lives = "all splits in a random order" if life == "all" else "one split each, in a random order"
    lines = [
        "# EB-ALFRED with BrainMem's memories",
        "",
        f"Planner: {planner}. A robot lives through the tasks of {lives}, in {_orders(results)} orders; only the",
        "first attempt at a task counts. SR: tasks with all goal conditions met, GC: goal conditions met, in percent.",
        unanswered(not_answered(results), FAILED),
        "",
        *_table(figures, results),
        "",
        "![Success rates](success.png)",
        "",
        *(f"- {'yes' if holds else '**no**'}: {what}" for what, holds in checks(figures).items()),
        *(f"- {what}" for what in untold(figures)),
        "",
        "## What memory had to work with",
        "",
        *_siblings(results),
        "",
        "## Errors",
        "",
        *_errors(results),
        "",
        "![Errors](errors.png)",
        "",
    ]
    last = list(results)[-1]
    lines += [f"## What failed with “{last}”", "", *_traces(results[last][0])]
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [report, *pictures]


def _orders(results: Results) -> int:
    return max(len(orders) for orders in results.values())


def _table(figures: Mapping[str, Any], results: Results) -> list[str]:
    splits = list(next(iter(figures.values()))["splits"])
    head = ["", "SR (paper)", "95 %", "± over orders", "GC", "env steps", "plans", *splits]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for name, of in figures.items():
        done = [one for order in results[name] for one in order]
        low, high = interval(sum(one.success for one in done) / len(results[name]), len(results[name][0]))
        average = of["average"]
        cells = [
            name,
            f"{average['sr']:.1f} ({PAPER[name]:.0f})",
            f"{low:.0f}–{high:.0f}",
            spread(of),
            f"{average['gc']:.1f}",
            f"{average['env_steps']:.1f}",
            f"{average['plan_steps']:.1f}",
            *(f"{of['splits'][split]['sr']:.1f}" for split in splits),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def known_before(done: Sequence[Done]) -> dict[str, int]:
    """Return how many failed tasks came after one with the same room and goal, and after one that was right in the end.

    A memory alone can't help with the others: nothing that is like them has been right in this life.
    """
    before: dict[tuple[object, ...], list[Done]] = {}
    found = {"failed": 0, "met before": 0, "right before": 0}
    for one in done:
        key = (one.floor_plan, *sorted(name for name, _ in one.conditions))
        earlier = before.setdefault(key, [])
        if not one.success:
            found["failed"] += 1
            found["met before"] += bool(earlier)
            found["right before"] += any(other.success or other.solved_later for other in earlier)
        earlier.append(one)
    return found


def _siblings(results: Results) -> list[str]:
    lines = ["|  | failed | of a goal met before in this room | right before, in the end |", "|---|---|---|---|"]
    for name, orders in results.items():
        counts = [known_before(order) for order in orders]
        means = [sum(count[what] for count in counts) / len(counts) for what in counts[0]]
        lines.append(f"| {name} | {' | '.join(f'{mean:.1f}' for mean in means)} |")
    return [
        *lines,
        "",
        "Tasks in one life. The last column of `none` is the most that a memory without guided retry can win in this "
        "order of tasks, could it carry over everything; with retry, what it solves comes on top.",
    ]


def _errors(results: Results) -> list[str]:
    names = list(results)
    counts = {name: [errors(order) for order in results[name]] for name in names}
    lines = [f"| kind | class | {' | '.join(names)} |", "|" + "---|" * (len(names) + 2)]
    for what, of_class in KINDS.items():
        means = [sum(c[what] for c in counts[name]) / len(counts[name]) for name in names]
        lines.append(f"| {what} | {of_class} | {' | '.join(f'{mean:.1f}' for mean in means)} |")
    return [*lines, "", "Failed tasks in one life."]


def _traces(done: Sequence[Done]) -> list[str]:
    failed = sorted((one for one in done if not one.success), key=kind)
    lines = []
    for what, group in groupby(failed, kind):
        members = list(group)
        lines += [f"### {what} ({KINDS[what]}): {len(members)}", ""]
        for one in members[:_TRACES]:
            lines += trace(one)
        lines += [f"- {one.split}/{one.number}, {one.floor_plan}: “{one.instruction}”" for one in members[_TRACES:]]
        lines.append("")
    return lines or ["Nothing."]


def _plot_rates(figures: Mapping[str, Any], path: Path) -> Path:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    panel = figure.subplots()
    places = range(len(figures))
    panel.bar(
        places,
        [of["average"]["sr"] for of in figures.values()],
        yerr=[of["orders"]["std"] for of in figures.values()],
        color="C0",
        capsize=4,
    )
    panel.plot(places, [PAPER[name] for name in figures], "kD", label="paper (table 4)", markersize=5)
    panel.axhline(GOAL, color="C3", linewidth=1, linestyle="--", label="goal for full")
    panel.set_xticks(list(places), list(figures))
    panel.set_ylabel("success rate, %")
    panel.set_ylim(0, 100)
    panel.grid(alpha=0.3, axis="y")
    panel.legend(fontsize=8, loc="lower right")
    figure.savefig(path, dpi=110)
    return path


def _plot_errors(results: Results, path: Path) -> Path:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    panel = figure.subplots()
    left = [0.0] * len(results)
    for number, what in enumerate(KINDS):
        means = [sum(errors(order)[what] for order in orders) / len(orders) for orders in results.values()]
        panel.barh(range(len(results)), means, left=left, color=f"C{number}", label=f"{what} ({KINDS[what]})")
        left = [a + b for a, b in zip(left, means, strict=True)]
    panel.set_yticks(range(len(results)), list(results))
    panel.invert_yaxis()
    panel.set_xlabel("failed tasks in one life")
    panel.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    return path
