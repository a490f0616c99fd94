# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma pause`, `resume` and `activate`: services without arguments of the running graph."""

from __future__ import annotations

import click

from karma.command.client import connected, namespace_option
from karma_ros import MANAGER
from karma_ros.interrupts import deferred

TIMEOUT_S = 30.0


@click.command("pause")
@namespace_option()
def pause(namespace: str) -> int:
    """Have the robot stop after the skill that runs now, and wait there until ./karma resume."""
    return _triggered("pause", namespace)


@click.command("resume")
@namespace_option()
def resume(namespace: str) -> int:
    """Have a paused robot go on."""
    return _triggered("resume", namespace)


@click.command("activate")
@namespace_option()
def activate(namespace: str) -> int:
    """Activate nodes again that were deactivated or shut down by hand (ros2 lifecycle set), or that were given up.

    ROS_DOMAIN_ID chooses the domain.
    """
    return _triggered(f"{MANAGER}/activate", namespace)


def _triggered(name: str, namespace: str) -> int:
    """Call a std_srvs/Trigger of a robot's graph, and print what it says. ClickException when it does not do it."""
    with deferred():
        from std_srvs.srv import Trigger

    with connected(name.rpartition("/")[2], namespace) as client:
        response = client.call(Trigger, name, Trigger.Request(), timeout=TIMEOUT_S)
    if not response.success:
        raise click.ClickException(response.message)
    click.echo(response.message)
    return 0
