# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Journals of older versions, as the code of their time made them."""

import contextlib
import sqlite3

from karma_memory.encoding import encode_event
from karma_memory.journal import schema

SQLITE_1 = """
CREATE TABLE journal (uuid TEXT NOT NULL);
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    stamp REAL NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE images (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
PRAGMA application_id = 0x4B41524D;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
"""
"""The statements with which version 1 made its tables."""
UUID = "9f2b1f5e-3f0a-4c57-8d0e-2a6d2b1c7e10"


def oldest(store):
    """Return the version of the oldest journals of this kind of store."""
    return 1 if store.is_file else 2


def make_oldest(store, events):
    """Make a journal of the oldest version with these events, the first ones with their pictures' bytes."""
    if store.is_file:
        with contextlib.closing(sqlite3.connect(store.location)) as connection, connection:
            connection.executescript(SQLITE_1)
            connection.execute(f"INSERT INTO journal VALUES ('{UUID}')")
            for sequence, event in enumerate(events, 1):
                body = encode_event(event)
                row = sequence, event.id, event.stamp, body, schema.row_checksum(sequence, event.id, event.stamp, body)
                connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)
            images = {event.image for event in events if event.image is not None}
            connection.executemany("INSERT INTO images VALUES (?, ?)", [(image.sha256, image.data) for image in images])
        return
    with store.journal() as journal:
        journal.append(events)
    make_version_2(store)


def make_version_2(store):
    """Take from a journal in PostgreSQL what version 3 added."""
    store.execute("ALTER TABLE journal DROP COLUMN last")
    store.execute(f"UPDATE journal SET version = 2, uuid = '{UUID}'")
