# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The journal in a PostgreSQL database, which several memory servers may write at the same time.

Whoever appends holds the lock on the one row of the table `journal` until its transaction ends: so sequences have no
gaps, and their order is that in which transactions were committed. NOTIFY tells the others.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karma_memory.journal.errors import CorruptJournalError, JournalConnectionError, JournalError
from karma_memory.journal.postgres_link import Link, parsed, readable
from karma_memory.journal.postgres_schema import SCHEMA, VERSION, Connection, migrate, one, prepare
from karma_memory.journal.store import Journal
from karma_memory.journal.transaction import Row, Transaction


class PostgresJournal(Journal):
    """A journal in the database that a connection string names; the tables are made when they don't exist."""

    shared = True
    has_text = "position(? IN body) > 0"

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
        self.location, parameters = parsed(conninfo)
        self._wake_read, self._wake_write = os.pipe()
        self._closed = False
        self._read_only = read_only
        self._own = 0
        """Sequence of the newest event that was appended here."""
        self._writer, self._reader, self._listener, self._cleaner = (Link(self.location, parameters) for _ in range(4))
        try:
            with self._writer.use() as connection:
                identity = prepare(connection, self.location, read_only=read_only)
            self.uuid, self.schema_version = identity.uuid, identity.version
            place = Path(folder).expanduser() if folder else Path.home() / ".karma" / self.uuid
            self.path = place / "journal"
            older = self.schema_version < VERSION and not read_only
            if verify or older:
                self.verify()
            else:
                self._check_end()
            if older:
                with self._writer.use() as connection:
                    migrate(connection)
                self.schema_version = VERSION
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
        total = "SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_stat_user_tables WHERE schemaname = ?"
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
                    connection.execute(
                        "WITH noted AS (UPDATE journal SET last = %s RETURNING last) "
                        "SELECT pg_notify(%s, last::text) FROM noted",
                        (self._own, SCHEMA),
                    )
        except BaseException:
            self._own = own
            raise

    def reclaim(self) -> None:
        """Let the database use the room of what was dropped again. Whoever appends doesn't wait for it."""
        self._check_writable()
        with self._cleaner.use() as connection:
            connection.execute("VACUUM events, images, pictures, base")

    def expunge(self) -> None:
        """Write the tables anew; see Journal. The server's own log (pg_wal) and backups are its administrator's."""
        self._check_writable()
        with self._cleaner.use() as connection:
            connection.execute("VACUUM (FULL, ANALYZE) events, images, pictures, base")

    def wait(self, after: int, timeout: float) -> bool:
        """Wait for an event of another server; see Journal. NOTIFY ends the wait, and so does the time."""
        deadline = time.monotonic() + timeout
        with self._listener.use(listen=True) as connection:
            if self.last_sequence > after:
                return True
            while (left := deadline - time.monotonic()) > 0:
                if self._wake_read in readable((connection.fileno(), self._wake_read), left):
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

    def verify(self) -> None:
        """Check every row, the state at the horizon, the index of ids, and that the last events are there."""
        super().verify()
        self._check_end()
        self._check_index()

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
        found = connection.execute("SELECT uuid, last FROM journal FOR UPDATE").fetchone()
        if found is None or found[0] != self.uuid:
            raise JournalError(f"{self.location} holds another journal now; start this memory server again")
        # A statement of its own: it sees what the one before waited for.
        last = int(one(connection.execute("SELECT coalesce(max(sequence), 0) FROM events"))[0])
        self._refuse_lost(last, found[1])
        return last

    def _check_end(self) -> None:
        """Refuse a journal whose last events are gone."""
        if self.schema_version == VERSION:
            rows = self._fetch("SELECT coalesce(max(sequence), 0), (SELECT min(last) FROM journal) FROM events")
            self._refuse_lost(*rows[0])

    def _check_index(self) -> None:
        """Refuse a journal whose index of ids lacks some: an event would not be known again."""
        with self._reader.use() as connection, connection.transaction():
            connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
            found, events = one(
                connection.execute("SELECT (SELECT count(*) FROM events WHERE id >= ''), max(sequence) FROM events")
            )
        if found != (events or 0):
            raise CorruptJournalError(self.location, f"the index of ids has {found} of {events} events")

    def _refuse_lost(self, last: int, committed: int) -> None:
        if last < committed:  # it may be greater: servers of an older version don't say what they commit
            raise CorruptJournalError(
                self.location, f"event {last + 1} is damaged or missing: {committed} were committed"
            )

    def _check_writable(self) -> None:
        if self._read_only:
            raise JournalError(f"the journal {self.location} is open for reading only")

    def _fetch(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; asked again where the connection broke, which does no harm."""
        try:
            return self._fetch_once(statement, values)
        except JournalConnectionError:
            return self._fetch_once(statement, values)

    def _fetch_once(self, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with self._reader.use() as connection:
            return connection.execute(statement.replace("?", "%s"), values, binary=True).fetchall()


class PostgresTransaction(Transaction):
    """An open transaction that holds the journal's lock."""

    def __init__(self, location: str, last_sequence: int, connection: Connection) -> None:
        super().__init__(location, last_sequence)
        self._connection = connection

    def _write(self, statement: str, values: Sequence[tuple[object, ...]]) -> None:
        statement = statement.replace("?", "%s")
        if len(values) == 1:  # as most of the time: less to and fro
            self._connection.execute(statement, values[0])
        elif values:
            with self._connection.cursor() as cursor:
                cursor.executemany(statement, values)

    def _known(self, ids: Sequence[str]) -> Mapping[str, tuple[int, str]]:
        rows = self._connection.execute("SELECT id, sequence, body FROM events WHERE id = ANY(%s)", (list(ids),))
        return {row[0]: (int(row[1]), str(row[2])) for row in rows}

    def _known_images(self, hashes: Sequence[str]) -> Mapping[str, int]:
        rows = self._connection.execute("SELECT sha256, size FROM pictures WHERE sha256 = ANY(%s)", (list(hashes),))
        return {str(row[0]): int(row[1]) for row in rows}

    def _image_bytes(self) -> int:
        total = "SELECT coalesce(sum(size), 0)::bigint FROM pictures WHERE size > 0"
        return int(one(self._connection.execute(total))[0])

    def _held_images(self) -> Iterator[tuple[str, int, int]]:
        with self._connection.cursor("held") as cursor:  # on the server
            held = 'SELECT sha256, size, sequence FROM pictures WHERE size > 0 ORDER BY sequence, sha256 COLLATE "C"'
            cursor.execute(held)
            yield from ((str(row[0]), int(row[1]), int(row[2])) for row in cursor)

    def _replace(self, rows: Sequence[Row]) -> None:
        self._write(
            "UPDATE events SET body = ?, checksum = ? WHERE sequence = ?",
            [(row.body, row.checksum, row.sequence) for row in rows],
        )


def _told(payload: str) -> int:
    """Return the sequence that a notice tells of; 0 for one that no memory server sent: anybody may use the channel."""
    return int(payload) if re.fullmatch("[0-9]{1,19}", payload) else 0
