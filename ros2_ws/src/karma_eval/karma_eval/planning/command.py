# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench planning`: the search of task planning beside planners of the field, on a household's problems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from karma_eval.json_file import json_option, write_json
from karma_eval.perception.command import choose
from karma_eval.planning.engines import ENGINES, OWN, judge_missing, missing
from karma_eval.planning.measure import Measured, invalid, report_of, run
from karma_eval.planning.problem import Problem
from karma_eval.planning.problems import KINDS, chosen, met
from karma_eval.planning.unified import Unified
from karma_eval.progress import progress
from sim_bridge.household.scenes import scene_names


@click.command("planning")
@click.option("--problems", default=100, show_default=True, type=click.IntRange(1), help="Of all kinds in turn.")
@click.option("--scenes", default=8, show_default=True, type=click.IntRange(1), help="Homes in which they are met.")
@click.option("--scene", "named", multiple=True, help="One of your choice instead, such as home1; may be given again.")
@click.option("--limit", default=10.0, show_default=True, type=click.FloatRange(0.1), help="Seconds for a problem.")
@click.option("--engine", "engines", multiple=True, type=click.Choice(list(ENGINES)), help="Only these beside ours.")
@click.option("--peer/--no-peer", default=True, help="Measure the planners of the field beside ours.")
@click.option("--seed", default=1, show_default=True, help="Of scenes, goals and the choice of problems.")
@json_option("Write the figures there, too.")
def command(
    problems: int,
    scenes: int,
    named: tuple[str, ...],
    limit: float,
    engines: tuple[str, ...],
    peer: bool,
    seed: int,
    json_file: Path | None,
) -> None:
    """Solve the planning problems that a robot meets in surveyed homes: ours, Pyperplan, Fast Downward, Aries."""
    unknown = [name for name in named if name not in scene_names()]
    if unknown:
        raise click.UsageError(f"there is no scene {unknown[0]!r}: ./karma bench scenes lists them")
    wanted = [OWN, *(name for name in engines or ENGINES if name != OWN and peer)]
    lacking = {name: package for name in wanted if (package := missing(name))}
    for package in dict.fromkeys(lacking.values()):
        click.echo(f"{package} is not installed: no such peer (./karma bench installs what there is)", err=True)
    asked = _problems(problems, named or choose(scenes, None, seed), seed)
    names = [name for name in wanted if name not in lacking]
    runs = measure(names, asked, limit)
    if not runs:
        raise click.Abort
    complete = len(runs) == len(names)
    report = {"seed": seed, "limit_s": limit, "complete": complete, **report_of(runs, asked, _judged(runs, asked))}
    show(report)
    if json_file is not None:
        write_json(json_file, report)
    if not complete:
        raise click.ClickException(f"interrupted: {', '.join(names[len(runs) :])} not measured")


def _problems(count: int, scenes: Sequence[str], seed: int) -> list[Problem]:
    with progress(desc="problems", unit="goals") as bar:

        def note(text: str) -> None:
            bar.set_postfix_str(text, refresh=False)
            bar.update()

        asked = chosen(met(scenes, seed, note), count, seed)
    if not asked:
        raise click.ClickException(f"nothing can be asked for in {', '.join(scenes)}")
    return asked


def measure(names: Sequence[str], problems: Sequence[Problem], limit: float) -> list[Measured]:
    """Run one engine after the other, ours first; on Ctrl-C, return those that were done."""
    runs = []
    with progress(total=len(names) * len(problems), unit="problems", desc="engines") as bar:
        for number, name in enumerate(names, 1):
            bar.set_description(name)
            try:
                runs.append(run(name, problems, limit, bar.update))
            except KeyboardInterrupt:
                return runs
            bar.update(number * len(problems) - bar.n)
    return runs


def _judged(runs: Sequence[Measured], problems: Sequence[Problem]) -> dict[str, list[int]] | None:
    if judge_missing():
        click.echo("unified-planning is not installed: nobody judges the plans", err=True)
        return None
    judges = [Unified(problem, costs=False) for problem in problems]
    measured = (one for one in runs if not one.error)
    return {one.name: invalid(one, problems, judges) for one in progress(measured, unit="engines", desc="validating")}


def show(report: dict[str, Any]) -> None:
    """Print what every engine's answers come to."""
    kinds = ", ".join(f"{report['kinds'][kind]} {kind}" for kind in KINDS if kind in report["kinds"])
    table = Table(title=f"{report['problems']} problems ({kinds}), {report['limit_s']:g} s each", padding=(0, 0))
    for column in ("engine", "solved", "wall ms", "CPU ms", "cost", "cheaper", "invalid"):
        table.add_column(column, justify="left" if column == "engine" else "right", no_wrap=True)
    for name, row in report["engines"].items():
        if "error" in row:
            table.add_row(name, "–")
            continue
        wrong = "?" if row["invalid"] is None else str(row["invalid"])
        cost = row["cost"]
        times = _times(row["wall_ms"]), _times(row["cpu_ms"])
        table.add_row(
            name,
            str(row["solved"]),
            *times,
            "–" if cost["mean"] is None else f"{cost['mean']:.3f}",
            str(cost["cheaper"]),
            wrong,
        )
    console = Console()
    console.print(table)
    for name, row in report["engines"].items():
        reasons = [row["error"]] if "error" in row else [f"{n} {text}" for text, n in row["unsolved"].items()]
        if reasons:
            console.print(f"{name}: {'; '.join(reasons)}", highlight=False, markup=False)
    actions, load = report["actions"], report["load_average"]
    console.print(
        f"{actions['median']:g} actions a problem in the median, {actions['max']} at most. Times: median, "
        "p95, most. Cost: beside ours, in the mean; cheaper: plans that cost less than ours. "
        f"Load average {load[0]:.1f}, {load[1]:.1f}, {load[2]:.1f} on {report['cores']} cores.",
        highlight=False,
    )


def _times(milliseconds: dict[str, float]) -> str:
    return " ".join(f"{value:.1f}" if value < 100 else f"{value:.0f}" for value in milliseconds.values())
