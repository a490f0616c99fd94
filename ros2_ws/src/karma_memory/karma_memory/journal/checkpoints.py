# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Moves what was committed from SQLite's write-ahead log to the database file, beside the work.

By itself SQLite does so in the commit that makes the log longer than a limit: that one waits for thousands of pages.
Events are durable in the log already. The log begins anew once all of it was moved, so that the last few pages, which
came meanwhile, are moved while nobody else can write (https://sqlite.org/wal.html, sections 2.1 and 6).
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing

logger = logging.getLogger(__name__)

CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)"
LOG_BYTES = 4_000_000
"""Content that may be committed before the log is moved."""


class Checkpointer:
    """A thread with a connection of its own. A checkpoint that fails is tried again after the next commits."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], writing: threading.Lock, location: str) -> None:
        """Begin to wait. `writing` is held by whoever writes the file, which `location` names in messages."""
        self._connect = connect
        self._writing = writing
        self._location = location
        self._waiting = 0
        self._due = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
        self._thread.start()

    def note(self, size: int) -> None:
        """Say that a transaction of about `size` bytes was committed. Called by one thread at a time."""
        self._waiting += size
        if self._waiting >= LOG_BYTES:
            self._waiting = 0
            self._due.set()

    def close(self) -> None:
        """End the thread, after the checkpoint that it makes."""
        self._closing = True
        self._due.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._due.wait()
            self._due.clear()
            if self._closing:
                return
            try:
                with closing(self._connect()) as connection:
                    connection.execute(CHECKPOINT).fetchone()
                    with self._writing:
                        connection.execute(CHECKPOINT).fetchone()
            except sqlite3.Error as error:
                logger.warning("the write-ahead log of %s is not moved yet: %s", self._location, error)
