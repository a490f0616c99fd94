# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench fuzz`: garbage for everything that the graph hears and reads."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import Progress as Bars

from karma.command.log_folder import new_log_folder
from karma.graph import GraphArguments
from karma_eval.command_line import click_errors, json_option, write_json
from karma_ros.interrupts import deferred

if TYPE_CHECKING:
    from karma.fuzz.outcome import Progress, Tally


@click.command("fuzz")
@click.option("--cases", default=1000, show_default=True, type=click.IntRange(1), help="For each interface.")
@click.option("--seed", default="", help="Of an earlier run, to have its cases again.")
@click.option("--only", multiple=True, help="Interfaces whose names have this in them; again for more.")
@json_option("Write what each interface came to there, too.")
def command(cases: int, seed: str, only: tuple[str, ...], json_file: Path | None) -> int:
    """Send garbage to every service, action, topic and file reader, to the page and to MCP.

    NaN, limits of numbers and times, texts of all kinds, ids of others, and valid messages and files with a change in
    them. Ends with status 0 when nothing died, hung or changed the memory, and every reader refused with its own
    error. What broke something is kept beside the logs; --seed and --only have it again.
    """
    with deferred():
        from karma_ros.client import GraphError

    console, folder, seed = Console(highlight=False), new_log_folder("fuzz"), seed or secrets.token_hex(4)
    console.print(f"seed {seed}; logs and what breaks something: {folder}")
    tallies: list[Tally] = []
    try:
        with click_errors(GraphError), Bars(console=console, transient=True) as bars:
            tasks: dict[str, Any] = {}

            def tell(name: str, done: int, total: int) -> None:
                if name not in tasks:
                    tasks[name] = bars.add_task(name, total=total)
                bars.update(tasks[name], completed=done, visible=done < total)

            for tally in everything(seed, cases, only, folder, tell):
                tallies.append(tally)
                for fault in tally.faults:
                    bars.console.print(f"[red]{tally.name}[/] {fault}", markup=True)
    finally:  # Ctrl-C, too, ends with what was found until then
        faults = sum(len(tally.faults) for tally in tallies)
        done = sum(tally.cases for tally in tallies)
        refused = sum(tally.refused for tally in tallies)
        console.print(f"{len(tallies)} interfaces, {done:,} cases, {refused:,} refused, {faults} faults; seed {seed}")
        write_json(json_file, {"seed": seed, "faults": faults, "interfaces": [asdict(t) for t in tallies]})
    if not tallies:
        raise click.UsageError(f"no interface has {' or '.join(only)} in its name")
    return 1 if faults else 0


def everything(seed: str, cases: int, only: tuple[str, ...], folder: Path, tell: Progress) -> Iterator[Tally]:
    """Fuzz what is wanted: readers of files in a process, servers of MCP, and a graph with the page."""
    from karma.fuzz.files import readers
    from karma.fuzz.graph import GraphFuzz
    from karma.fuzz.reading import fuzz_readers
    from karma.fuzz.servers import mcp, page_http, page_websocket
    from karma.supervision import running_graph

    def wanted(name: str) -> bool:
        return not only or any(part in name for part in only)

    keep = folder / "cases"
    yield from fuzz_readers([name for name in readers() if wanted(name)], seed, cases, keep, tell)
    yield from (mcp(how, folder, seed, cases, tell) for how in ("http", "stdio") if wanted(f"mcp:{how}"))
    if only and all(part.startswith(("file", "text", "mcp")) for part in only):
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = GraphArguments(
        scene="FloorPlan1", view=True, parameters=(f"view.port={port}",), database=str(folder / "memory.sqlite3")
    )
    with running_graph(arguments, log_folder=folder) as graph:
        graph.wait_active()
        with GraphFuzz(graph, seed, cases, keep, tell) as fuzz:
            for name, page in (("page:http", page_http), ("page:websocket", page_websocket)):
                if wanted(name):
                    tally = page(port, seed, cases, tell)
                    fuzz.lives(tally)
                    yield tally
            yield from fuzz.run(wanted)
            yield fuzz.at_work()
