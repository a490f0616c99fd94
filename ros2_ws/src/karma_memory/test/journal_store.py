# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a test keeps a journal: an SQLite file or a PostgreSQL database."""

import contextlib
import shutil
import sqlite3
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import psycopg
from world import statements

from karma_memory import Memory, open_journal
from karma_memory.journal import postgres_schema, schema

KINDS = ("sqlite", "postgresql")
"""Of the stores that a journal can be kept in."""
OTHERS = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@dataclass(frozen=True)
class Store:
    """The place of one journal."""

    location: str | Path
    folder: Path
    """Where the local files of the journal lie."""

    @property
    def is_file(self):
        return isinstance(self.location, Path)

    @property
    def name(self):
        """Where it is, as people are told."""
        with self.journal() as journal:
            return journal.location

    def journal(self, **options):
        return open_journal(self.location, folder=self.folder, **options)

    def memory(self, **options):
        return Memory(self.location, folder=self.folder, **{"embedder": "lexical", **options})

    def execute(self, statement):
        """Run a statement on the tables, behind the journal's back, and return the rows."""
        if self.is_file:
            with contextlib.closing(sqlite3.connect(self.location)) as connection, connection:
                return connection.execute(statement).fetchall()
        with psycopg.connect(self.location) as connection:
            connection.execute(f"SET search_path = {postgres_schema.SCHEMA}")
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    @property
    def version(self):
        """Of the tables that are made here."""
        return schema.SCHEMA_VERSION if self.is_file else postgres_schema.VERSION

    @property
    def found_version(self):
        """Of the tables that are there."""
        return self.execute("PRAGMA user_version" if self.is_file else "SELECT version FROM journal")[0][0]

    def set_version(self, version):
        """Say that the tables are of another version."""
        self.execute(f"PRAGMA user_version = {version}" if self.is_file else f"UPDATE journal SET version = {version}")

    def lose_after(self, sequence):
        """Put the journal back to what it was after an event."""
        self.execute(f"DELETE FROM events WHERE sequence > {sequence}")
        if self.is_file:
            Path(f"{self.location}.lock").unlink()
        else:
            self.execute(f"UPDATE journal SET last = {sequence}")

    def cut(self):
        """Break every connection to a database, as a server that restarts does."""
        self.execute(f"SELECT pg_terminate_backend(pid, 60000) {OTHERS}")

    def settle(self):
        """Wait until nothing goes on in a database that a process which was killed has asked for."""
        deadline = time.monotonic() + 60.0
        while not self.is_file and self.execute(f"SELECT pid {OTHERS} AND backend_type = 'client backend'"):
            assert time.monotonic() < deadline, "somebody is still connected"
            time.sleep(0.005)


def filled(store, count=300):
    """Make a journal with events."""
    with store.journal() as journal:
        journal.append(statements(count, text="x" * 200))


class Stores(ABC):
    """Makes empty stores of one kind."""

    def __init__(self, folder):
        self._folder = folder

    def new(self, name="memory"):
        """Return the store of that name, made anew: it has no journal."""
        folder = self._folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return Store(self._location(name, folder), folder)

    @abstractmethod
    def _location(self, name, folder): ...


class Files(Stores):
    """Makes SQLite files."""

    def _location(self, name, folder):
        return folder / "memory.sqlite3"


class Databases(Stores):
    """Makes databases of a PostgreSQL server."""

    def __init__(self, folder, server):
        super().__init__(folder)
        self._server = server

    def _location(self, name, folder):
        return self._server.empty(name)
