# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Opens the journal that a path or a connection string names."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

from karma_memory.journal.errors import JournalError
from karma_memory.journal.purge import purge_if_marked
from karma_memory.journal.sqlite import SqliteJournal
from karma_memory.journal.store import Journal

POSTGRES_SCHEMES = ("postgresql://", "postgres://")


def open_journal(
    location: str | os.PathLike[str],
    *,
    verify: bool = True,
    read_only: bool = False,
    folder: str | os.PathLike[str] | None = None,
) -> Journal:
    """Open the journal at `location`, or make it: the path of an SQLite file, or `postgresql://…`.

    `verify` checks every event. With `read_only` there must be a journal, and it stays as it is: one of an older
    version is read without bringing it to this one, one that another process writes as it was when it was opened.
    `folder` is where local files that belong to a PostgreSQL journal lie, by default `~/.karma/<uuid>`; those of an
    SQLite file lie beside it. CorruptJournalError, NewerSchemaError, JournalLockedError, JournalError.
    """
    journal: Journal
    if is_database(location):
        journal = postgres_module("postgres").PostgresJournal(
            str(location), verify=verify, read_only=read_only, folder=folder
        )
    else:
        journal = SqliteJournal(location, verify=verify, read_only=read_only)
    if not read_only:
        try:
            purge_if_marked(journal)
        except BaseException:
            journal.close()
            raise
    return journal


def is_database(location: str | os.PathLike[str]) -> bool:
    """Whether this is a connection string of PostgreSQL, rather than the path of a file."""
    return str(location).startswith(POSTGRES_SCHEMES)


def postgres_module(name: str) -> ModuleType:
    """Import a module that needs psycopg. JournalError where that isn't installed."""
    try:
        return import_module(f"karma_memory.journal.{name}")
    except ImportError as error:
        raise JournalError(f"PostgreSQL needs the package psycopg: pip install 'psycopg[binary]' ({error})") from error
