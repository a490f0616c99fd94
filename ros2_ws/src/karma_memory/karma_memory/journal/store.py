# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The SQLite store of events: WAL mode, one writer, committed with synchronous=FULL before it is acknowledged."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO

from karma_memory.encoding import decode_event, encode_event
from karma_memory.events import Event, Image
from karma_memory.journal import schema
from karma_memory.journal.durable import sync_folder
from karma_memory.journal.errors import (
    CorruptJournalError,
    DuplicateEventError,
    JournalError,
    JournalFullError,
    JournalLockedError,
)
from karma_memory.scene import InvalidEventError

READ_CHUNK = 1000
"""Rows that one read holds in memory."""


@dataclass(frozen=True)
class Entry:
    """An event and its place in the journal."""

    sequence: int
    event: Event


class Journal:
    """An append-only file of events.

    One process writes it at a time (a lock file beside it sees to that); its threads may append and read concurrently.
    Close it, or use it as a context manager. A file that is damaged is never written to.
    """

    def __init__(self, path: str | os.PathLike[str], *, verify: bool = True) -> None:
        """Open the journal at `path`, or make it.

        `verify` reads every row and checks its checksum. CorruptJournalError, NewerSchemaError, JournalLockedError.
        """
        self.path = Path(path).expanduser()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise JournalError(f"cannot make the folder of {self.path}: {error}; give another path") from error
        self._lock_file = self._take_lock()
        self._write_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._closed = False
        try:
            with self._translated():
                existed = self.path.exists() and self.path.stat().st_size > 0
                self._writer = self._connect()
                new = not existed or schema.is_empty(self._writer)
                if not new:
                    schema.check(self._writer, self.path)
                self._writer.execute("PRAGMA journal_mode = WAL")
                self._writer.execute("PRAGMA synchronous = FULL")
                if new:
                    schema.create(self._writer)
                    sync_folder(self.path.parent)
                self._reader = self._connect()
                self.uuid = str(self._writer.execute("SELECT uuid FROM journal").fetchone()[0])
                self._last = int(self._writer.execute("SELECT coalesce(max(sequence), 0) FROM events").fetchone()[0])
            if existed and verify:
                self.verify()
        except BaseException:
            self.close()
            raise

    @property
    def last_sequence(self) -> int:
        """Sequence of the newest event, 0 when there is none; also the number of events."""
        return self._last

    @property
    def size_bytes(self) -> int:
        """Bytes on disk, the write-ahead log included."""
        return sum(path.stat().st_size for suffix in ("", "-wal") if (path := Path(f"{self.path}{suffix}")).exists())

    def append(self, events: Sequence[Event]) -> list[int]:
        """Commit events, all or none, and return their sequences in order.

        An event that is already in the journal keeps its first sequence. Returns only when the events are on disk.
        DuplicateEventError when an id stands for another event already; JournalFullError; JournalError.
        """
        bodies = [encode_event(event) for event in events]
        with self._write_lock, self._translated():
            self._check_open()
            connection = self._writer
            connection.execute("BEGIN IMMEDIATE")
            try:
                sequences, last = self._insert(events, bodies)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            self._last = last
        return sequences

    def adopt(self, uuid: str) -> None:
        """Make an empty journal a copy of another one, whose `uuid` this is. JournalError when it has events."""
        with self._write_lock, self._translated():
            self._check_open()
            if self._last:
                raise JournalError(f"{self.path} has events of its own; it cannot become a copy of another journal")
            self._writer.execute("UPDATE journal SET uuid = ?", (uuid,))
            self.uuid = uuid

    def read(self, after: int = 0, until: int | None = None, *, at: float | None = None) -> Iterator[Entry]:
        """Yield the events with `after` < sequence ≤ `until`, in order; with `at`, only those that happened by then.

        Every row is checked; CorruptJournalError names the first damaged one.
        """
        last = self._last if until is None else min(until, self._last)
        while after < last:
            with self._read_lock, self._translated():
                self._check_open()
                rows = self._reader.execute(
                    "SELECT sequence, id, stamp, body, checksum FROM events WHERE sequence > ? AND sequence <= ? "
                    "ORDER BY sequence LIMIT ?",
                    (after, last, READ_CHUNK),
                ).fetchall()
            for row in rows or [(None,) * 5]:
                self._check_row(row, expected=after + 1)
                after += 1
                if at is None or row[2] <= at:
                    yield Entry(after, self._decode(after, row[3]))

    def sequence_at(self, at: float) -> int:
        """Return the sequence of the last event before the first one that happened after `at`."""
        with self._read_lock, self._translated():
            self._check_open()
            row = self._reader.execute(
                "SELECT sequence - 1 FROM events WHERE stamp > ? ORDER BY sequence LIMIT 1", (at,)
            ).fetchone()
        return self._last if row is None else int(row[0])

    def find(self, event_id: str) -> Entry | None:
        """Return the event with this id."""
        with self._read_lock, self._translated():
            self._check_open()
            row = self._reader.execute(
                "SELECT sequence, id, stamp, body, checksum FROM events WHERE id = ?", (event_id,)
            ).fetchone()
        if row is None:
            return None
        self._check_row(row, expected=row[0])
        return Entry(row[0], self._decode(row[0], row[3]))

    def image(self, sha256: str) -> bytes | None:
        """Return the bytes of a picture that came with an event, or None where there is none of that content."""
        with self._read_lock, self._translated():
            self._check_open()
            row = self._reader.execute("SELECT data FROM images WHERE sha256 = ?", (sha256,)).fetchone()
        if row is None:
            return None
        if hashlib.sha256(row[0]).hexdigest() != sha256:
            raise CorruptJournalError(self.path, f"picture {sha256[:12]}… is damaged")
        return bytes(row[0])

    def verify(self) -> None:
        """Check every row. CorruptJournalError names the first damaged one."""
        with self._read_lock, self._translated():
            self._check_open()
            rows = self._reader.execute(
                "SELECT sequence, id, stamp, body, checksum FROM events WHERE sequence <= ? ORDER BY sequence",
                (self._last,),
            )
            expected = 0
            for row in rows:
                expected += 1
                self._check_row(row, expected)
        if expected != self._last:
            self._check_row((None,) * 5, expected + 1)

    def close(self) -> None:
        """Wait for what is being read and written, close the files and give the lock back. May be called again."""
        with self._write_lock, self._read_lock:
            self._closed = True
            for connection in (getattr(self, "_reader", None), getattr(self, "_writer", None)):
                if connection is not None:
                    connection.close()
            self._lock_file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _insert(self, events: Sequence[Event], bodies: Sequence[str]) -> tuple[list[int], int]:
        """Insert what is new inside the open transaction; return the sequences and the new last one."""
        last = self._last
        sequences = []
        for event, body in zip(events, bodies, strict=True):
            row = self._writer.execute("SELECT sequence, body FROM events WHERE id = ?", (event.id,)).fetchone()
            if row is not None:
                self._check_repeated(event, row[0], row[1])
                sequences.append(int(row[0]))
                continue
            last += 1
            self._writer.execute(
                "INSERT INTO events VALUES (?, ?, ?, ?, ?)",
                (last, event.id, event.stamp, body, schema.row_checksum(last, event.id, event.stamp, body)),
            )
            if event.image is not None:
                self._insert_image(event.image)
            sequences.append(last)
        return sequences, last

    def _insert_image(self, image: Image) -> None:
        """Store a picture once, by content."""
        known = self._writer.execute("SELECT 1 FROM images WHERE sha256 = ?", (image.sha256,)).fetchone()
        if known is None:
            if not image.data:
                raise InvalidEventError(
                    f"picture {image.sha256[:12]}… is not in the journal and came without its bytes"
                )
            self._writer.execute("INSERT INTO images VALUES (?, ?)", (image.sha256, image.data))

    def _check_repeated(self, event: Event, sequence: int, body: str) -> None:
        """Refuse an id that was used for something else; stamp and scene may differ: the server fills them in."""
        first = self._decode(sequence, body)
        if replace(first, stamp=event.stamp, scene=event.scene) != event:
            raise DuplicateEventError(
                f"event id {event.id!r} already stands for a different event (sequence {sequence}); "
                "give every event an id of its own, for instance a UUID"
            )

    def _check_row(self, row: tuple[object, ...], expected: int) -> None:
        """Refuse a row that is missing or that its checksum doesn't fit."""
        sequence, event_id, stamp, body, checksum = row
        intact = (
            sequence == expected
            and isinstance(event_id, str)
            and isinstance(stamp, float)
            and isinstance(body, str)
            and schema.row_checksum(expected, event_id, stamp, body) == checksum
        )
        if not intact:
            raise CorruptJournalError(self.path, f"event {expected} is damaged or missing")

    def _decode(self, sequence: int, body: str) -> Event:
        try:
            return decode_event(body)
        except InvalidEventError as error:
            raise CorruptJournalError(self.path, f"event {sequence} cannot be read: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=10.0)

    def _check_open(self) -> None:
        if self._closed:
            raise JournalError(f"the journal {self.path} is closed")

    def _take_lock(self) -> IO[bytes]:
        """Lock the file beside the database. The system gives the lock back when the process ends, however it ends."""
        lock_path = Path(f"{self.path}.lock")
        try:
            lock_file = open(lock_path, "ab")  # noqa: SIM115 - held until close()
        except OSError as error:
            raise JournalError(f"cannot write {lock_path}: {error}; give another path") from error
        try:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock_file.close()
            raise JournalLockedError(
                f"another process has {self.path} open; stop it, or give this memory server another database"
            ) from error
        return lock_file

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn SQLite's errors into ours."""
        try:
            yield
        except sqlite3.OperationalError as error:
            message = str(error)
            if "full" in message:
                raise JournalFullError(f"no room for {self.path}: {message}; free some space and try again") from error
            if "malformed" in message or "decode" in message:
                raise CorruptJournalError(self.path, message) from error
            raise JournalError(f"{self.path}: {message}") from error
        except sqlite3.DatabaseError as error:
            raise CorruptJournalError(self.path, str(error)) from error
