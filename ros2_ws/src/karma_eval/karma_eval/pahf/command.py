# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval pahf`: the four phases of PAHF, with each channel of feedback, both and none."""

from __future__ import annotations

from pathlib import Path

import click

from karma_eval.command_line import click_errors, data_option, json_option, out_option, write_json
from karma_eval.pahf.agent import ABLATIONS
from karma_eval.pahf.protocol import ITERATIONS, LEARNING, run
from karma_eval.pahf.report import reported
from karma_eval.pahf.scenarios import ScenarioError, load, users
from karma_eval.progress import progress
from karma_memory.preferences import Likeness
from karma_memory.recall.embedder import EmbedderError, make_embedder
from planner_node.parameters import OFFLINE


@click.command("pahf")
@data_option("Folder with data/embodied/scenarios.")
@click.option("--seed", default=1, show_default=True, help="Of the user's wordings.")
@out_option("out/eval/pahf")
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
    with click_errors(ScenarioError, EmbedderError):
        phases = load(data)
        embedder, _ = make_embedder(embedding)
    if limit:
        some = users(phases["phase1"])[:limit]
        phases = {phase: [s for s in of if s.instruction.user in some] for phase, of in phases.items()}
    tasks = sum(len(scenarios) * (ITERATIONS if phase in LEARNING else 1) for phase, scenarios in phases.items())
    with progress(total=tasks * len(ABLATIONS), unit="task", desc="pahf") as bar:
        results = run(phases, Likeness(embedder), seed=seed, progress=bar.update)
    figures = {name: {phase: of.figures() for phase, of in by_phase.items()} for name, by_phase in results.items()}
    report = reported(OFFLINE, figures, results, out)
    report.show()
    click.echo(f"wrote {report.write(out)}")
    write_json(json_file, {"planner": OFFLINE, "ablations": figures})
