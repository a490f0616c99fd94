# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench idle`: what the graph costs while nothing moves and nobody listens."""

from __future__ import annotations

import time
from pathlib import Path

import click
from rich.console import Console
from rich.status import Status
from rich.table import Table

from karma.command.log_folder import graph_in_log_folder
from karma.graph import GraphArguments
from karma_eval.command_line import json_option, write_json
from karma_ros.interrupts import deferred
from karma_ros.processor_time import processor_s

MOST_CPU = 5.0
"""Per cent of one core, all nodes together."""
MOST_MB = 600.0
"""Resident, all nodes together."""


@click.command("idle")
@click.option("--scene", default="home1", show_default=True, help="A floor plan or a home.")
@click.option("--seconds", default=60.0, show_default=True, type=click.FloatRange(1.0), help="That are measured.")
@click.option(
    "--settle", default=30.0, show_default=True, type=click.FloatRange(0.0), help="Seconds from the start until then."
)
@json_option("Write the figures there, too.")
def command(scene: str, seconds: float, settle: float, json_file: Path | None) -> int:
    """Measure processor time and memory of every node while nothing moves and nobody listens.

    Ends with status 0 when all nodes together take at most 5 % of a core and 600 MB. Memory is resident memory, in
    which each node counts what it shares with others; `pss_mb` splits that among them.
    """
    with deferred():
        from karma.supervision import running_graph
        from karma_ros.client import GraphError

    console = Console(highlight=False)
    arguments, folder = graph_in_log_folder("bench", GraphArguments(scene=scene))
    try:
        with running_graph(arguments, log_folder=folder) as graph, Status("starting", console=console) as status:
            graph.wait_active()
            status.update(f"{settle:.0f} s until it has come to rest")
            time.sleep(settle)
            status.update(f"measuring for {seconds:.0f} s")
            pids = graph.pids
            before, started = {name: processor_s(pid) for name, pid in pids.items()}, time.monotonic()
            time.sleep(seconds)
            graph.check()
            passed = time.monotonic() - started
            nodes = {
                name: {"cpu_percent": 100.0 * (processor_s(pid) - before[name]) / passed, **memory_mb(pid)}
                for name, pid in pids.items()
            }
    except GraphError as error:
        raise click.ClickException(str(error)) from error
    except FileNotFoundError as error:
        raise click.ClickException(f"a node was restarted meanwhile; see the logs in {folder}") from error
    total = {what: sum(node[what] for node in nodes.values()) for what in ("cpu_percent", "rss_mb", "pss_mb")}
    report = {"scene": scene, "seconds": passed, **total, "nodes": nodes}
    _show(console, nodes, total)
    write_json(json_file, report)
    return 0 if total["cpu_percent"] <= MOST_CPU and total["rss_mb"] <= MOST_MB else 1


def memory_mb(pid: int) -> dict[str, float]:
    """Return a process's resident memory, MB, and its share of it. FileNotFoundError where it has ended."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()[1:]
    kib = {name: float(value.split()[0]) for name, _, value in (line.partition(":") for line in lines)}
    return {"rss_mb": kib["Rss"] / 1024.0, "pss_mb": kib["Pss"] / 1024.0}


def _show(console: Console, nodes: dict[str, dict[str, float]], total: dict[str, float]) -> None:
    table = Table("node", "% of a core", "resident MB", "of which its own share")
    for name, node in (*nodes.items(), ("all", total)):
        table.add_row(name, f"{node['cpu_percent']:.1f}", f"{node['rss_mb']:.0f}", f"{node['pss_mb']:.0f}")
    console.print(table)
    console.print(f"all together may take {MOST_CPU:.0f} % of a core and {MOST_MB:.0f} MB")
