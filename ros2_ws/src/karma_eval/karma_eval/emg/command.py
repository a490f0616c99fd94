# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval emg`: an editable memory graph over four weeks of a generated stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from karma_eval.command_line import json_option, out_option, write_json
from karma_eval.emg.living import make_stream
from karma_eval.emg.measure import Method, measure
from karma_eval.emg.people import people
from karma_eval.emg.report import OURS, TARGET, TARGET_MS, figures, plot
from karma_eval.emg.train import lessons, train, training_stream
from karma_eval.emg.wordings import wordings
from karma_eval.progress import progress
from karma_eval.report import Report
from karma_memory.facts.encoder import LexicalEncoder
from karma_memory.facts.policy import ThresholdPolicy

SEED = 11
NETWORK, TOP, TOP_UNEDITED = "the paper's network", "top 3", "top 10 without edits"
UNEDITED, UNEDITED_FIRST = "without edits, newest wins", "without edits, most alike wins"
ROOT, ALONE, WARM, GRADIENT = "from the root", "top-K activates alone", "warm start only", "REINFORCE only"


@click.command("emg")
@click.option("--users", default=20, show_default=True, type=click.IntRange(min=1))
@click.option("--seed", default=SEED, show_default=True, type=int, help="Of the stream; training has another.")
@click.option(
    "--wordings",
    "said",
    default="held-out",
    show_default=True,
    type=click.Choice(("fresh", "held-out")),
    help="In which words people tell and ask.",
)
@out_option("out/eval/emg")
@json_option("Write the figures there, too.")
def command(users: int, seed: int, said: str, out: Path, json_file: Path | None) -> None:
    """EMG-RAG: insertions, expiries and replacements over four weeks; questions that need one to three memories."""
    methods = contestants()
    stream = make_stream(seed, people("held-out"), wordings(said), users=users)
    with progress(total=len(stream.asked), unit="questions", desc="emg") as bar:
        results = measure(stream, LexicalEncoder(), methods, bar.update)
    report = figures(results, stream, wordings=said, users=users, seed=seed)
    shown = reported(report)
    for file in plot(report, out, (OURS, NETWORK, TOP, TOP_UNEDITED, UNEDITED)):
        shown.picture(file)
    shown.show()
    click.echo(f"wrote {shown.write(out)}")
    write_json(json_file, report)


def contestants() -> list[Method]:
    """Return the memory as it runs, what it is compared with, and the paper's policies, which are trained here."""
    policy = ThresholdPolicy()
    taught = lessons(training_stream(), LexicalEncoder())
    return [
        Method(OURS, policy),
        Method(NETWORK, train(taught)),
        Method(TOP, k=3),
        Method("top 10", k=10),
        Method(TOP_UNEDITED, k=10, editing=False, newest=False),
        Method(UNEDITED, policy, editing=False),
        Method(UNEDITED_FIRST, policy, editing=False, newest=False),
        Method(ROOT, policy, from_root=True),
        Method(WARM, train(taught, episodes=0)),
        Method(GRADIENT, train(taught, warm=False)),
        *(Method(f"{ALONE}, K = {k}", policy, k=k, linked=False) for k in (1, 3, 5)),
    ]


def reported(report: dict[str, Any]) -> Report:
    """Return the figures for people."""
    title = f"EMG-RAG: {report['questions']} questions, {report['wordings']} wordings; percent"
    shown = Report(title)
    weeks = list(report["methods"][OURS]["weeks"])
    rows = []
    for name, m in report["methods"].items():
        cells = [*(m["weeks"][week] for week in weeks), m["exact_match"], m["precision"], m["recall"]]
        rows.append([name, *(f"{cell:.1f}" for cell in cells), f"{m['ms_per_question']:.2f}"])
    head = ["method", *(f"week {week}" for week in weeks), "all", "precision", "recall", "ms"]
    shown.table(title, head, rows)
    shown.say(f"To beat: ≥ {TARGET:g} exact match, < {TARGET_MS:g} ms a question without the embedding.")
    return shown
