# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The journal in a PostgreSQL database, which several memory servers may write at the same time.

Whoever appends holds the lock on the one row of the table `journal` until its transaction ends: so sequences have no
gaps, and their order is that in which transactions were committed. NOTIFY tells the others.
"""

from __future__ import annotations

import logging
import os
import re
import select
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from karma_memory.events import Image
from karma_memory.journal.compacted import Horizon, PackedBase
from karma_memory.journal.errors import (
    CorruptJournalError,
    JournalConnectionError,
    JournalError,
    JournalFullError,
    NewerSchemaError,
)
from karma_memory.journal.schema import APPLICATION_ID, SCHEMA_VERSION, is_uuid
from karma_memory.journal.store import READ_CHUNK, Journal, Row, Transaction

logger = logging.getLogger(__name__)

SCHEMA = "karma_journal"
"""PostgreSQL schema in which the tables are: one journal a database. Also the channel of NOTIFY."""

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
)
"""The tables of karma_memory.journal.schema; the journal's row says the version."""

SETTINGS = (
    f"SET search_path = {SCHEMA}",
    # Acknowledged means on disk, whatever the server's default is.
    "SET synchronous_commit = on",
    "SET default_transaction_isolation = 'read committed'",
    # A memory server that hangs in the middle of an append doesn't stop the others for good.
    "SET lock_timeout = '10s'",
    "SET idle_in_transaction_session_timeout = '30s'",
)
CONNECTION_DEFAULTS = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
    "application_name": "karma_memory",
    "client_encoding": "UTF8",
}
"""What the connection string may override: a server that is gone is noticed within seconds."""

Connection = psycopg.Connection[tuple[Any, ...]]


