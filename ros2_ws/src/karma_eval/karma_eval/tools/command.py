# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench tools`: the memory's tools for language models beside emem's ten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np

from karma_eval.emem_peer import available
from karma_eval.json_file import json_option, write_json
from karma_eval.tools.measure import START, Answer, ask, definitions, start


@click.command("tools")
@click.option("--days", default=5, show_default=True, type=click.IntRange(1), help="Days, each asked about by itself.")
@click.option("--seed", default=1, show_default=True, help="Another one makes other days.")
@click.option("--embedder", default="auto", show_default=True, help="Of both; as the parameter of the memory server.")
@click.option("--peer/--no-peer", default=True, help="Ask emem, too.")
@click.option("--list", "listed", is_flag=True, help="Print every answer, with the tool.")
@json_option("Write the figures there, too.")
def command(days: int, seed: int, embedder: str, peer: bool, listed: bool, json_file: Path | None) -> None:
    """Let the memory's tools and emem's ten answer the same questions about the same days of a robot."""
    if peer and not available():
        click.echo("emem is not installed: no peer (./karma bench installs it)", err=True)
        peer = False
    answers = ask(days, seed, embedder, peer=peer)
    if listed:
        for name, one in ((name, one) for name, given in answers.items() for one in given):
            verdict = "right" if one.right else "right further down" if one.anywhere else "not right"
            outdated = ", outdated beside" if one.outdated else ""
            click.echo(f"{name} {one.tool} ({one.job}): {verdict}{outdated}\n{one.text}\n")
    report = {
        "days": days,
        "seed": seed,
        "embedder": embedder,
        "start": {name: asdict(start(name)) for name in START if peer or name in answers},
        "definitions_tokens": definitions(peer=peer),
        "memories": {name: _figures(given) for name, given in answers.items()},
    }
    _show(report)
    if json_file is not None:
        write_json(json_file, report)


def _figures(answers: Sequence[Answer]) -> dict[str, Any]:
    jobs = dict.fromkeys(one.job for one in answers)
    return {"all": _of(answers), "jobs": {job: _of([one for one in answers if one.job == job]) for job in jobs}}


def _of(answers: Sequence[Answer]) -> dict[str, Any]:
    return {
        "tools": [*dict.fromkeys(one.tool for one in answers)],
        "questions": len(answers),
        "right": sum(one.right for one in answers),
        "right_anywhere": sum(one.anywhere for one in answers),
        "right_and_current": sum(one.right and not one.outdated for one in answers),
        "tokens": sum(one.tokens for one in answers) / len(answers),
        "ms_p50": float(np.median([one.seconds for one in answers])) * 1000,
    }


def _show(report: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    memories = report["memories"]
    table = Table(title=f"{memories['karma']['all']['questions']} questions about {report['days']} days")
    table.add_column("tool")
    for column in ("right", "current", "anywhere", "tokens", "ms"):
        table.add_column(column, justify="right")
    for job in [*memories["karma"]["jobs"], ""]:
        for name, figures in reversed(memories.items()):
            of = figures["jobs"][job] if job else figures["all"]
            table.add_row(
                f"{name} {', '.join(of['tools']) if job else 'all'}",
                *(f"{of[key]}/{of['questions']}" for key in ("right", "right_and_current", "right_anywhere")),
                f"{of['tokens']:.0f}",
                f"{of['ms_p50']:.2f}",
            )
        table.add_section()
    Console().print(table)
    click.echo("right: the first 3 lines hold the answer; current: and nothing that is not so any more.")
    click.echo("anywhere: any line holds it. tokens, ms: of a whole answer, mean and median.")
    for name, began in report["start"].items():
        right = "right" if began["right"] else "not found"
        click.echo(f"Quick start of {name}: {began['lines']} lines, {right}, {began['seconds']:.1f} s")
    for name, tokens in report["definitions_tokens"].items():
        click.echo(f"Definitions of {name}'s tools: {tokens} tokens")
