# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors on disk, so that a restart need not embed everything again. A cache: it may be deleted at any time."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from karma_memory.journal.durable import remove_database
from karma_memory.recall.embedder import Vectors

logger = logging.getLogger(__name__)

_TABLE = (
    "CREATE TABLE IF NOT EXISTS vectors (model TEXT NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, "
    "UNIQUE (model, text))"
)
"""In the order in which they were embedded, which is about that in which a restart asks for them."""
READ_TOGETHER = 500
"""Vectors that one query reads; SQLite allows 999 parameters at least."""


class VectorStore:
    """Text → vector for one model, in an SQLite file, or in memory where that can't be used. Thread-safe.

    Several processes may use one file. A damaged one is made again.
    """

    def __init__(self, path: Path, model: str) -> None:
        self._path = path
        self._model = model
        self._lock = threading.Lock()
        try:
            self._connection = _open_or_make_anew(path)
        except (OSError, sqlite3.Error) as error:
            logger.warning("cannot make or use %s (%s); a restart will compute the vectors again", path, error)
            self._connection = _open(":memory:")

    def load(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of those texts that are stored. What cannot be read is missing: it is logged."""
        found: dict[str, NDArray[np.float32]] = {}
        text_of = {_key(text): text for text in texts}
        keys = list(text_of)
        try:
            with self._lock:
                for start in range(0, len(keys), READ_TOGETHER):
                    part = keys[start : start + READ_TOGETHER]
                    places = ",".join("?" * len(part))
                    statement = f"SELECT text, vector FROM vectors WHERE model = ? AND text IN ({places})"  # noqa: S608
                    for key, vector in self._connection.execute(statement, (self._model, *part)):
                        found[text_of[key]] = np.frombuffer(vector, dtype="<f4").astype(np.float32)
        except (sqlite3.Error, ValueError, TypeError) as error:
            logger.warning("cannot read %s (%s); the vectors are computed again", self._path, error)
        return found

    def save(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Store vectors. A full disk or a damaged file costs the cache only: it is logged."""
        rows = [
            (self._model, _key(text), np.asarray(vector, dtype="<f4").tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        try:
            with self._lock, self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            logger.warning(
                "cannot store %d vectors in %s (%s); they are computed again later", len(rows), self._path, error
            )

    def close(self) -> None:
        """Close the file; nothing is found in it and nothing stored any more."""
        with self._lock:
            self._connection.close()


def _open(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_TABLE)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_or_make_anew(path: Path) -> sqlite3.Connection:
    """Open a file; delete one that is damaged and make it again, but not one that only cannot be used now."""
    try:
        return _open(path)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        logger.warning("the vector cache %s is damaged (%s); it is made again", path, error)
    remove_database(path)
    return _open(path)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
