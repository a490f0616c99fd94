# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""BM25 over the words of the records, by SQLite's FTS5 in memory: incremental, stemmed, nothing to install."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

MAX_TERMS = 64
"""Words of a query that are looked for; longer texts are cut."""

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def split_camel_case(text: str) -> str:
    """Return "butter Knife" for "butterKnife", so that the words of a category can be found."""
    return _CAMEL.sub(" ", text)


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, CamelCase taken apart."""
    return [word.lower() for word in _WORD.findall(split_camel_case(text))]


STOP_WORDS = frozenset(
    words(
        "a about all am an and any are as at be been but by can could did do does for from had has have he her his how "
        "i if in into is it its me my no not of off on or our out please she should so some that the their them then "
        "there these they this to up us was we were what when where which who will with would you your"
    )
)
"""English function words: they are in almost every record and tell nothing."""


class LexicalIndex:
    """Ranks texts by BM25. Not thread-safe."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        self._rows: dict[str, int] = {}
        self._ids: dict[int, str] = {}
        self._next = 1

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, items: dict[str, str | None]) -> None:
        """Add or replace texts by id; None takes one out. One transaction."""
        self._connection.execute("BEGIN")
        for record_id, text in items.items():
            row = self._rows.pop(record_id, None)
            if row is not None:
                self._connection.execute("DELETE FROM texts WHERE rowid = ?", (row,))
                del self._ids[row]
            if text is not None:
                self._rows[record_id], self._ids[self._next] = self._next, record_id
                self._connection.execute(
                    "INSERT INTO texts (rowid, body) VALUES (?, ?)", (self._next, " ".join(words(text)))
                )
                self._next += 1
        self._connection.execute("COMMIT")

    def search(self, text: str, accept: Callable[[str], bool], limit: int) -> list[tuple[str, float]]:
        """Return up to `limit` accepted ids whose texts share a word with `text`, and their BM25, largest first."""
        terms = list(dict.fromkeys(word for word in words(text) if word not in STOP_WORDS))[:MAX_TERMS]
        if not terms:
            return []
        expression = " OR ".join(f'"{term}"' for term in terms)
        found: list[tuple[str, float]] = []
        cursor = self._connection.execute(
            "SELECT rowid, bm25(texts) FROM texts WHERE texts MATCH ? ORDER BY 2, 1", (expression,)
        )
        for row, score in cursor:
            if accept(self._ids[row]):
                found.append((self._ids[row], -score))
                if len(found) == limit:
                    break
        cursor.close()
        return found
