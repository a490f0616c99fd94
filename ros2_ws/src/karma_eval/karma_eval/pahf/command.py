# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval pahf`: the four phases of PAHF, with each channel of feedback, both and none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from karma_eval.json_file import json_option, make_folder, write_json
from karma_eval.pahf.agent import ABLATIONS
from karma_eval.pahf.protocol import ITERATIONS, LEARNING, run
from karma_eval.pahf.report import LABELS, PAPER, checks, write_report
from karma_eval.pahf.scenarios import ScenarioError, load, users
from karma_eval.progress import progress
from karma_memory.preferences import Likeness
from karma_memory.recall.embedder import EmbedderError, make_embedder
from planner_node.parameters import OFFLINE

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("pahf")
@click.option("--data", required=True, type=FOLDER, help="Folder with data/embodied/scenarios.")
@click.option("--seed", default=1, show_default=True, help="Of the user's wordings.")
@click.option("--out", default=Path("out/eval/pahf"), show_default=True, type=FOLDER, help="Where the report goes.")
@click.option("--embedding", default="minilm", show_default=True, help="Model for likeness; lexical: words only.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Only the first users; 0: all.")
@json_option("Write the figures there, too.")
def command(
    data: Path,
    seed: int,
    out: Path,
    embedding: str,
    limit: int,
    json_file: Path | None,
) -> None:
    """Learn what users prefer by asking and from corrections, and follow them when they change their mind."""
    make_folder(out)
    try:
        phases = load(data)
        embedder, _ = make_embedder(embedding)
    except (ScenarioError, EmbedderError) as error:
        raise click.ClickException(str(error)) from error
    if limit:
        some = users(phases["phase1"])[:limit]
        phases = {phase: [s for s in of if s.instruction.user in some] for phase, of in phases.items()}
    tasks = sum(len(scenarios) * (ITERATIONS if phase in LEARNING else 1) for phase, scenarios in phases.items())
    with progress(total=tasks * len(ABLATIONS), unit="task", desc="pahf") as bar:
        results = run(phases, Likeness(embedder), seed=seed, progress=bar.update)
    figures = {name: {phase: of.figures() for phase, of in by_phase.items()} for name, by_phase in results.items()}
    show(OFFLINE, figures)
    for file in write_report(out, OFFLINE, figures, results):
        click.echo(f"wrote {file}")
    if json_file is not None:
        write_json(json_file, {"planner": OFFLINE, "ablations": figures})


def show(planner: str, figures: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    """Print the figures beside the paper's."""
    table = Table(title=f"PAHF, embodied; planner: {planner} (in brackets: the paper's GPT-4o)", padding=0)
    for column in ("", "phase 1", "phase 2", "phase 3", "phase 4", "FF", "ACPE"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for name, of in figures.items():
        first, third = (" ".join(f"{i['sr']:.0f}" for i in of[phase]["iterations"]) for phase in LEARNING)
        before, after = PAPER[name]
        table.add_row(
            LABELS[name],
            first,
            f"{of['phase2']['sr']:.1f} ({before})",
            third,
            f"{of['phase4']['sr']:.1f} ({after})",
            *(" ".join(f"{of[phase][key]:.0f}" for phase in LEARNING) for key in ("ff", "acpe")),
        )
    console = Console()
    console.print(table)
    for what, holds in checks(figures).items():
        console.print(f"{'yes' if holds else 'NO '}  {what}", highlight=False)
