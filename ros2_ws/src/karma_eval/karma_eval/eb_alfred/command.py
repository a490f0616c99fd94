# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval eb-alfred`: EB-ALFRED's tasks with BrainMem's memories, one after the other switched on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from karma_eval.eb_alfred.life import ABLATIONS
from karma_eval.eb_alfred.measure import LIVES, Settings, count, figures, not_answered, planned, readers, run
from karma_eval.eb_alfred.report import PAPER, checks, spread, untold, write_report
from karma_eval.eb_alfred.tasks import DataError
from karma_eval.json_file import json_option, make_folder, write_json
from karma_eval.llm import FAILED, Llm, llm_options, unanswered
from karma_eval.progress import progress
from planner_node.act.reasoning import Planning

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("eb-alfred")
@click.option("--data", required=True, type=FOLDER, help="Folder with splits/ and json_2.1.0/.")
@click.option(
    "--out", default=Path("out/eval/eb-alfred"), show_default=True, type=FOLDER, help="Where the report goes."
)
@click.option("--ablation", "ablations", multiple=True, type=click.Choice(list(ABLATIONS)), help="Only these.")
@click.option("--orders", default=5, show_default=True, type=click.IntRange(1, 100), help="Random orders of the tasks.")
@click.option("--seed", default=1, show_default=True, help="Of the orders.")
@click.option(
    "--life",
    default="all",
    show_default=True,
    type=click.Choice(LIVES),
    help="What one robot lives through: the tasks of all splits, or of each split another robot.",
)
@click.option("--embedding", default="minilm", show_default=True, help="Model of the memory; lexical: words only.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Only the first tasks of each split.")
@llm_options
@click.option(
    "--planning",
    type=click.Choice([one.value for one in Planning]),
    default=Planning.GOALS.value,
    show_default=True,
    help="Who plans: the task planner (goals), the model (skills), or the model where the planner fails (auto).",
)
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1, 64), help="Processes.")
@json_option("Write the figures there, too.")
def command(
    data: Path,
    out: Path,
    ablations: tuple[str, ...],
    orders: int,
    seed: int,
    life: str,
    embedding: str,
    limit: int,
    llm: Llm,
    planning: str,
    jobs: int,
    json_file: Path | None,
) -> None:
    """Live through EB-ALFRED's tasks in the household simulator, with and without memory.

    What was finished is kept under OUT, so that an interrupted run goes on.
    """
    if llm.offline and planning != Planning.GOALS.value:
        raise click.UsageError(f"--planning {planning} needs a language model: add --llm MODEL")
    make_folder(out)
    names = tuple(name for name in ABLATIONS if name in (ablations or ABLATIONS))
    settings = Settings(data, names, orders, seed, life, embedding, limit, llm.name, llm.url, planning)
    try:
        total = count(settings)
    except DataError as error:
        raise click.ClickException(str(error)) from error
    with progress(total=total, unit="task", desc=f"eb-alfred, {len(planned(settings))} lives") as bar:
        results = run(settings, out / "lives", jobs, bar.update)
    found = figures(results)
    show(settings.planner, found)
    lost = not_answered(results)
    if lost:
        click.echo(unanswered(lost, FAILED))
    for file in write_report(out, settings.planner, life, found, results):
        click.echo(f"wrote {file}")
    if json_file is not None:
        model = {} if llm.offline else {"model": {"unanswered": lost, "readers": readers(results)}}
        write_json(
            json_file, {"planner": settings.planner, "planning": planning, "life": life, "ablations": found, **model}
        )


def show(planner: str, found: Mapping[str, Any]) -> None:
    """Print the figures beside the paper's."""
    table = Table(title=f"EB-ALFRED; planner: {planner} (in brackets: BrainMem's table 4)", padding=0)
    splits = list(next(iter(found.values()))["splits"])
    for column in ("", "SR", "±", "GC", "env", "plan", *(split.replace("_", " ") for split in splits)):
        table.add_column(column, justify="right" if column else "left")
    for name, of in found.items():
        average = of["average"]
        table.add_row(
            name,
            f"{average['sr']:.1f} ({PAPER[name]:.0f})",
            spread(of),
            f"{average['gc']:.1f}",
            f"{average['env_steps']:.1f}",
            f"{average['plan_steps']:.1f}",
            *(f"{of['splits'][split]['sr']:.0f}" for split in splits),
        )
    console = Console()
    console.print(table)
    for name, of in found.items():
        if name != "none" and (added := of["added"]):
            console.print(
                f"{name}: {added['points']:+.1f} points over none (± {added['interval']:.1f}, 95 %, n = {added['n']})",
                highlight=False,
            )
    for what, holds in checks(found).items():
        console.print(f"{'yes' if holds else 'NO '}  {what}", highlight=False)
    for what in untold(found):
        console.print(f"     {what}", highlight=False)
