# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a transaction of the journal writes to an SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from karma_memory.journal.transaction import Row, Transaction

MOVED = "CREATE TEMP TABLE IF NOT EXISTS moved (sequence INTEGER PRIMARY KEY, id TEXT, stamp REAL, body TEXT, checksum)"
"""Rows on their way from one place in the file to another."""


class SqliteTransaction(Transaction):
    """An open transaction of the writing connection."""

    def __init__(self, location: str, last_sequence: int, connection: sqlite3.Connection) -> None:
        super().__init__(location, last_sequence)
        self._connection = connection

    def _write(self, statement: str, values: Sequence[tuple[object, ...]]) -> None:
        if values:
            self._connection.executemany(statement, values)

    def _known(self, ids: Sequence[str]) -> Mapping[str, tuple[int, str]]:
        known = {}
        for event_id in ids:
            row = self._connection.execute("SELECT sequence, body FROM events WHERE id = ?", (event_id,)).fetchone()
            if row is not None:
                known[event_id] = int(row[0]), str(row[1])
        return known

    def _known_images(self, hashes: Sequence[str]) -> Mapping[str, int]:
        statement = "SELECT sha256, size FROM pictures WHERE sha256 = ?"
        return dict(row for sha256 in hashes for row in self._connection.execute(statement, (sha256,)))

    def _image_bytes(self) -> int:
        return int(self._connection.execute("SELECT total(size) FROM pictures WHERE size > 0").fetchone()[0])

    def _held_images(self) -> Iterator[tuple[str, int, int]]:
        held = "SELECT sha256, size, sequence FROM pictures WHERE size > 0 ORDER BY sequence, sha256"
        with closing(self._connection.execute(held)) as rows:
            yield from rows

    def _replace(self, rows: Sequence[Row]) -> None:
        # Changed in place, rows leave room in their pages that nothing else gets; moved, they leave pages. Few
        # statements: after each, a thread that computes may keep this one, and all who want to write, waiting.
        new = json.dumps([(row.sequence, row.body, row.checksum) for row in rows])
        self._connection.execute(MOVED)
        self._connection.execute(
            "INSERT INTO moved SELECT sequence, events.id, stamp, json_extract(new.value, '$[1]'), "
            "json_extract(new.value, '$[2]') FROM json_each(?) AS new "
            "JOIN events ON sequence = json_extract(new.value, '$[0]')",
            (new,),
        )
        self._connection.execute("DELETE FROM events WHERE sequence IN (SELECT sequence FROM moved)")
        self._connection.execute("INSERT INTO events SELECT * FROM moved ORDER BY sequence")
        self._connection.execute("DELETE FROM moved")
