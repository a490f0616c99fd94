# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions before what cannot be undone."""

from __future__ import annotations

import click


def confirm(question: str) -> None:
    """Ask; where the answer is no, say that nothing is changed and end the command with status 1."""
    if not click.confirm(question):
        click.echo("nothing is changed", err=True)
        raise click.exceptions.Exit(1)
