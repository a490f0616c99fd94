# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The written report of PAHF: figures beside the paper's, learning curves, ablations, what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from karma_eval.pahf.protocol import LEARNING, Outcome, PhaseResult
from karma_eval.report import Report, picture

PAPER = {"none": (32.3, 44.8), "pre": (54.1, 35.7), "post": (67.9, 68.3), "both": (70.5, 68.8)}
"""Success rates of phases 2 and 4 with GPT-4o (table 1, embodied)."""
GOAL = (95.0, 92.0)
"""What both channels shall reach in phases 2 and 4."""
LABELS = {"none": "no memory", "pre": "pre-action only", "post": "post-action only", "both": "both"}
MOST_ERRORS = 60
"""Wrong choices that the report lists."""
Figures = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Ablation → phase → figures."""


def checks(figures: Figures) -> dict[str, bool]:
    """Return what the ablations shall show, and whether they do. Only those of which the figures are there."""

    def sr(name: str, phase: str) -> float:
        return float(figures[name][phase]["sr"])

    def first(name: str, phase: str) -> float:
        return float(figures[name][phase]["iterations"][0]["sr"])

    found = {}
    if "both" in figures:
        found[f"both reaches {GOAL[0]:.0f} % in phase 2"] = sr("both", "phase2") >= GOAL[0]
        found[f"both reaches {GOAL[1]:.0f} % in phase 4"] = sr("both", "phase4") >= GOAL[1]
    if set(figures) == set(PAPER):
        found |= {
            "both ≥ post ≥ pre after drift (phase 4)": sr("both", "phase4")
            >= sr("post", "phase4")
            >= sr("pre", "phase4"),
            "no memory fails on utilization: worst in phase 2": min(figures, key=lambda n: sr(n, "phase2")) == "none",
            "pre-action alone is stuck after drift: phase 4 below half of phase 2": sr("pre", "phase4")
            < sr("pre", "phase2") / 2,
            "post-action alone errs at first: iteration 1 of phase 1 below both": first("post", "phase1")
            < first("both", "phase1"),
            "both is best in phases 2 and 4": all(
                sr("both", phase) >= sr(name, phase) for name in figures for phase in ("phase2", "phase4")
            ),
            "both has the least cumulative error in phase 1": all(
                figures["both"]["phase1"]["acpe"] <= of_phase["phase1"]["acpe"] for of_phase in figures.values()
            ),
        }
    return found


def reported(planner: str, figures: Figures, results: Mapping[str, Mapping[str, PhaseResult]], folder: Path) -> Report:
    """Return the report: figures beside the paper's, learning curves, ablations, what went wrong; draw its pictures."""
    tasks = next(iter(figures.values()))
    sizes = ", ".join(f"{phase}: {tasks[phase]['n'] // len(tasks[phase]['iterations'])}" for phase in tasks)
    report = Report(
        "PAHF: preferences from asking and from corrections",
        f"Planner: {planner}. Scenarios: {sizes}. Phases 1 and 3 learn in three iterations; 2 and 4 test without "
        "feedback. The user is scripted: asked, it names the object or place; corrected, it says what it wanted. A "
        "choice is right when object and location are. In percent: success rate (SR), tasks with feedback (FF), mean "
        "error up to the last iteration (ACPE).",
    )
    title = f"PAHF, embodied; planner: {planner} (in brackets: the paper's GPT-4o)"
    report.table(title, ["", "phase 1", "phase 2", "phase 3", "phase 4", "FF", "ACPE"], _rows(figures))
    report.checks(checks(figures))
    report.picture(plot_ablations(figures, folder / "ablations.png"))
    report.picture(plot_curves(figures, folder / "learning_curves.png"))
    if "both" in results:
        report.add("## What went wrong with both channels", "", *_errors(results["both"]))
    return report


