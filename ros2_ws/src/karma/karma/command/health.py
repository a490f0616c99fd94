# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma health`: whether the running graph works, for people, containers and service managers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click
from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from karma.command.client import connected, namespace_option
from karma_ros import MANAGER
from karma_ros.interrupts import deferred

if TYPE_CHECKING:
    from karma_ros.diagnostics_watch import DiagnosticsWatch

TIMEOUT_S = 10.0
HEAR_S = 5.0
"""For all nodes to say how they are; each does so every second."""
PERIOD_S = 1.0


@click.command("health")
@click.option("--watch", is_flag=True, help="Show it, with figures, until Ctrl-C.")
@namespace_option()
def command(watch: bool, namespace: str) -> int:
    """Say whether every node of the running graph is active, and what is wrong; status 0 when they are and nothing is.

    Warnings do not count. ROS_DOMAIN_ID chooses the domain.
    """
    with deferred():
        from std_srvs.srv import Trigger

        from karma_ros.diagnostics import ERROR
        from karma_ros.diagnostics_watch import DiagnosticsWatch, told

    with connected("health", namespace) as client:
        heard = DiagnosticsWatch(client)
        if watch:
            console = Console()
            with Live(screen(heard), console=console, auto_refresh=False, screen=console.is_terminal) as live:
                while True:
                    time.sleep(PERIOD_S)
                    live.update(screen(heard), refresh=True)
        answer = client.call(Trigger, f"{MANAGER}/is_active", Trigger.Request(), timeout=TIMEOUT_S)
        if answer.success:
            heard.wait(HEAR_S)
        troubles = heard.troubles()
    for line in told(troubles):
        click.echo(line, err=True)
    if not answer.success:
        raise click.ClickException(answer.message)
    click.echo(answer.message)
    return int(any(status.level == ERROR for status in troubles.values()))


def screen(heard: DiagnosticsWatch) -> Group:
    """Return one screen of how all nodes are: what is wrong with what to do, then figures."""
    from karma_ros.diagnostics import ERROR, OK

    nodes = Table("node", "state", "what it says")
    parts = heard.parts()
    for name, state in sorted(heard.states().items()):
        said = [one for (node, _), one in parts.items() if node == name and one.fresh]
        level = max((one.status.level for one in (state, *said)), default=OK)
        color = "green" if level == OK else "red" if level == ERROR else "yellow"
        shown = state.values.get("state", "") if state.fresh else "unknown: the lifecycle manager is silent"
        message = "; ".join(one.status.message for one in said) or state.status.message
        nodes.add_row(name, f"[{color}]{escape(shown)}[/]", f"[{color}]{escape(message)}[/]")
    memory = _values(heard, "memory_server")
    planner = _values(heard, "planner")
    figures = Table(show_header=False)
    for label, text in (
        ("memory", f"{memory.get('events', '–')} events, {_number(memory.get('journal_bytes'), 1e6)} MB"),
        ("free on its disk", f"{_number(memory.get('free_bytes'), 1e6)} MB"),
        ("remember, recall (p99)", f"{_number(memory.get('remember_p99'))}, {_number(memory.get('recall_p99'))} ms"),
        ("instructions", f"{planner.get('carried out', '–')}, {planner.get('failed', '–')} failed"),
        ("last instruction", planner.get("last", "–") or "none yet"),
    ):
        figures.add_row(label, escape(text))
    return (
        Group(nodes, figures) if nodes.row_count else Group("nobody says how it is: is the graph running? (./karma up)")
    )


def _values(heard: DiagnosticsWatch, node: str) -> dict[str, str]:
    """Return the figures of a node."""
    return {name: text for (of, _), one in heard.parts().items() if of == node for name, text in one.values.items()}


def _number(text: str | None, unit: float = 1.0) -> str:
    return f"{float(text) / unit:,.1f}" if text else "–"
