# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench view`: how well the page follows the graph, and what it costs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.status import Status
from rich.table import Table

from karma.command.client import domain_id
from karma_eval.command_line import click_errors, json_option, write_json
from karma_ros.interrupts import deferred

if TYPE_CHECKING:
    from karma_view.measuring.measure import Figures, Following

LEAST_RATE = 5.0
"""Updates a second that a viewer must see."""
MOST_IDLE = 0.15
"""Of one core, while nobody looks."""
MOST_MB = 400.0
JUDGED = 500
"""Objects up to which the limits hold."""


@click.command("view")
@click.option("--objects", type=click.IntRange(1, 20_000), multiple=True, help="In the home [default: 500, 5000].")
@click.option("--rate", default=10.0, show_default=True, type=click.FloatRange(1.0, 100.0), help="Updates a second.")
@click.option("--seconds", default=15.0, show_default=True, type=click.FloatRange(2.0), help="Of each measurement.")
@json_option("Write the figures there, too.")
def command(objects: tuple[int, ...], rate: float, seconds: float, json_file: Path | None) -> int:
    """Measure the page of ./karma view beside plain viser, on a home in which ten things move with every update.

    Processes of their own speak ROS; viewers speak the page's protocol without a browser. Ends with status 0 when, with
    up to 500 objects, viewers see at least 5 updates a second, and the page takes at most 15 % of a core while nobody
    looks and at most 400 MB.
    """
    with deferred():
        from karma_view.measuring.measure import MeasureError, measure

    console = Console(highlight=False)
    found = []
    with click_errors(MeasureError), Status("", console=console) as status:
        for count in objects or (500, 5000):
            found.append(
                measure(
                    count,
                    rate=rate,
                    seconds=seconds,
                    domain_id=domain_id(),
                    peer=True,
                    on_progress=lambda what, count=count: status.update(f"{count} objects: {what}"),  # type: ignore[misc]
                )
            )
    for figures in found:
        _show(console, figures)
    write_json(json_file, {"figures": [asdict(figures) for figures in found]})
    return 0 if all(_is_good(figures) for figures in found if figures.objects <= JUDGED) else 1


def _is_good(figures: Figures) -> bool:
    followed = min(figures.alone.rate, figures.crowd.rate)
    most = max(figures.idle.mb, figures.alone.cost.mb, figures.crowd.cost.mb)
    return followed >= LEAST_RATE and figures.idle.cpu <= MOST_IDLE and most <= MOST_MB


def _show(console: Console, figures: Figures) -> None:
    title = f"{figures.objects} objects, {figures.published:g} updates a second"
    table = Table("", "updates/s", "late, p50 ms", "p99 ms", "of a core", "MB", title=title)
    table.add_row("nobody looks", "", "", "", f"{figures.idle.cpu:.0%}", f"{figures.idle.mb:.0f}")
    rows: list[tuple[str, Following | None]] = [
        ("one viewer", figures.alone),
        ("ten, and one that doesn't read", figures.crowd),
        ("plain viser, one viewer", figures.peer),
    ]
    for name, seen in rows:
        if seen is not None:
            late = f"{seen.p50_ms:.0f}", f"{seen.p99_ms:.0f}"
            table.add_row(name, f"{seen.rate:.1f}", *late, f"{seen.cost.cpu:.0%}", f"{seen.cost.mb:.0f}")
    console.print(table)
