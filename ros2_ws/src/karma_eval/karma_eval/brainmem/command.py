# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval brainmem`: what each part of BrainMem is worth to the planner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from karma_eval.brainmem.home import Effort, lived
from karma_eval.brainmem.trials import PARTS, Trial, trials
from karma_eval.json_file import json_option, write_json
from karma_eval.progress import progress
from sim_bridge.household.scenes import scene_names

_KINDS = (range(1, 31), range(201, 231), range(301, 331), range(401, 431))
"""Numbers of AI2-THOR's kitchens, living rooms, bedrooms and bathrooms."""


@dataclass(frozen=True)
class Result:
    """A trial with the part and without."""

    trial: Trial
    on: Effort
    off: Effort


@click.command("brainmem")
@click.option("--scenes", default=16, show_default=True, type=click.IntRange(4), help="Rooms, of all four kinds alike.")
@click.option("--part", "parts", multiple=True, type=click.Choice(tuple(PARTS)), help="Only this; may be given again.")
@click.option("--seed", default=0, show_default=True, help="Of the choice of rooms and things.")
@json_option("Write the figures there, too.")
def command(scenes: int, parts: tuple[str, ...], seed: int, json_file: Path | None) -> None:
    """Let the robot live through made-up trials with each part of BrainMem and without it."""
    results = list(run(chosen(scenes, seed), parts or tuple(PARTS), seed))
    report = report_of(results)
    show(report)
    if json_file is not None:
        write_json(json_file, report)


def chosen(count: int, seed: int) -> list[str]:
    """Return the names of so many rooms, the kinds taking turns, spread over each."""
    known = set(scene_names())
    names: list[str] = []
    for kind, numbers in enumerate(_KINDS):
        there = [f"FloorPlan{number}" for number in numbers if f"FloorPlan{number}" in known]
        share = len(range(kind, count, len(_KINDS)))
        names += [there[(seed + i * len(there) // share) % len(there)] for i in range(share)]
    return names


def run(scenes: Sequence[str], parts: Sequence[str], seed: int) -> Iterator[Result]:
    """Yield what came of the trials of some scenes."""
    for scene in progress(scenes, unit="room", desc="brainmem"):
        for trial in trials(scene, tuple(parts), seed):
            off = lived(scene, trial.live, {PARTS[trial.part]}, trial.refusal)
            yield Result(trial, lived(scene, trial.live, (), trial.refusal), off)


def report_of(results: Sequence[Result]) -> dict[str, Any]:
    """Return the figures of each part, and every trial."""
    rows = [
        {"part": r.trial.part, "kind": r.trial.kind, "scene": r.trial.scene, "on": asdict(r.on), "off": asdict(r.off)}
        for r in results
    ]
    return {
        "parts": {part: _figures([r for r in results if r.trial.part == part]) for part in PARTS},
        "trials": rows,
    }


def _figures(results: Sequence[Result]) -> dict[str, Any]:
    both = [r for r in results if r.on.success and r.off.success]
    return {
        "trials": len(results),
        "rooms": len({r.trial.scene for r in results}),
        "on": _share([r.on.success for r in results]),
        "off": _share([r.off.success for r in results]),
        "failed_on": _mean([r.on.failed for r in results]),
        "failed_off": _mean([r.off.failed for r in results]),
        "skills_on": _mean([r.on.skills for r in both]),
        "skills_off": _mean([r.off.skills for r in both]),
    }


def _share(succeeded: Sequence[bool]) -> float | None:
    return 100.0 * sum(succeeded) / len(succeeded) if succeeded else None


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def show(report: dict[str, Any]) -> None:
    """Print the figures of each part."""
    table = Table(title="with each part (and without it)")
    for column in ("part", "trials", "rooms", "success", "failed skills", "skills where both succeed"):
        table.add_column(column, justify="left" if column == "part" else "right")
    for part, figures in report["parts"].items():
        pairs = [("on", "off", "{:.0f} % ({:.0f} %)"), ("failed_on", "failed_off", "{:.1f} ({:.1f})")]
        pairs.append(("skills_on", "skills_off", "{:.1f} ({:.1f})"))
        cells = [form.format(figures[a], figures[b]) if figures[a] is not None else "–" for a, b, form in pairs]
        table.add_row(part, str(figures["trials"]), str(figures["rooms"]), *cells)
    Console().print(table)
