# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a later version brings: says so plainly instead of pretending."""

from __future__ import annotations

import click

EXIT_STATUS = 3


class NotYet(click.ClickException):
    """What was asked for belongs to a later version."""

    exit_code = EXIT_STATUS

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not part of this version yet.")


def not_yet(name: str, summary: str) -> click.Command:
    """Return a command that exists in the help and refuses to run."""

    @click.command(name, help=f"{summary}\n\nNot part of this version yet.", short_help=summary)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> None:
        raise NotYet(f"{name!r}")

    command.context_settings = {"ignore_unknown_options": True}
    return command
