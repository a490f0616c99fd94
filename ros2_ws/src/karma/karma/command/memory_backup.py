# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma memory backup` and `restore`: a copy of the memory for bad days."""

from __future__ import annotations

from pathlib import Path

import click

from karma.command.client import namespace_option
from karma.command.confirmation import confirm
from karma_eval.command_line import ANY_FILE, FILE, click_errors
from karma_ros.interrupts import deferred

_database = click.option(
    "--database", default="", help="The memory's SQLite file. [default: the running graph's, else the only one]"
)


@click.command("backup")
@click.argument("file", type=ANY_FILE)
@_database
@namespace_option()
def backup(file: Path, database: str, namespace: str) -> int:
    """Copy the memory, and with it all that it knows of everybody, to a new FILE, checked; the robot goes on."""
    with deferred():
        from karma_memory.journal import JournalError
        from karma_memory.journal.backup import back_up

    location = _chosen(database, namespace)
    with click_errors(JournalError):
        events = back_up(location, file)
    click.echo(f"{events} events of {location} are in {file}, which is whole")
    return 0


@click.command("restore")
@click.argument("file", type=FILE)
@_database
@click.option("--yes", is_flag=True, help="Don't ask.")
@namespace_option()
def restore(file: Path, database: str, yes: bool, namespace: str) -> int:
    """Put a backup in the place of the memory, which no graph may have open.

    What happened since the backup is gone, and who was erased since is in it again: erase them again.
    """
    with deferred():
        from karma_memory.journal import JournalError
        from karma_memory.journal import backup as backups

    location = _chosen(database, namespace)

    def ask() -> None:
        if Path(location).expanduser().exists() and not yes:
            confirm(f"Replace {location} by {file}? What happened since is lost")

    with click_errors(JournalError):
        events = backups.restore(file, location, ask)
    click.echo(f"{location} is what it was: {events} events. Who was erased since is in it again: erase them again")
    return 0


def _chosen(database: str, namespace: str) -> str:
    """Return which memory is meant. ClickException where that is not clear."""
    from karma.command import memory
    from karma_memory.command.survey import memories_below

    if database or (database := memory.database_of_graph(namespace)):
        return database
    found = memories_below(memory.HOME)
    if len(found) == 1:
        return str(found[0])
    raise click.ClickException(
        f"name one with --database: {', '.join(map(str, found)) or f'there is none in {memory.HOME}'}"
    )
