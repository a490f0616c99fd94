# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma resume`: a paused robot goes on."""

from __future__ import annotations

import click

from karma.command.namespace import namespace_option
from karma.command.triggered import triggered


@click.command("resume")
@namespace_option()
def command(namespace: str) -> int:
    """Have a paused robot go on."""
    click.echo(triggered("resume", namespace))
    return 0
