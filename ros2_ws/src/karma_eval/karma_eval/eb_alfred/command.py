# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval eb-alfred`: EB-ALFRED's tasks with BrainMem's memories, one after the other switched on."""

from __future__ import annotations

from pathlib import Path

import click

from karma_eval.command_line import click_errors, data_option, json_option, out_option, write_json
from karma_eval.eb_alfred.life import ABLATIONS
from karma_eval.eb_alfred.measure import LIVES, Settings, count, figures, not_answered, planned, readers, run
from karma_eval.eb_alfred.report import reported
from karma_eval.eb_alfred.tasks import DataError
from karma_eval.llm import Llm, llm_options
from karma_eval.progress import progress
from planner_node.act.reasoning import Planning


@click.command("eb-alfred")
@data_option("Folder with splits/ and json_2.1.0/.")
@out_option("out/eval/eb-alfred")
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
    names = tuple(name for name in ABLATIONS if name in (ablations or ABLATIONS))
    settings = Settings(data, names, orders, seed, life, embedding, limit, llm, planning)
    with click_errors(DataError):
        total = count(settings)
    with progress(total=total, unit="task", desc=f"eb-alfred, {len(planned(settings))} lives") as bar:
        results = run(settings, out / "lives", jobs, bar.update)
    found = figures(results)
    report = reported(llm.name, life, found, results)
    report.show()
    click.echo(f"wrote {report.write(out)}")
    model = {} if llm.offline else {"model": {"unanswered": not_answered(results), "readers": readers(results)}}
    about = {"planner": llm.name, "planning": planning, "life": life}
    write_json(json_file, {**about, "ablations": found, **model})
