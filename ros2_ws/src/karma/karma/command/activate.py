# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma activate`: nodes that somebody deactivated or shut down, or that were given up, are looked after again."""

from __future__ import annotations

import click

from karma.command.namespace import namespace_option
from karma.command.triggered import triggered
from karma_ros import MANAGER


@click.command("activate")
@namespace_option()
def command(namespace: str) -> int:
    """Activate nodes again that were deactivated or shut down by hand (ros2 lifecycle set), or that were given up.

    ROS_DOMAIN_ID chooses the domain.
    """
    click.echo(triggered(f"{MANAGER}/activate", namespace))
    return 0
