# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of a journal in PostgreSQL, their version, and how a database is recognised."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from typing import Any

import psycopg

from karma_memory.journal.errors import CorruptJournalError, JournalError, NewerSchemaError
from karma_memory.journal.schema import APPLICATION_ID, is_uuid

logger = logging.getLogger(__name__)

SCHEMA = "karma_journal"
"""PostgreSQL schema in which the tables are: one journal a database. Also the channel of NOTIFY."""
OLDEST_VERSION, VERSION = 2, 3
"""Of the tables that this code can bring to its own version, and of those."""

TABLES = (
    f"CREATE SCHEMA {SCHEMA}",
    f"CREATE TABLE {SCHEMA}.journal (uuid TEXT NOT NULL, version INTEGER NOT NULL)",
    f"""CREATE TABLE {SCHEMA}.events (
    sequence BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    stamp DOUBLE PRECISION NOT NULL,
    body TEXT NOT NULL,
    checksum BIGINT NOT NULL
)""",
    f"CREATE TABLE {SCHEMA}.images (sha256 TEXT PRIMARY KEY, data BYTEA NOT NULL)",
    # Pictures are compressed already.
    f"ALTER TABLE {SCHEMA}.images ALTER COLUMN data SET STORAGE EXTERNAL",
    f"CREATE TABLE {SCHEMA}.pictures (sha256 TEXT PRIMARY KEY, size BIGINT NOT NULL, sequence BIGINT NOT NULL)",
    f"CREATE INDEX held_pictures ON {SCHEMA}.pictures (sequence, sha256, size) WHERE size > 0",
    f"""CREATE TABLE {SCHEMA}.base (
    sequence BIGINT NOT NULL,
    stamp DOUBLE PRECISION NOT NULL,
    version INTEGER NOT NULL,
    state BYTEA NOT NULL,
    checksum TEXT NOT NULL
)""",
    # The planner's statistics would keep samples of what was said, beyond its erasure; nothing is looked up by content.
    f"ALTER TABLE {SCHEMA}.events ALTER COLUMN body SET STATISTICS 0",
    f"ALTER TABLE {SCHEMA}.base ALTER COLUMN state SET STATISTICS 0",
    f"ALTER TABLE {SCHEMA}.images ALTER COLUMN data SET STATISTICS 0",
)
"""Schema version 2, the first one here: as in karma_memory.journal.schema. The row of the journal says the version."""

TABLES_3 = (
    # At least so many events were committed: should the last ones vanish, the others alone would not tell.
    "ALTER TABLE journal ADD COLUMN last BIGINT NOT NULL DEFAULT 0",
    "UPDATE journal SET version = 3, last = (SELECT coalesce(max(sequence), 0) FROM events)",
)
"""What schema version 3 adds."""

Connection = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True)
class Identity:
    """What the journal's row says."""

    uuid: str
    version: int


def prepare(connection: Connection, location: str, *, read_only: bool) -> Identity:
    """Make the tables where there are none, refuse what is no journal, and return what the journal's row says."""
    encoding = one(connection.execute("SHOW server_encoding"))[0]
    if encoding != "UTF8":
        raise JournalError(f"{location} has the encoding {encoding}; make a database with ENCODING 'UTF8'")
    if one(connection.execute("SHOW fsync"))[0] != "on":
        logger.warning("%s runs with fsync off: a power cut can lose or damage the journal", location)
    with connection.transaction():
        # Two servers that start at the same time make the tables once.
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (APPLICATION_ID,))
        if one(connection.execute("SELECT to_regnamespace(%s) IS NULL", (SCHEMA,)))[0]:
            if read_only:
                raise JournalError(f"{location} holds no journal")
            for statement in TABLES:
                connection.execute(statement)
            connection.execute("INSERT INTO journal VALUES (%s, %s)", (str(uuid.uuid4()), OLDEST_VERSION))
            for statement in TABLES_3:
                connection.execute(statement)
        return identify(connection, location)


def identify(connection: Connection, location: str) -> Identity:
    """Return what the journal's row says; refuse what is no journal, or one of a newer version."""
    if one(connection.execute("SELECT to_regclass(%s) IS NULL", (f"{SCHEMA}.journal",)))[0]:
        raise JournalError(f"{location} has no KARMA journal in its schema {SCHEMA}; give another database")
    row = connection.execute("SELECT uuid, version FROM journal").fetchone()
    if row is None or not is_uuid(row[0]):
        raise CorruptJournalError(location, "the journal has lost its identity")
    if row[1] > VERSION:
        raise NewerSchemaError(
            f"{location} has schema version {row[1]}, this karma_memory knows up to {VERSION}: update "
            "karma_memory, or give another database"
        )
    if row[1] < OLDEST_VERSION:
        raise CorruptJournalError(location, f"there never was a journal of schema version {row[1]} in PostgreSQL")
    return Identity(str(row[0]), int(row[1]))


def migrate(connection: Connection) -> None:
    """Bring the tables of an older journal to this version, in one transaction, unless somebody else did meanwhile."""
    with connection.transaction():
        # Not the lock of the row: appends that wait for that hold the table, which is to be changed.
        connection.execute("LOCK TABLE journal IN ACCESS EXCLUSIVE MODE")
        if one(connection.execute("SELECT version FROM journal"))[0] < VERSION:
            for statement in TABLES_3:
                connection.execute(statement)


def one(cursor: psycopg.Cursor[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the row of a query that always has one."""
    row = cursor.fetchone()
    if row is None:
        raise psycopg.DataError("a query that gives one row gave none")
    return row
