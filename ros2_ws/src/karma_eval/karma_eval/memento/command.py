# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval memento`: retrieval of past episodes, the task with and without memory, and the profile under noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from karma_eval.cache.household import write_trace
from karma_eval.command_line import click_errors, data_option, json_option, out_option, write_json
from karma_eval.embedding import CachedEmbedder
from karma_eval.memento import noise, retrieval, running, task_report
from karma_eval.memento.accesses import household_trace
from karma_eval.memento.report import SINGLE, say_noise, say_retrieval
from karma_eval.memento.task_data import Memento, MementoError, first, load
from karma_eval.progress import progress
from karma_eval.report import Report
from karma_memory.recall.embedder import Embedder, EmbedderError, make_embedder
from planner_node.parameters import OFFLINE


@click.command("memento")
@data_option("Folder with data/datasets and data/memory, as upstream's.")
@out_option("out/eval/memento")
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
    with click_errors(MementoError, EmbedderError):
        memento = first(load(data), limit)
        model, _ = make_embedder(embedding)
    embedder = None if model is None else CachedEmbedder(model)
    report = Report("MEMENTO")
    with click_errors(MementoError):
        figures = {
            "planner": OFFLINE,
            "retrieval": evaluate_retrieval(memento, embedder, report),
            **evaluate_task(memento, embedder, out, report),
            "running": evaluate_running(memento, embedding, report),
            "profile_noise": evaluate_noise(embedder, report),
        }
    report.show()
    click.echo(f"wrote {report.write(out)}")
    write_json(json_file, figures)


def evaluate_retrieval(data: Memento, embedder: Embedder | None, report: Report) -> dict[str, Any]:
    """Measure retrieval, and what each signal adds."""
    single, joint = (retrieval.questions(data.stages[stage]) for stage in ("single", "joint"))
    total = len(single) * (1 + len(retrieval.SIGNALS)) + len(joint)
    with progress(total=total, unit="question", desc="retrieval") as bar:
        answers = {
            SINGLE: retrieval.ask(data, single, embedder, tick=bar.update),
            "two memories": retrieval.ask(data, joint, embedder, tick=bar.update),
        }
        studied = retrieval.study(data, embedder, bar.update)
    say_retrieval(report, answers, studied)
    return {
        **retrieval.figures(answers[SINGLE]),
        "by_type": retrieval.by(answers[SINGLE], lambda asked: asked.kind),
        "by_scene": retrieval.by(answers[SINGLE], lambda asked: asked.scene),
        "others": {name: retrieval.figures(some) for name, some in answers.items() if name != SINGLE},
        "signals": {name: retrieval.figures(some) for name, some in studied.items()},
    }


def evaluate_task(data: Memento, embedder: Embedder | None, out: Path, report: Report) -> dict[str, Any]:
    """Live through all episodes with memory and without."""
    with progress(total=2 * sum(map(len, data.stages.values())), unit="episode", desc="task") as bar:
        results = task_report.evaluate_task(data, embedder, bar.update)
    results.say(report)
    trace = household_trace(outcome for outcomes in results.remembering.values() for outcome in outcomes)
    write_trace(trace, out / f"{trace.name}.trace")
    report.add(
        f"The robot named objects {len(trace.keys)} times: {trace.name}.trace, for `./karma bench cache --trace`."
    )
    return results.figures()


def evaluate_running(data: Memento, embedding: str, report: Report) -> dict[str, Any]:
    """Live through all episodes with the planner and the memory that run on a robot."""
    total = sum(map(len, data.stages.values())) + sum(len(data.stages[stage]) for stage in ("single", "joint"))
    with progress(total=total, unit="episode", desc="running planner") as bar:
        results = running.evaluate(data, embedding, bar.update)
    results.say(report)
    return results.figures()


def evaluate_noise(embedder: Embedder | None, report: Report) -> dict[str, float]:
    """Measure the profile's decisions under noise."""
    found = {
        "knowledge_update": noise.knowledge_updates(embedder),
        "node_reference": noise.node_references(embedder),
    }
    scores = {name: noise.score(references) for name, references in found.items()}
    say_noise(report, found, scores)
    return {name: round(score, 2) for name, score in scores.items()}
