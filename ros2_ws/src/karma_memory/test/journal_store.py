# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a test keeps a journal: an SQLite file or a PostgreSQL database."""

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import psycopg

from karma_memory import Memory, open_journal
from karma_memory.journal.postgres import SCHEMA


@dataclass(frozen=True)
class Store:
    """The place of one journal."""

    location: str | Path
    folder: Path
    """Where the local files of the journal lie."""

    def journal(self, **options):
        return open_journal(self.location, folder=self.folder, **options)

    def memory(self, **options):
        return Memory(self.location, folder=self.folder, **{"embedder": "lexical", **options})

    def execute(self, statement):
        """Run a statement on the tables, behind the journal's back, and return the rows."""
        if isinstance(self.location, Path):
            with contextlib.closing(sqlite3.connect(self.location)) as connection, connection:
                return connection.execute(statement).fetchall()
        with psycopg.connect(self.location) as connection:
            connection.execute(f"SET search_path = {SCHEMA}")
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []
