# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma health`: whether the running graph works, for containers and service managers."""

from __future__ import annotations

import click

from karma.command.namespace import namespace_option
from karma.command.triggered import triggered
from karma.graph import MANAGER

TIMEOUT_S = 10.0


@click.command("health")
@namespace_option()
def command(namespace: str) -> int:
    """Say whether every node of the running graph is active; status 0 when they are.

    ROS_DOMAIN_ID chooses the domain.
    """
    click.echo(triggered(f"{MANAGER}/is_active", namespace, TIMEOUT_S))
    return 0
