# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every help text on one page, bootstrap/help.txt, for a machine on which nothing is set up yet.

Written anew with ./karma shell python -m karma.command.help_page > bootstrap/help.txt
"""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.testing import CliRunner

from karma.command.__main__ import DONE_BY_BOOTSTRAP, main

WIDTH = "80"
"""Columns, as many as click fills at most."""


def help_page() -> str:
    """Return what the command line prints when it is asked for its version, and each command for help."""
    lines = [("--version",), *((*command, "--help") for command in _commands(main, click.Context(main)))]
    return "".join(f"$ ./karma {' '.join(line)}\n{_output(*line)}\n" for line in lines)


def _commands(group: click.Group, context: click.Context, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    for name in group.list_commands(context):
        if name in DONE_BY_BOOTSTRAP and not path:
            continue
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _commands(command, context, *path, name)
        else:
            yield (*path, name)


def _output(*arguments: str) -> str:
    done = CliRunner(env={"COLUMNS": WIDTH}).invoke(main, arguments, prog_name="./karma")
    if done.exit_code != 0:
        raise RuntimeError(f"./karma {' '.join(arguments)}: {done.output}")
    return done.output


if __name__ == "__main__":
    print(help_page(), end="")
