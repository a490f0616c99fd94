# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Connections to PostgreSQL: made when they are needed and again after they broke, with errors that say what to do."""

from __future__ import annotations

import select
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from karma_memory.journal.errors import (
    CorruptJournalError,
    JournalConnectionError,
    JournalError,
    JournalFullError,
)
from karma_memory.journal.postgres_schema import SCHEMA, Connection

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

SECRETS = ("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")


def parsed(conninfo: str) -> tuple[str, dict[str, str]]:
    """Return a connection string without passwords that names the same database, and what to connect with."""
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(conninfo).items()}
    except psycopg.ProgrammingError as error:
        raise JournalError(f"not a connection string of PostgreSQL: {error}") from error
    return _location({name: value for name, value in parts.items() if name not in SECRETS}), CONNECTION_DEFAULTS | parts


def _location(parts: dict[str, str]) -> str:
    host = parts.get("host", "")
    shown = ""
    if host and not host.startswith(("/", "@")) and not set(host) & set(",:"):  # a name, not a folder or several
        user, port = parts.pop("user", ""), parts.pop("port", "")
        shown = f"{quote(user, safe='')}@" * bool(user) + parts.pop("host") + f":{port}" * bool(port)
    database = quote(parts.pop("dbname", ""), safe="")
    query = urlencode(parts, safe="/:,")
    return f"postgresql://{shown}/{database}" + f"?{query}" * bool(query)


class Link:
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
                if self._connection is not None and not listen and readable((self._connection.fileno(),), 0.0):
                    self._connection.close()
                    self._connection = None
                yield self._connection or self._connect(listen)
            except psycopg.Error as error:
                raise self._translated(error) from error
            except UnicodeDecodeError as error:
                raise CorruptJournalError(self._location, f"a text is damaged: {error}") from error
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
            connection.execute("; ".join(SETTINGS))
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


def readable(files: Sequence[int], timeout: float) -> set[int]:
    """Return those file descriptors on which there is something to read, or nothing more will come."""
    poll = select.poll()
    for file in files:
        poll.register(file, select.POLLIN)
    return {file for file, _ in poll.poll(timeout * 1000.0)}
