# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench ros`: what the running graph adds to the memory's own time."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from karma.command.log_folder import graph_in_log_folder
from karma.graph import GraphArguments
from karma_eval.command_line import click_errors, json_option, write_json
from karma_ros.interrupts import deferred

LONGEST_START_S = 10.0
"""What bring-up may take."""


@click.command("ros")
@click.option("--scene", default="FloorPlan1", show_default=True, help="A floor plan or a home.")
@click.option("--told", default=1000, show_default=True, type=click.IntRange(1), help="Statements in the memory.")
@click.option("--count", default=1000, show_default=True, type=click.IntRange(1000), help="Round trips of each kind.")
@json_option("Write the figures there, too.")
def command(scene: str, told: int, count: int, json_file: Path | None) -> int:
    """Bring-up, and round trips of memory/recall through the whole graph beside a bare std_srvs/Trigger.

    Ends with status 0 when a recall takes at most twice the bare service plus the memory's own time, and bring-up at
    most ten seconds.
    """
    with deferred():
        from karma.supervision import running_graph
        from karma_eval.ros.round_trips import NoAnswerError, measure
        from karma_ros.client import GraphError

    console = Console(highlight=False)
    arguments, folder = graph_in_log_folder("bench", GraphArguments(scene=scene))
    started = time.monotonic()
    with (
        click_errors(GraphError, NoAnswerError),
        running_graph(arguments, log_folder=folder) as graph,
        Progress(console=console, transient=True) as progress,
    ):
        graph.wait_active()
        bring_up = time.monotonic() - started
        tasks: dict[str, Any] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total)
            progress.update(tasks[what], completed=done)

        trips = measure(graph.domain_id, told=told, count=count, on_progress=show)
    report = {
        "bring_up_s": bring_up,
        "told": told,
        "trigger_ms": asdict(trips.trigger),
        "recall_ms": asdict(trips.recall),
        "library_ms": asdict(trips.library),
        "allowed_ms": trips.allowed_ms,
    }
    _show(console, report)
    write_json(json_file, report)
    return 0 if trips.recall.p50 <= trips.allowed_ms and bring_up <= LONGEST_START_S else 1


def _show(console: Console, report: dict[str, Any]) -> None:
    table = Table("", "p50 ms", "p99 ms")
    for name, key in (
        ("bare std_srvs/Trigger", "trigger_ms"),
        ("memory/recall", "recall_ms"),
        ("of which the memory itself", "library_ms"),
    ):
        table.add_row(name, *(f"{report[key][p]:.2f}" for p in ("p50", "p99")))
    console.print(table)
    console.print(f"a recall may take {report['allowed_ms']:.2f} ms: twice the bare service, and the memory's own time")
    console.print(f"all nodes active after {report['bring_up_s']:.1f} s, of {LONGEST_START_S:.0f} s allowed")
