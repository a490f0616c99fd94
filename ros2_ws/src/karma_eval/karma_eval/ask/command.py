# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval ask`: questions about simulated days in homes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from karma_eval.ask import latency
from karma_eval.ask.judge import Verdict
from karma_eval.ask.measure import DAYS, HOMES, Case, cases
from karma_eval.ask.report import figures, reported, written
from karma_eval.ask.wordings import WordingFileError, load
from karma_eval.command_line import FILE, click_errors, json_option, out_option, write_json
from karma_eval.emem_peer import available
from karma_eval.progress import progress

SEED = 20


@click.command("ask")
@click.option(
    "--wordings",
    "file",
    type=FILE,
    help="Wordings by kind, as JSON (docs/evaluation.md); kinds that it lacks are asked in KARMA's own.",
)
@click.option("--seed", default=SEED, show_default=True, type=int, help="Of homes, days and questions.")
@click.option("--peer/--no-peer", default=True, help="Ask emem beside it.")
@click.option("--latency/--no-latency", "timed", default=True, help="Measure how long answers take, too.")
@click.option("--list", "listed", is_flag=True, help="Print every question that was not answered rightly.")
@out_option("out/eval/ask")
@json_option("Write the figures there, too; with --list also every case.")
def command(
    file: Path | None, seed: int, peer: bool, timed: bool, listed: bool, out: Path, json_file: Path | None
) -> None:
    """Ask about simulated days in homes; judge the answers by what the robot could know, beside emem's."""
    with click_errors(WordingFileError):
        wordings = load(file)
    if peer and not available():
        click.echo(
            "emem is not installed: no peer (any ./karma bench installs it: ./karma bench memory --n 100)", err=True
        )
        peer = False
    found: list[Case] = []
    stopped = False
    with (
        progress(total=HOMES * DAYS, unit="days", desc="ask") as bar,
        closing(cases(wordings, seed=seed, peer=peer, on_day=bar.update)) as asked,
    ):
        try:
            found.extend(asked)
        except KeyboardInterrupt:
            stopped = True
    if not found:
        raise click.ClickException("stopped before anything was asked")
    ms, curve = None, []
    if timed and not stopped:
        with click_errors(RuntimeError):
            ms, curve = latency.over_ros(), latency.curve()
    report = figures(found, seed=seed, ms=ms, curve=curve)
    if listed:
        for case in found:
            if case.verdict is not Verdict.RIGHT:
                one = case.asking
                said = f"{one.words} → {case.answer} ({', '.join(case.faults)})"
                click.echo(f"{one.kind:10} {case.verdict.value:8} {one.user}: {said}")
    shown = reported(report, out)
    shown.show()
    click.echo(f"wrote {shown.write(out)}")
    write_json(json_file, {**report, "cases": [written(case) for case in found]} if listed else report)
    if stopped:
        raise click.ClickException(f"stopped after {len(found)} questions; reported are those")
