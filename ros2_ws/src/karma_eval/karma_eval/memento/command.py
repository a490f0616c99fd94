# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval memento`: retrieval of past episodes, the task with and without memory, and the profile under noise."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from karma_eval.cache.household import write_trace
from karma_eval.json_file import json_option, make_folder, write_json
from karma_eval.memento import noise, retrieval, running, task_report
from karma_eval.memento.accesses import household_trace
from karma_eval.memento.embedding import CachedEmbedder
from karma_eval.memento.report import (
    NOISE_PAPER,
    NOISE_TARGETS,
    TARGETS,
    noise_section,
    plot_missing,
    retrieval_section,
    write_report,
)
from karma_eval.memento.task_data import Memento, MementoError, first, load
from karma_eval.progress import progress
from karma_memory.recall.embedder import Embedder, EmbedderError, make_embedder

FOLDER = click.Path(file_okay=False, path_type=Path)
PLANNER = "offline"


@dataclass(frozen=True)
class Part:
    """One part of the evaluation: its figures for the JSON, and its section of the report."""

    figures: Mapping[str, Any]
    section: str


@click.command("memento")
@click.option("--data", required=True, type=FOLDER, help="Folder with data/datasets and data/memory, as upstream's.")
@click.option("--out", default=Path("out/eval/memento"), show_default=True, type=FOLDER, help="Where the report goes.")
@click.option("--embedding", default="minilm", show_default=True, help="Model for likeness; lexical: words only.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Only the first scenes; 0: all.")
@json_option("Write the figures there, too.")
def command(
    data: Path,
    out: Path,
    embedding: str,
    limit: int,
    json_file: Path | None,
) -> None:
    """Remember what is whose and how people like it, and find it again when they only hint at it."""
    make_folder(out)
    try:
        memento = first(load(data), limit)
        model, _ = make_embedder(embedding)
    except (MementoError, EmbedderError) as error:
        raise click.ClickException(str(error)) from error
    embedder = None if model is None else CachedEmbedder(model)
    console = Console() if Console().is_terminal else Console(width=120)
    try:
        with tempfile.TemporaryDirectory(prefix="karma-memento-") as folder:
            memory = Path(folder) / "memory.sqlite3"
            parts = [
                evaluate_retrieval(memento, embedder, out, console),
                evaluate_task(memento, embedder, memory, out, console),
                evaluate_running(memento, embedding, console),
                evaluate_noise(embedder, console),
            ]
    except MementoError as error:
        raise click.ClickException(str(error)) from error
    report = write_report(out, [part.section for part in parts])
    click.echo(f"wrote {report}")
    if json_file is not None:
        figures = {key: value for part in parts for key, value in part.figures.items()}
        write_json(json_file, {"planner": "offline", **figures})


def evaluate_retrieval(data: Memento, embedder: Embedder | None, out: Path, console: Console) -> Part:
    """Measure retrieval, and what each signal adds."""
    single, joint = (retrieval.questions(data.stages[stage]) for stage in ("single", "joint"))
    total = len(single) * (1 + len(retrieval.SIGNALS)) + len(joint)
    with progress(total=total, unit="question", desc="retrieval") as bar:
        answers = {
            "single memory": retrieval.ask(data, single, embedder, tick=bar.update),
            "two memories": retrieval.ask(data, joint, embedder, tick=bar.update),
        }
        studied = retrieval.study(data, embedder, retrieval.SIGNALS, bar.update)
    main = {name: retrieval.figures(some) for name, some in answers.items()}
    studies = {name: retrieval.figures(some) for name, some in studied.items()}
    least = {name: max((len(answer.question.gold) for answer in some), default=1) for name, some in answers.items()}
    rows = [
        [
            name,
            str(of["n"]),
            *(f"{of['missing_at'][str(k)]:.2f}" if k >= least.get(name, 1) else "" for k in retrieval.TOP),
        ]
        for name, of in main.items()
    ]
    rows.append(["to beat", "", *(f"≤ {TARGETS[str(k)]:g}" for k in retrieval.TOP)])
    header = ["missing, %", "n", *(f"@{k}" for k in retrieval.TOP)]
    _show(console, "MEMENTO: retrieval, no language model", header, rows)
    first = answers["single memory"]
    plot_missing(studies, out / "retrieval.png")
    figures = {
        **main["single memory"],
        "by_type": retrieval.by_kind(first),
        "by_scene": retrieval.by_scene(first),
        "others": {name: of for name, of in main.items() if name != "single memory"},
        "signals": studies,
    }
    return Part({"retrieval": figures}, retrieval_section(main, studies, first))


def evaluate_task(data: Memento, embedder: Embedder | None, memory: Path, out: Path, console: Console) -> Part:
    """Live through all episodes with memory, which stays in the file `memory`, and without."""
    with progress(total=2 * sum(map(len, data.stages.values())), unit="episode", desc="task") as bar:
        results = task_report.evaluate_task(data, embedder, memory, lambda: bar.update())
    _show(console, f"MEMENTO: the task, planner: {PLANNER}", task_report.HEADER, results.rows())
    task_report.plot(results, out / "task.png")
    trace = household_trace(outcome for outcomes in results.remembering.values() for outcome in outcomes)
    write_trace(trace, out / f"{trace.name}.trace")
    section = f"The robot named objects {len(trace.keys)} times: {trace.name}.trace, for `./karma bench cache --trace`."
    return Part(results.figures(), f"{results.section()}\n\n{section}")


def evaluate_running(data: Memento, embedding: str, console: Console) -> Part:
    """Live through all episodes with the planner and the memory that run on a robot."""
    total = sum(map(len, data.stages.values())) + sum(len(data.stages[stage]) for stage in ("single", "joint"))
    with progress(total=total, unit="episode", desc="running planner") as bar:
        results = running.evaluate(data, embedding, lambda: bar.update())
    _show(console, f"MEMENTO: the task by the running planner, planner: {PLANNER}", running.HEADER, results.rows())
    return Part({"running": results.figures()}, results.section())


def evaluate_noise(embedder: Embedder | None, console: Console) -> Part:
    """Measure the profile's decisions under noise."""
    found = {
        "knowledge_update": noise.knowledge_updates(embedder),
        "node_reference": noise.node_references(embedder),
    }
    scores = {name: noise.score(references) for name, references in found.items()}
    rows = [
        [name, str(len(found[name])), f"{score:.1f}", f"{NOISE_PAPER[name]:g}", f"≥ {NOISE_TARGETS[name]:g}"]
        for name, score in scores.items()
    ]
    _show(console, "MEMENTO: profile noise, tables 24 and 25", ["right, %", "n", "", "paper", "to beat"], rows)
    rounded = {name: round(score, 2) for name, score in scores.items()}
    return Part({"profile_noise": rounded}, noise_section(found, scores))


def _show(console: Console, title: str, header: list[str], rows: list[list[str]]) -> None:
    table = Table(title=title)
    for column in header:
        table.add_column(column, justify="left" if column == header[0] else "right")
    for row in rows:
        table.add_row(*row)
    console.print(table)
