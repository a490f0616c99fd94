# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval karma`: sequences of tasks with no memory, one of KARMA's memories, or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from karma_eval.command_line import FILE, click_errors, json_option, out_option, write_json
from karma_eval.karma.judge import problems
from karma_eval.karma.report import Results, figures, reported
from karma_eval.karma.sequence import ABLATIONS, Outcome, carry_out
from karma_eval.karma.tasks import Task, TaskFileError, load_tasks, own_tasks
from karma_eval.llm import Llm, llm_options
from karma_eval.progress import progress
from karma_language.vocabulary import household
from karma_memory import EmbedderError
from karma_memory.recall.embedder import make_embedder
from planner_node.understand.hearing import Hearing
from sim_bridge.backend import BackendUnavailableError
from sim_bridge.household.backend import HouseholdBackend


@click.command("karma")
@click.option(
    "--tasks",
    "file",
    type=FILE,
    help="List of tasks in ALFRED-L's form; without it the list that comes with KARMA.",
)
@click.option("--seed", default=0, show_default=True, help="Of the simulator, and of the intervals' bootstrap.")
@click.option("--embedding", default="auto", show_default=True, help="The memory's model of meaning; lexical: words.")
@out_option("out/eval/karma")
@click.option("--limit", default=0, type=click.IntRange(0), help="Only the first tasks; 0: all.")
@llm_options
@json_option("Write the figures there, too.")
def command(
    file: Path | None, seed: int, embedding: str, out: Path, limit: int, llm: Llm, json_file: Path | None
) -> None:
    """Carry out sequences of household tasks, each with every choice of memories."""
    with click_errors(TaskFileError, EmbedderError, BackendUnavailableError):
        tasks = (own_tasks() if file is None else load_tasks(file))[: limit or None]
        make_embedder(embedding)
        unjudgeable = judged(tasks)
    answers = llm.answers(out)
    todo = [task for task in tasks if task.name not in unjudgeable]
    with progress(total=len(todo) * len(ABLATIONS), unit="run", desc="karma") as bar:
        outcomes, stopped = run(
            todo, lambda: llm.hearing(household(), answers), seed=seed, embedder=embedding, progress=bar.update
        )
    done = [task for task in tasks if task.name in unjudgeable or task.name in outcomes["both"]]
    results = Results(llm.name, tuple(done), unjudgeable, outcomes, seed, answers.left)
    measured = results.metrics()
    report = reported(results, measured)
    report.show()
    click.echo(f"wrote {report.write(out)}")
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
