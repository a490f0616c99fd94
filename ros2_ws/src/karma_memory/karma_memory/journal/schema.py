# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the journal, their version, and how a file is recognised."""

from __future__ import annotations

import sqlite3
import uuid
import zlib
from pathlib import Path

from karma_memory.encoding import decode_event
from karma_memory.journal.errors import CorruptJournalError, JournalError, NewerSchemaError

APPLICATION_ID = 0x4B41524D
"""\"KARM\": marks an SQLite file as a journal (PRAGMA application_id)."""
SCHEMA_VERSION = 2
"""PRAGMA user_version of the files that this code writes."""

TABLES = (
    "CREATE TABLE journal (uuid TEXT NOT NULL)",
    """CREATE TABLE events (
    sequence INTEGER PRIMARY KEY,   -- 1, 2, 3, ... without gaps
    id TEXT NOT NULL UNIQUE,
    stamp REAL NOT NULL,            -- seconds, the robot's clock
    body TEXT NOT NULL,             -- canonical JSON (karma_memory.encoding)
    checksum INTEGER NOT NULL       -- crc32 of sequence, stamp, id and body
)""",
    "CREATE TABLE images (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",
)
"""Schema version 1."""

TABLES_2 = (
    # Every picture that an event names, its bytes (0 once they were dropped), and the newest event that names it.
    "CREATE TABLE pictures (sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL, sequence INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX held_pictures ON pictures (sequence, sha256, size) WHERE size > 0",
    # The state of all memories at the horizon; see karma_memory.journal.compacted.
    """CREATE TABLE base (
    sequence INTEGER NOT NULL,
    stamp REAL NOT NULL,
    version INTEGER NOT NULL,
    state BLOB NOT NULL,            -- zlib of canonical JSON
    checksum TEXT NOT NULL          -- sha256 of all of it
)""",
)
"""What schema version 2 adds."""

VIEWS_2 = (
    "CREATE TEMP VIEW pictures AS SELECT sha256, length(data) AS size, 0 AS sequence FROM images",
    "CREATE TEMP VIEW base AS SELECT 0 AS sequence, 0.0 AS stamp, 0 AS version, x'' AS state, '' AS checksum WHERE 0",
)
"""The same for a connection that reads a file of version 1 and leaves it as it is."""


def row_checksum(sequence: int, event_id: str, stamp: float, body: str) -> int:
    """Return the checksum of a row, which covers its place in the journal as well as its content."""
    return zlib.crc32(f"{sequence}\0{stamp!r}\0{event_id}\0{body}".encode())


def is_uuid(value: object) -> bool:
    """Whether this identifies a journal, and nothing else: the folder of local files is called so."""
    try:
        return isinstance(value, str) and str(uuid.UUID(value)) == value
    except ValueError:
        return False


def create(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty database, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES + TABLES_2:
        connection.execute(statement)
    connection.execute("INSERT INTO journal VALUES (?)", (str(uuid.uuid4()),))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION:d}")
    connection.execute("COMMIT")


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether the database has no tables and no mark: a journal whose making was cut short."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return bool(tables == 0 and connection.execute("PRAGMA application_id").fetchone()[0] == 0)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables of an older, intact journal to this version, in one transaction: all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in TABLES_2:
            connection.execute(statement)
        newest: dict[str, int] = {}
        for sequence, body in connection.execute("SELECT sequence, body FROM events ORDER BY sequence"):
            if '"image":{' in body and (image := decode_event(body).image) is not None:
                newest[image.sha256] = sequence
        connection.executemany(
            "INSERT INTO pictures SELECT sha256, length(data), ? FROM images WHERE sha256 = ?",
            [(sequence, sha256) for sha256, sequence in newest.items()],
        )
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION:d}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def check(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version; refuse a database that is no journal, or one of a newer version."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        what = "an SQLite database, but no KARMA journal" if path.stat().st_size else "empty, and no KARMA journal"
        raise JournalError(f"{path} is {what}; give another path, or move the file away")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise NewerSchemaError(
            f"{path} has schema version {version}, this karma_memory knows up to {SCHEMA_VERSION}: update "
            "karma_memory, or give another path"
        )
    if version < 1:
        raise CorruptJournalError(path, f"there never was a schema version {version}")
    return int(version)
