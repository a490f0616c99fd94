# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The journal in an SQLite file: WAL mode, one writer, committed with synchronous=FULL before it is acknowledged."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from karma_memory.journal import schema, write_ahead_log
from karma_memory.journal.checkpoints import CHECKPOINT, Checkpointer
from karma_memory.journal.committed import beside, note, noted, take_lock
from karma_memory.journal.durable import sync_folder
from karma_memory.journal.errors import CorruptJournalError, JournalError, JournalFullError, JournalLockedError
from karma_memory.journal.sqlite_transaction import SqliteTransaction
from karma_memory.journal.store import Journal
from karma_memory.journal.transaction import Transaction

RECLAIMED = 0.25
"""Share of the file that must be unused before it is given back to the system."""
RECLAIMED_TOGETHER = 200
"""Pages that are given back in one transaction: whoever remembers waits no longer."""
INCREMENTAL = 2
"""PRAGMA auto_vacuum of the files that this code makes: free pages can be given back without writing all anew."""
TRANSACTION_BYTES = 20_000
"""What a small transaction adds to the write-ahead log: about five pages."""


class SqliteJournal(Journal):
    """An append-only file of events.

    One process writes it at a time: a lock file beside it sees to that, in which it notes how many events it committed.
    Others may read it meanwhile: they see it as it was when they opened it.
    A file that is damaged, or has lost some of them at its end, is never written to.
    """

    shared = False
    has_text = "instr(body, ?)"

    def __init__(self, path: str | os.PathLike[str], *, verify: bool = True, read_only: bool = False) -> None:
        """Open the journal at `path`, or make it; see open_journal.

        CorruptJournalError, NewerSchemaError, JournalLockedError, JournalError.
        """
        # Two names of one file, by links, must not be two locks.
        self.path = Path(os.path.realpath(Path(path).expanduser()))
        self.location = str(self.path)
        self._read_only = read_only
        if read_only and not self.path.is_file():
            raise JournalError(f"{self.path} does not exist")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise JournalError(f"cannot make the folder of {self.path}: {error}; give another path") from error
        self._last = 0
        self._checkpointer: Checkpointer | None = None
        self._written_by_another = False
        """Whether another process writes the file that this one reads."""
        self._lock_file: IO[bytes]
        try:
            self._lock_file = take_lock(self.path)
        except JournalLockedError:
            if not read_only:
                raise
            self._written_by_another = True
        self._write_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._closed = threading.Event()
        try:
            with self._translated():
                new = not self._holds_events()
                if not new or read_only:
                    self._look(verify=verify)
                if read_only:
                    return
                if new:
                    os.ftruncate(self._lock_file.fileno(), 0)  # what is noted there is about a file that was deleted
                self._writer = self._connect()
                if new:
                    self._writer.execute("PRAGMA auto_vacuum = INCREMENTAL")
                self._writer.execute("PRAGMA journal_mode = WAL")
                self._writer.execute("PRAGMA synchronous = FULL")
                self._writer.execute("PRAGMA wal_autocheckpoint = 0")
                if new:
                    schema.create(self._writer)
                    sync_folder(self.path.parent)
                    self._look(verify=False)
                elif self.schema_version < schema.SCHEMA_VERSION:
                    schema.migrate(self._writer)
                    self.schema_version = schema.SCHEMA_VERSION
                note(self._lock_file.fileno(), self.uuid, self._last)
                self._checkpointer = Checkpointer(self._connect, self._write_lock, self.location)
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
        size = 0
        for suffix in ("", "-wal"):
            with suppress(FileNotFoundError):
                size += os.stat(f"{self.path}{suffix}").st_size
        return size

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Begin to append; see Journal."""
        with self._write_lock, self._translated():
            self._check_open(writing=True)
            self._writer.execute("BEGIN IMMEDIATE")
            transaction = SqliteTransaction(self.location, self._last, self._writer)
            try:
                yield transaction
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            self._last = transaction.last_sequence
            note(self._lock_file.fileno(), self.uuid, self._last)
            if self._checkpointer is not None:
                self._checkpointer.note(TRANSACTION_BYTES + transaction.size)

    def wait(self, after: int, timeout: float) -> bool:
        """Wait for `close` or `timeout`: no other process can write the file."""
        self._closed.wait(timeout)
        return False

    def reclaim(self) -> None:
        """Give the pages of what was dropped back, few at a time, where they are a quarter of the file.

        A file that an older version made is written anew, once, for which all others wait. JournalFullError.
        """
        with self._write_lock, self._translated():
            self._check_open(writing=True)
            free = self._number("freelist_count")
            if free < RECLAIMED * self._number("page_count"):
                return
            if self._number("auto_vacuum") != INCREMENTAL:
                self._writer.execute("PRAGMA auto_vacuum = INCREMENTAL")
                self._writer.execute("VACUUM")
                free = 0
        while free > 0:
            with self._write_lock, self._translated():
                self._check_open(writing=True)
                self._writer.executescript(f"PRAGMA incremental_vacuum({RECLAIMED_TOGETHER:d})")  # execute: one page
                free, before = self._number("freelist_count"), free
            if free >= before:
                break
        with self._translated(), closing(self._connect()) as connection:
            connection.execute("PRAGMA busy_timeout = 1000")  # all who write wait as long for one who reads for long
            connection.execute(CHECKPOINT).fetchone()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def expunge(self) -> None:
        """Write the file anew and empty its write-ahead log; see Journal."""
        with self._write_lock, self._read_lock, self._translated():
            self._check_open(writing=True)
            self._writer.execute("VACUUM")
            busy, *_ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise JournalError(f"another process reads {self.path}; when it is done, open the journal again")

    def adopt(self, uuid: str) -> None:
        """Make an empty journal a copy of another one, whose `uuid` this is. JournalError when it has events."""
        with self.transaction() as transaction:
            if transaction.last_sequence:
                raise JournalError(f"{self.path} has events of its own; it cannot become a copy of another journal")
            self._writer.execute("UPDATE journal SET uuid = ?", (uuid,))
        self.uuid = uuid

    def verify(self) -> None:
        """Check every row, the state at the horizon, and the indexes. CorruptJournalError names what is damaged."""
        super().verify()
        self._check_indexes("events", "pictures")

    def close(self) -> None:
        """Wait for what is being read and written, close the files and give the lock back. May be called again."""
        if self._checkpointer is not None:
            self._checkpointer.close()
        with self._write_lock, self._read_lock:
            self._closed.set()
            for name in ("_reader", "_writer", "_lock_file"):
                if (opened := getattr(self, name, None)) is not None:
                    opened.close()

    def _number(self, pragma: str) -> int:
        return int(self._writer.execute(f"PRAGMA {pragma}").fetchone()[0])

    def _check_indexes(self, *tables: str) -> None:
        """Refuse a table whose indexes say something else than its rows: an event would not be known again."""
        for table in tables:
            (trouble,) = self._fetch(f"PRAGMA integrity_check('{table}')")[0]
            if trouble != "ok":
                raise CorruptJournalError(self.location, f"the table of {table} is damaged: {trouble}")

    def _fetch(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with self._read_lock, self._translated():
            self._check_open()
            return self._reader.execute(statement, values).fetchall()

    def _holds_events(self) -> bool:
        """Whether there is a journal, rather than nothing or one whose making was cut short."""
        log = Path(f"{self.path}-wal")
        if not self.path.exists() or self.path.stat().st_size <= 1:  # one byte is an empty database, too, for SQLite
            if log.exists() and log.stat().st_size:
                raise CorruptJournalError(self.location, "the file is empty or gone, but its write-ahead log is not")
            empty = True
        elif not self._written_by_another and (trouble := write_ahead_log.damage(log)):
            raise CorruptJournalError(self.location, trouble)
        else:
            # A rollback journal is left by a process killed before the file had its first write-ahead log. SQLite
            # undoes what that one began, on a connection that may write.
            cut_short = Path(f"{self.path}-journal").exists()
            with closing(self._connect(read_only=not cut_short)) as connection:
                empty = schema.is_empty(connection)
        if empty and self.path.exists() and (committed := noted(beside(self.path))):
            raise CorruptJournalError(self.location, f"it is empty, but {committed} events were committed")
        return not empty

    def _look(self, *, verify: bool) -> None:
        """Begin to read. A file of an older version is verified in any case.

        Nothing is written, not even by closing, before it is known that the file is intact.
        """
        self._reader = self._connect(read_only=True)
        if self._read_only:
            self._reader.execute("BEGIN")  # whoever writes meanwhile changes nothing of what is read
        committed = noted(beside(self.path))  # before anything is read: more may be committed meanwhile
        self.schema_version = schema.check(self._reader, self.path)
        identity = self._reader.execute("SELECT uuid FROM journal").fetchone()
        if identity is None or not schema.is_uuid(identity[0]):
            raise CorruptJournalError(self.location, "the journal has lost its identity")
        self.uuid = str(identity[0])
        count, last = self._reader.execute(
            "SELECT (SELECT count(*) FROM events), (SELECT coalesce(max(sequence), 0) FROM events)"
        ).fetchone()
        # A page that lost its end reads as zeros, and its rows as number 0: the last number alone would hide them.
        self._last = max(count, last)
        if noted(beside(self.path), self.uuid) and committed > self._last:
            raise CorruptJournalError(
                self.location,
                f"its end is missing: {committed} events were committed, and {self._last} are there (as when an older "
                "copy is put back)",
            )
        if self.schema_version < schema.SCHEMA_VERSION:
            for _ in self.rows():
                pass
            self._check_indexes("events")
            for view in schema.VIEWS_2 if self._read_only else ():
                self._reader.execute(view)
        elif verify or count != last:
            self.verify()

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        location = f"{self.path.as_uri()}?mode={'ro' if read_only else 'rwc'}"
        return sqlite3.connect(location, uri=True, isolation_level=None, check_same_thread=False, timeout=10.0)

    def _check_open(self, *, writing: bool = False) -> None:
        if self._closed.is_set():
            raise JournalError(f"the journal {self.path} is closed")
        if writing and self._read_only:
            raise JournalError(f"the journal {self.path} is open for reading only")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn SQLite's errors into ours."""
        try:
            yield
        except UnicodeDecodeError as error:  # SQLite's message says a name that is damaged
            raise CorruptJournalError(self.location, str(error)) from error
        except sqlite3.Error as error:
            message = str(error)
            extended = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
            code = extended & 0xFF  # the primary one
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "malformed" in message or "decode" in message:
                raise CorruptJournalError(self.location, message) from error
            if "full" in message or extended == sqlite3.SQLITE_IOERR_WRITE:  # what a quota says
                raise JournalFullError(f"no room for {self.path}: {message}; free some space and try again") from error
            if "readonly" in message:
                raise JournalError(
                    f"{self.path} cannot be written: {message}; give its owner the right to write the file and its "
                    "folder, or give another path"
                ) from error
            raise JournalError(f"{self.path}: {message}") from error
