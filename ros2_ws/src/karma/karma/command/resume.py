# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma resume`: a paused robot goes on."""

from __future__ import annotations

import click

from karma.command.triggered import triggered


@click.command("resume")
@click.option("--namespace", default="", help="The robot's, as given to ./karma up.")
def command(namespace: str) -> int:
    """Have a paused robot go on."""
    click.echo(triggered("resume", namespace))
    return 0
