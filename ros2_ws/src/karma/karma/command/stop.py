# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma stop`: every instruction is canceled."""

from __future__ import annotations

import click

from karma.command.namespace import namespace_option
from karma.command.up import domain_id
from karma.interrupts import deferred


@click.command("stop")
@namespace_option()
def command(namespace: str) -> int:
    """Cancel the running instruction at once, and those that wait. The robot stays where it is."""
    with deferred():
        from action_msgs.srv import CancelGoal

        from karma.client import GraphClient, GraphError

    everything = CancelGoal.Request()  # neither an id nor a time: all of them
    try:
        with GraphClient(name="karma_stop", namespace=namespace, domain_id=domain_id()) as client:
            response = client.call(CancelGoal, "execute_instruction/_action/cancel_goal", everything)
    except GraphError as error:
        raise click.ClickException(str(error)) from error
    count = len(response.goals_canceling)
    click.echo(f"Stopping {count} instruction{'s' * (count != 1)}." if count else "Nothing was running.")
    return 0
