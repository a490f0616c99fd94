# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench soak`: weeks of a household in an hour, with faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Column, Table

from karma.command.log_folder import graph_in_log_folder
from karma.graph import GraphArguments
from karma_eval.command_line import ANY_FILE, json_option, write_json
from karma_eval.llm import Llm, llm_options
from karma_ros.interrupts import deferred


@click.command("soak")
@click.option("--scene", default="home1", show_default=True, help="A floor plan or a home.")
@click.option("--days", default=56, show_default=True, type=click.IntRange(1), help="Simulated ones.")
@click.option("--hours", default=6.0, show_default=True, type=click.FloatRange(0.01), help="After which it ends, too.")
@click.option("--faults", default=6, show_default=True, type=click.IntRange(0), help="On each day.")
@click.option("--seed", default=0, show_default=True, help="Of what people do and of what goes wrong.")
@llm_options
@click.option("--plot", type=ANY_FILE, help="Draw the days to this PNG file.")
@json_option("Write all that was seen there, too; also after Ctrl-C.")
def command(
    scene: str, days: int, hours: float, faults: int, seed: int, llm: Llm, plot: Path | None, json_file: Path | None
) -> int:
    """Live through weeks of a household in an hour, with faults, and say whether the graph holds.

    Four people instruct, ask and tell. Nodes are killed and frozen, the disk is full, the clock is set forth and back,
    the network is cut for 30 s, a page of the database is corrupt, and with --llm the model goes away. Nothing is
    simulated but the hours in which nothing happens: the nodes' wall clock is set forward.

    Ends with status 0 when nothing is lost that was acknowledged, all is well again 10 s after each fault, each outage
    was told, and memory, threads, files, DDS endpoints and latencies are shown to be flat: the upper end of the 95 %
    interval is below a tenth. In the last quarter of the days no process ends, so that what leaks adds up. Latencies
    are compared with those of a second graph, to which nothing happens: the machine's own speed changes meanwhile.
    """
    with deferred():
        from karma.soak.machine import NoCompilerError
        from karma.soak.plot import plot_soak
        from karma.soak.run import Plan, Record, soak
        from karma_ros.client import GraphError

    console = Console(highlight=False)
    _, folder = graph_in_log_folder("soak", GraphArguments(scene=scene, llm=llm.name, llm_url=llm.url))
    plan, record = Plan(scene, days, hours, faults, seed), Record()
    trouble = ""
    try:
        with Status("starting", console=console) as status:
            soak(plan, folder, llm=llm.name, llm_url=llm.url, record=record, say=status.update)
    except KeyboardInterrupt:
        trouble = "interrupted"
    except (GraphError, NoCompilerError) as error:
        trouble = f"{error} (logs: {folder})"
    report: dict[str, Any] = {**record.report(plan), "trouble": trouble}
    report["passed"] = report["passed"] and not trouble
    write_json(json_file, report)
    if plot is not None and record.days:
        plot_soak(report, plot)
    _show(console, report)
    return 0 if report["passed"] else 1


def _show(console: Console, report: dict[str, Any]) -> None:
    table = Table(Column(no_wrap=True), "a week", Column("95 %", no_wrap=True), "in all")
    for name, slope in report["slopes_per_week"].items():
        interval = f"{slope['low']:+.2f} to {slope['high']:+.2f}"
        table.add_row(name, f"{slope['per_week']:+.2f}", interval, f"{100 * slope['growth']:+.1f} %")
    console.print(table)
    for fault in report["each_fault"]:
        back = fault["back_s"]
        if back is None or back > 10.0 or (fault["tells"] and not fault["told"]):
            came = "never" if back is None else f"after {back:.1f} s"
            console.print(
                f"day {fault['day'] + 1}, {fault['fault']}: back {came}; told: {escape(fault['told'] or 'nothing')}"
            )
    console.print(
        f"{report['days']} days and {report['faults']} faults in {report['seconds'] / 60:.0f} min: {report['lost']} of "
        f"{report['acknowledged']} acknowledged events lost, {report['not_back']} times not back in 10 s, "
        f"{report['untold']} of {report['outages']} outages not told, {len(report['defects'])} defects, "
        f"not shown to be flat: {', '.join(report['not_flat']) or 'nothing'}"
    )
    for trouble in filter(None, (*report["defects"], report["trouble"])):
        console.print(f"[red]{escape(trouble)}[/]")
