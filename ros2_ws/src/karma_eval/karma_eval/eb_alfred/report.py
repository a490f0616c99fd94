# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The written report of EB-ALFRED: figures beside the paper's, spread over orders, errors with their traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from karma_eval.eb_alfred.errors import KINDS, errors, kind, trace
from karma_eval.eb_alfred.measure import Done, Results, not_answered
from karma_eval.karma.measure import wilson
from karma_eval.llm import unanswered
from karma_eval.report import Report, markdown

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


def reported(planner: str, life: str, figures: Mapping[str, Any], results: Results) -> Report:
    """Return the report: figures beside the paper's, what memory had to work with, and every error."""
    lives = "all splits in a random order" if life == "all" else "one split each, in a random order"
    report = Report(
        "EB-ALFRED with BrainMem's memories",
        f"Planner: {planner}. A robot lives through the tasks of {lives}, in {max(map(len, results.values()))} orders; "
        "only the first attempt at a task counts. SR: tasks with all goal conditions met, ±: its deviation over "
        "orders, GC: goal conditions met, in percent; env: skills of a task, plan: how often it was planned.",
    )
    splits = list(next(iter(figures.values()))["splits"])
    head = ["", "SR (paper)", "95 %", "±", "GC", "env", "plan", *(split.replace("_", " ") for split in splits)]
    report.table(f"EB-ALFRED; planner: {planner} (in brackets: BrainMem's table 4)", head, _rows(figures, results))
    for name, of in figures.items():
        if name != "none" and (added := of["added"]):
            known = f"(± {added['interval']:.1f}, 95 %, n = {added['n']})"
            report.say(f"{name}: {added['points']:+.1f} points over none {known}")
    report.checks(checks(figures))
    report.say(*untold(figures))
    if lost := not_answered(results):
        report.say(unanswered(lost))
    report.add("## What memory had to work with", "", *_siblings(results))
    report.add("## Errors", "", *_errors(results))
    last = list(results)[-1]
    report.add(f"## What failed with “{last}”", "", *_traces(results[last][0]))
    return report


def _rows(figures: Mapping[str, Any], results: Results) -> Iterator[list[str]]:
    for name, of in figures.items():
        done = [one for order in results[name] for one in order]
        low, high = wilson(sum(one.success for one in done) / len(results[name]), len(results[name][0]))
        average = of["average"]
        yield [
            name,
            f"{average['sr']:.1f} ({PAPER[name]:.0f})",
            f"{100 * low:.0f}–{100 * high:.0f}",
            spread(of),
            f"{average['gc']:.1f}",
            f"{average['env_steps']:.1f}",
            f"{average['plan_steps']:.1f}",
            *(f"{split['sr']:.1f}" for split in of["splits"].values()),
        ]


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
    rows = []
    for name, orders in results.items():
        counts = [known_before(order) for order in orders]
        means = [sum(count[what] for count in counts) / len(counts) for what in counts[0]]
        rows.append([name, *(f"{mean:.1f}" for mean in means)])
    return [
        *markdown(["", "failed", "of a goal met before in this room", "right before, in the end"], rows),
        "",
        "Tasks in one life. The last column of `none` is the most that a memory without guided retry can win in this "
        "order of tasks, could it carry over everything; with retry, what it solves comes on top.",
    ]


def _errors(results: Results) -> list[str]:
    counts = {name: [errors(order) for order in orders] for name, orders in results.items()}
    rows = [
        [what, of_class, *(f"{sum(c[what] for c in some) / len(some):.1f}" for some in counts.values())]
        for what, of_class in KINDS.items()
    ]
    return [*markdown(["kind", "class", *results], rows), "", "Failed tasks in one life."]


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
