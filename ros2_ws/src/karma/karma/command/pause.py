# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma pause`: the robot begins no further skill."""

from __future__ import annotations

import click

from karma.command.namespace import namespace_option
from karma.command.triggered import triggered


@click.command("pause")
@namespace_option()
def command(namespace: str) -> int:
    """Have the robot stop after the skill that runs now, and wait there until ./karma resume."""
    click.echo(triggered("pause", namespace))
    return 0
