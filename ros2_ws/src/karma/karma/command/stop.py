# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma stop`: every skill and every instruction is canceled, and what became of it is said."""

from __future__ import annotations

import click

from karma.command.client import connected, namespace_option
from karma_ros.interrupts import deferred

TIMEOUT_S = 15.0
"""As karma.stopping has it, which is loaded when it is needed."""


@click.command("stop")
@namespace_option()
@click.option(
    "--timeout", default=TIMEOUT_S, show_default=True, help="Seconds to wait until what was running has ended."
)
def command(namespace: str, timeout: float) -> int:
    """Cancel what the robot does and every instruction, at once. The robot stays where it is.

    Asks the robot's bridge and the planner. Ends with status 0 when all has ended, 1 when something has not, or by
    something else than being stopped, or when one of the two does not answer. Ctrl-C ends the waiting only.
    """
    with deferred():
        from karma.stopping import stop_all

    with connected("stop", namespace) as client:
        ran, troubles, well = stop_all(client, timeout, click.echo)
    for trouble in troubles:
        click.ClickException(trouble).show()
    if troubles:
        for line in well:
            click.echo(line)
        raise click.exceptions.Exit(1)
    click.echo("Stopped." if ran else "Nothing was running.")
    return 0