class PostgresJournal(Journal):
    """A journal in the database that a connection string names; the tables are made when they don't exist."""

    shared = True

    def __init__(
        self,
        conninfo: str,
        *,
        verify: bool = True,
        read_only: bool = False,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        """Connect, and make the journal when there is none; see open_journal.

        JournalConnectionError, CorruptJournalError, NewerSchemaError, JournalError.
        """
        try:
            parts = conninfo_to_dict(conninfo)
        except psycopg.ProgrammingError as error:
            raise JournalError(f"not a connection string of PostgreSQL: {error}") from error
        self.location = f"postgresql://{parts.get('host', '')}/{parts.get('dbname', '')}"
        parameters = {name: str(value) for name, value in {**CONNECTION_DEFAULTS, **parts}.items()}
        self._wake_read, self._wake_write = os.pipe()
        self._closed = False
        self._read_only = read_only
        self._own = 0
        """Sequence of the newest event that was appended here."""
        self._writer, self._reader, self._listener, self._cleaner = (_Link(self.location, parameters) for _ in range(4))
        try:
            with self._writer.use() as connection:
                self.uuid = _prepare(connection, self.location, read_only=read_only)
                self.schema_version = SCHEMA_VERSION
            place = Path(folder).expanduser() if folder else Path.home() / ".karma" / self.uuid
            self.path = place / "journal"
            if verify:
                self.verify()
        except BaseException:
            self.close()
            raise

    @property
    def last_sequence(self) -> int:
        """Sequence of the newest event that anybody committed."""
        return int(self._fetch("SELECT coalesce(max(sequence), 0) FROM events")[0][0])

    @property
    def size_bytes(self) -> int:
        """Bytes of the tables and their indexes."""
        total = "SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_stat_user_tables WHERE schemaname = %s"
        return int(self._fetch(total, (SCHEMA,))[0][0])

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Begin to append; see Journal. Other servers wait until it ends."""
        own = self._own
        try:
            with self._writer.use() as connection, connection.transaction():
                last = self._lock(connection)
                transaction = PostgresTransaction(self.location, last, connection)
                yield transaction
                if transaction.last_sequence > last:
                    self._own = transaction.last_sequence
                    connection.execute("SELECT pg_notify(%s, %s)", (SCHEMA, str(self._own)))
        except BaseException:
            self._own = own
            raise

    def sequence_at(self, at: float, after: int) -> int:
        """Return the sequence of the last event before the first one after `after` that happened after `at`."""
        return int(
            self._fetch(
                "SELECT coalesce("
                "(SELECT sequence - 1 FROM events WHERE stamp > %s AND sequence > %s ORDER BY sequence LIMIT 1), "
                "(SELECT max(sequence) FROM events), 0)",
                (at, after),
            )[0][0]
        )

    def parted_at(self, at: float, after: int) -> int:
        """Return the sequence, `after` or later, that best parts the events after `after` by the time `at`."""
        rows = self._fetch(
            "SELECT sequence FROM (SELECT sequence, sum(CASE WHEN stamp <= %s THEN 1 ELSE -1 END) "
            "OVER (ORDER BY sequence) AS lead FROM events WHERE sequence > %s) AS scored "
            "WHERE lead > 0 ORDER BY lead DESC, sequence LIMIT 1",
            (at, after),
        )
        return int(rows[0][0]) if rows else after

    def newest_stamp(self, until: int) -> float:
        """Return the latest time at which an event up to the sequence `until` happened; 0 without one."""
        return float(self._fetch("SELECT coalesce(max(stamp), 0) FROM events WHERE sequence <= %s", (until,))[0][0])

    def horizon(self) -> Horizon:
        """Return since when the past is known event by event."""
        rows = self._fetch("SELECT sequence, stamp FROM base")
        return Horizon(int(rows[0][0]), float(rows[0][1])) if rows else Horizon()

    def reclaim(self) -> None:
        """Let the database use the room of what was dropped again. Whoever appends doesn't wait for it."""
        self._check_writable()
        with self._cleaner.use() as connection:
            connection.execute("VACUUM events, images, pictures, base")

    def wait(self, after: int, timeout: float) -> bool:
        """Wait for an event of another server; see Journal. NOTIFY ends the wait, and so does the time."""
        deadline = time.monotonic() + timeout
        with self._listener.use(listen=True) as connection:
            if self.last_sequence > after:
                return True
            while (left := deadline - time.monotonic()) > 0:
                if self._wake_read in _readable((connection.fileno(), self._wake_read), left):
                    return False
                if any(_told(notice.payload) > max(after, self._own) for notice in connection.notifies(timeout=0)):
                    return True
        return self.last_sequence > after

    def adopt(self, uuid: str) -> None:
        """Make an empty journal a copy of another one, whose `uuid` this is. JournalError when it has events."""
        with self._writer.use() as connection, connection.transaction():
            if self._lock(connection):
                raise JournalError(f"{self.location} has events of its own; it cannot become a copy of another journal")
            connection.execute("UPDATE journal SET uuid = %s", (uuid,))
        self.uuid = uuid

    def close(self) -> None:
        """Wait for what is being read and written, and close the connections. May be called again."""
        if not self._closed:
            self._closed = True
            os.write(self._wake_write, b"x")
            for link in (self._listener, self._writer, self._reader, self._cleaner):
                link.close()
            os.close(self._wake_write)
            os.close(self._wake_read)

    def _lock(self, connection: Connection) -> int:
        """Wait until nobody else appends, keep it so until the transaction ends, and return the last sequence."""
        self._check_writable()
        found = connection.execute("SELECT uuid FROM journal FOR UPDATE").fetchone()
        if found is None or found[0] != self.uuid:
            raise JournalError(f"{self.location} holds another journal now; start this memory server again")
        # A statement of its own: it sees what the one before waited for.
        return int(_one(connection.execute("SELECT coalesce(max(sequence), 0) FROM events"))[0])

    def _check_writable(self) -> None:
        if self._read_only:
            raise JournalError(f"the journal {self.location} is open for reading only")

    def _rows(self, after: int, until: int) -> Sequence[tuple[object, ...]]:
        return self._fetch(
            "SELECT sequence, id, stamp, body, checksum FROM events WHERE sequence > %s AND sequence <= %s "
            "ORDER BY sequence LIMIT %s",
            (after, until, READ_CHUNK),
        )

    def _row(self, event_id: str) -> tuple[object, ...] | None:
        rows = self._fetch("SELECT sequence, id, stamp, body, checksum FROM events WHERE id = %s", (event_id,))
        return rows[0] if rows else None

    def _image(self, sha256: str) -> tuple[int, bytes | None] | None:
        rows = self._fetch(
            "SELECT size, data FROM pictures LEFT JOIN images USING (sha256) WHERE sha256 = %s", (sha256,)
        )
        return (int(rows[0][0]), rows[0][1]) if rows else None

    def _base(self) -> tuple[int, float, int, bytes, str] | None:
        rows = self._fetch("SELECT sequence, stamp, version, state, checksum FROM base")
        return rows[0] if rows else None

    def _fetch(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; asked again where the connection broke, which does no harm."""
        try:
            return self._fetch_once(statement, values)
        except JournalConnectionError:
            return self._fetch_once(statement, values)

    def _fetch_once(self, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with self._reader.use() as connection:
            return connection.execute(statement, values, binary=True).fetchall()


class PostgresTransaction(Transaction):
    """An open transaction that holds the journal's lock."""

    def __init__(self, location: str, last_sequence: int, connection: Connection) -> None:
        super().__init__(location, last_sequence)
        self._connection = connection

    def _known(self, ids: Sequence[str]) -> Mapping[str, tuple[int, str]]:
        rows = self._connection.execute("SELECT id, sequence, body FROM events WHERE id = ANY(%s)", (list(ids),))
        return {row[0]: (int(row[1]), str(row[2])) for row in rows}

    def _known_images(self, hashes: Sequence[str]) -> Mapping[str, int]:
        rows = self._connection.execute("SELECT sha256, size FROM pictures WHERE sha256 = ANY(%s)", (list(hashes),))
        return {str(row[0]): int(row[1]) for row in rows}

    def _insert(self, rows: Sequence[Row], images: Sequence[Image]) -> None:
        with self._connection.cursor() as cursor:
            if len(rows) == 1:
                cursor.execute("INSERT INTO events VALUES (%s, %s, %s, %s, %s)", rows[0])
            else:
                cursor.executemany("INSERT INTO events VALUES (%s, %s, %s, %s, %s)", rows)
            for image in images:
                cursor.execute("INSERT INTO images VALUES (%s, %b)", (image.sha256, image.data))
                cursor.execute(
                    "INSERT INTO pictures VALUES (%s, %s, 0) ON CONFLICT (sha256) DO UPDATE SET size = excluded.size",
                    (image.sha256, len(image.data)),
                )

    def _mention(self, mentions: Mapping[str, int]) -> None:
        for sha256, sequence in mentions.items():
            self._connection.execute("UPDATE pictures SET sequence = %s WHERE sha256 = %s", (sequence, sha256))

    def _image_bytes(self) -> int:
        total = "SELECT coalesce(sum(size), 0)::bigint FROM pictures WHERE size > 0"
        return int(_one(self._connection.execute(total))[0])

    def _held_images(self) -> Iterator[tuple[str, int]]:
        with self._connection.cursor("held") as cursor:  # on the server
            cursor.execute('SELECT sha256, size FROM pictures WHERE size > 0 ORDER BY sequence, sha256 COLLATE "C"')
            yield from ((str(row[0]), int(row[1])) for row in cursor)

    def _drop_images(self, hashes: Sequence[str]) -> None:
        self._connection.execute("DELETE FROM images WHERE sha256 = ANY(%s)", (list(hashes),))
        self._connection.execute("UPDATE pictures SET size = 0 WHERE sha256 = ANY(%s)", (list(hashes),))

    def set_base(self, base: PackedBase) -> None:
        """Store the state of all memories at a horizon; content of events up to there can be dropped then."""
        self._connection.execute("DELETE FROM base")
        self._connection.execute("INSERT INTO base VALUES (%s, %s, %s, %b, %s)", base)

    def _replace(self, rows: Sequence[Row]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE events SET body = %s, checksum = %s WHERE sequence = %s",
                [(row.body, row.checksum, row.sequence) for row in rows],
            )


class _Link:
    """One connection, made when it is needed and again after it broke. For one thread at a time; others wait."""

    def __init__(self, location: str, parameters: Mapping[str, str]) -> None:
        self._location = location
        self._parameters = parameters
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._closed = False

    @contextmanager
    def use(self, *, listen: bool = False) -> Iterator[Connection]:
        """Give the connection, outside a transaction; `listen`: one that hears what is notified."""
        with self._lock:
            if self._closed:
                raise JournalError(f"the journal {self._location} is closed")
            try:
                # What a server sends unasked is its farewell, so connect anew: nothing has been asked yet.
                if self._connection is not None and not listen and _readable((self._connection.fileno(),), 0.0):
                    self._connection.close()
                    self._connection = None
                yield self._connection or self._connect(listen)
            except psycopg.Error as error:
                raise self._translated(error) from error
            finally:
                if self._connection is not None and self._connection.closed:
                    self._connection = None

    def close(self) -> None:
        """Close the connection after the call that uses it."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                self._connection.close()

    def _connect(self, listen: bool) -> Connection:
        connection: Connection = psycopg.connect(autocommit=True, **self._parameters)  # type: ignore[arg-type]
        try:
            for setting in SETTINGS:
                connection.execute(setting)
            if listen:
                connection.execute(f"LISTEN {SCHEMA}")
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _translated(self, error: psycopg.Error) -> JournalError:
        message = str(error).strip().replace("\n", " ")
        if isinstance(error, psycopg.errors.DiskFull):
            return JournalFullError(f"no room for {self._location}: {message}; free some space and try again")
        if isinstance(error, (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted)):
            return CorruptJournalError(self._location, message)
        if isinstance(error, psycopg.errors.LockNotAvailable):
            return JournalError(f"another memory server holds {self._location} for too long; try again in a moment")
        if self._connection is None or self._connection.closed:
            return JournalConnectionError(
                f"no connection to {self._location}: {message}; what was not acknowledged may or may not be there. "
                "See that the server runs, then do the same again, with the same event ids"
            )
        return JournalError(f"{self._location}: {message}")


def _prepare(connection: Connection, location: str, *, read_only: bool) -> str:
    """Make the tables where there are none, refuse what is no journal, and return the journal's uuid."""
    encoding = _one(connection.execute("SHOW server_encoding"))[0]
    if encoding != "UTF8":
        raise JournalError(f"{location} has the encoding {encoding}; make a database with ENCODING 'UTF8'")
    if _one(connection.execute("SHOW fsync"))[0] != "on":
        logger.warning("%s runs with fsync off: a power cut can lose or damage the journal", location)
    with connection.transaction():
        # Two servers that start at the same time make the tables once.
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (APPLICATION_ID,))
        if _one(connection.execute("SELECT to_regnamespace(%s) IS NULL", (SCHEMA,)))[0]:
            if read_only:
                raise JournalError(f"{location} holds no journal")
            for statement in TABLES:
                connection.execute(statement)
            connection.execute("INSERT INTO journal VALUES (%s, %s)", (str(uuid.uuid4()), SCHEMA_VERSION))
        if _one(connection.execute("SELECT to_regclass(%s) IS NULL", (f"{SCHEMA}.journal",)))[0]:
            raise JournalError(f"{location} has a schema {SCHEMA} that is no KARMA journal; give another database")
        row = connection.execute("SELECT uuid, version FROM journal").fetchone()
    if row is None or not is_uuid(row[0]):
        raise CorruptJournalError(location, "the journal has lost its identity")
    if row[1] > SCHEMA_VERSION:
        raise NewerSchemaError(
            f"{location} has schema version {row[1]}, this karma_memory knows up to {SCHEMA_VERSION}: update "
            "karma_memory, or give another database"
        )
    if row[1] < SCHEMA_VERSION:
        raise CorruptJournalError(location, f"there never was a journal of schema version {row[1]} in PostgreSQL")
    return str(row[0])


def _told(payload: str) -> int:
    """Return the sequence that a notice tells of; 0 for one that no memory server sent: anybody may use the channel."""
    return int(payload) if re.fullmatch("[0-9]{1,19}", payload) else 0


def _readable(files: Sequence[int], timeout: float) -> set[int]:
    """Return those file descriptors on which there is something to read, or nothing more will come."""
    poll = select.poll()
    for file in files:
        poll.register(file, select.POLLIN)
    return {file for file, _ in poll.poll(timeout * 1000.0)}


def _one(cursor: psycopg.Cursor[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the row of a query that always has one."""
    row = cursor.fetchone()
    if row is None:
        raise psycopg.DataError("a query that gives one row gave none")
    return row
