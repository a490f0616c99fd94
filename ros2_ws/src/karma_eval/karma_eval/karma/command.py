# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval karma`: sequences of tasks with no memory, one of KARMA's memories, or both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from karma_eval.json_file import json_option, make_folder, write_json
from karma_eval.karma.judge import problems
from karma_eval.karma.measure import Figure, Metrics
from karma_eval.karma.report import LABELS, NAMES, VERDICTS, Results, checks, figures, plot, written
from karma_eval.karma.sequence import ABLATIONS, Outcome, carry_out
from karma_eval.karma.tasks import Task, TaskFileError, load_tasks, own_tasks
from karma_eval.llm import FAILED, Llm, llm_options, unanswered
from karma_eval.progress import progress
from karma_language.vocabulary import household
from karma_memory import EmbedderError
from karma_memory.recall.embedder import make_embedder
from planner_node.understand.hearing import Hearing
from sim_bridge.backend import BackendUnavailableError
from sim_bridge.household.backend import HouseholdBackend

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("karma")
@click.option(
    "--tasks",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="List of tasks in ALFRED-L's form; without it the list that comes with KARMA.",
)
@click.option("--seed", default=0, show_default=True, help="Of the simulator, and of the intervals' bootstrap.")
@click.option("--embedding", default="auto", show_default=True, help="The memory's model of meaning; lexical: words.")
@click.option("--out", default=Path("out/eval/karma"), show_default=True, type=FOLDER, help="Where the report goes.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Only the first tasks; 0: all.")
@llm_options
@json_option("Write the figures there, too.")
def command(
    file: Path | None, seed: int, embedding: str, out: Path, limit: int, llm: Llm, json_file: Path | None
) -> None:
    """Carry out sequences of household tasks, each with every choice of memories."""
    make_folder(out)
    try:
        tasks = (own_tasks() if file is None else load_tasks(file))[: limit or None]
        make_embedder(embedding)
        unjudgeable = judged(tasks)
    except (TaskFileError, EmbedderError, BackendUnavailableError) as error:
        raise click.ClickException(str(error)) from error
    answers = llm.answers(out)
    todo = [task for task in tasks if task.name not in unjudgeable]
    with progress(total=len(todo) * len(ABLATIONS), unit="run", desc="karma") as bar:
        outcomes, stopped = run(
            todo, lambda: llm.hearing(household(), answers), seed=seed, embedder=embedding, progress=bar.update
        )
    done = [task for task in tasks if task.name in unjudgeable or task.name in outcomes["both"]]
    results = Results(llm.name, tuple(done), unjudgeable, outcomes, seed, answers.left)
    measured = results.metrics()
    show(results, measured)
    if answers.left:
        click.echo(unanswered(answers.left, FAILED))
    (out / "report.md").write_text(written(results, measured, plot(measured, out)), encoding="utf-8")
    click.echo(f"report: {out / 'report.md'}")
    if json_file is not None:
        write_json(json_file, figures(results, measured))
    if stopped:
        raise click.ClickException(
            f"stopped after {len(outcomes['both'])} of {len(todo)} sequences; reported are those"
        )


def judged(tasks: Sequence[Task]) -> dict[str, tuple[str, ...]]:
    """Return the tasks that can't be judged, by name, with the reasons."""
    found = {}
    for task in tasks:
        reasons = task.problems
        if task.floor_plan:
            try:
                reasons = problems(task, HouseholdBackend(task.floor_plan).world)
            except KeyError:
                reasons = (*task.problems, f"there is no scene {task.floor_plan!r}")
        if reasons:
            found[task.name] = reasons
    return found


def run(
    tasks: Sequence[Task],
    hearing: Callable[[], Hearing],
    *,
    seed: int,
    embedder: str,
    progress: Callable[[], object],
) -> tuple[dict[str, dict[str, Outcome]], bool]:
    """Carry out tasks, each under every ablation; return the outcomes by ablation and name, and whether it was stopped.

    Stopped by Ctrl-C, it returns those of the tasks that were carried out under all.
    """
    outcomes: dict[str, dict[str, Outcome]] = {ablation: {} for ablation in ABLATIONS}
    for task in tasks:
        try:
            of_task = {}
            for ablation in ABLATIONS:
                of_task[ablation] = carry_out(task, ablation, hearing, seed=seed, embedder=embedder)
                progress()
        except KeyboardInterrupt:
            return outcomes, True
        for ablation, outcome in of_task.items():
            outcomes[ablation][task.name] = outcome
    return outcomes, False


def show(results: Results, measured: Mapping[str, Mapping[str, Metrics]]) -> None:
    """Print the figures and what is to be beaten."""
    table = Table(title=f"KARMA, {len(results.tasks)} sequences; planner: {results.planner}", padding=(0, 1))
    for column in ("memory", "kind"):
        table.add_column(column, no_wrap=True)
    for column in ("n", "unj.", *(name.upper() for name in NAMES)):
        table.add_column(column, justify="right")
    for ablation, by_kind in measured.items():
        for kind, of in by_kind.items():
            cells = [getattr(of, name) for name in NAMES]
            table.add_row(LABELS[ablation], kind, str(of.n), str(of.unjudgeable), *map(_cell, cells))
    console = Console()
    console.print(table)
    for what, holds in checks(measured).items():
        console.print(f"{VERDICTS[holds]:12}  {what}", highlight=False)
    for name, reasons in results.unjudgeable.items():
        console.print(f"unjudgeable: {name}: {'; '.join(reasons)}", highlight=False, markup=False)


def _cell(figure: Figure | None) -> str:
    return "–" if figure is None else f"{figure.value:.2f}"