def _rows(figures: Figures) -> Iterator[list[str]]:
    """Yield the table: of the phases that learn, the rate of each iteration."""
    for name, of in figures.items():
        first, third = (" / ".join(f"{i['sr']:.1f}" for i in of[phase]["iterations"]) for phase in LEARNING)
        before, after = PAPER[name]
        yield [
            LABELS[name],
            first,
            f"{of['phase2']['sr']:.1f} ({before})",
            third,
            f"{of['phase4']['sr']:.1f} ({after})",
            *(" / ".join(f"{of[phase][key]:.1f}" for phase in LEARNING) for key in ("ff", "acpe")),
        ]


def plot_curves(figures: Figures, path: Path) -> Path:
    """Draw success rate, feedback frequency and cumulative error over the iterations of the learning phases."""
    shown = (("sr", "success rate, %"), ("ff", "feedback frequency, %"), ("acpe", "cumulative error (ACPE), %"))
    with picture(path, 11.0, 6.5, len(LEARNING), len(shown), sharex=True, sharey=True) as rows:
        for row, phase in zip(rows, LEARNING, strict=True):
            for panel, (key, label) in zip(row, shown, strict=True):
                for name, of_phase in figures.items():
                    iterations = of_phase[phase]["iterations"]
                    steps = range(1, len(iterations) + 1)
                    values = [iteration[key] for iteration in iterations]
                    errors = [iteration["sr_se"] if key == "sr" else 0.0 for iteration in iterations]
                    panel.errorbar(steps, values, errors, label=LABELS[name], marker="o", capsize=3)
                panel.set_title(f"{phase}: {label}", fontsize=10)
                panel.set(xticks=steps, ylim=(-3, 103), xlabel="iteration")
                panel.label_outer()
                panel.grid(alpha=0.3)
        rows[0][0].legend(fontsize=8)
    return path


def plot_ablations(figures: Figures, path: Path) -> Path:
    """Draw the success rates of the test phases, with the standard error over users, and the paper's."""
    with picture(path, 8.0, 4.0, 1, 2, sharey=True) as panels:
        for number, (panel, phase) in enumerate(zip(panels, ("phase2", "phase4"), strict=True)):
            rows = [of[phase]["iterations"][-1] for of in figures.values()]
            places = [LABELS[name].replace(" ", "\n") for name in figures]
            panel.bar(places, [row["sr"] for row in rows], yerr=[row["sr_se"] for row in rows], color="C0", capsize=4)
            panel.plot(places, [PAPER[name][number] for name in figures], "kD", label="paper, GPT-4o", markersize=5)
            panel.axhline(GOAL[number], color="C3", linewidth=1, linestyle="--", label="goal for both")
            panel.set(title=f"{phase}: {'before' if number == 0 else 'after'} drift", ylim=(0, 103))
            panel.grid(alpha=0.3, axis="y")
        panels[0].set_ylabel("success rate, %")
        panels[1].legend(fontsize=8, loc="upper left")
    return path


def _errors(results: Mapping[str, PhaseResult]) -> list[str]:
    wrong = [(phase, o) for phase in ("phase2", "phase4") for o in results[phase].iterations[-1] if not o.right]
    lines = [_error(phase, outcome) for phase, outcome in wrong[:MOST_ERRORS]]
    if len(wrong) > MOST_ERRORS:
        lines.append(f"- and {len(wrong) - MOST_ERRORS} more")
    return lines or ["Nothing."]


def _error(phase: str, outcome: Outcome) -> str:
    scenario, intent = outcome.scenario, outcome.scenario.intent
    chosen, wanted = _named(outcome.choice), _named((intent.thing, intent.place))
    return (
        f"- {phase}, {scenario.instruction.user}: “{scenario.instruction.task}” — {chosen} instead of {wanted}. "
        f"Why: {outcome.why}"
    )


def _named(choice: Sequence[str]) -> str:
    thing, place = choice
    return f"{thing} → {place}" if place else thing
