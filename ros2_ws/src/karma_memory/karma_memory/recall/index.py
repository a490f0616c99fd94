# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The records of all memories and the ways to find them: by words, by meaning, by the object that is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karma_language.vocabulary.categories import Mention, Vocabulary
from karma_memory.recall.embedder import Vectors
from karma_memory.recall.fusion import Ranking
from karma_memory.recall.lexical import LexicalIndex
from karma_memory.recall.query import Record
from karma_memory.recall.semantic import MIN_COSINE, SemanticIndex
from karma_memory.recall.table import NO_ROW, Mask, RecordTable

DEPTH = 256
"""Records per ranking that take part in the fusion, where no more answers are asked for."""
NAMED_WEIGHT = 2.0
"""Weight of an object being named by the query, against 1 for likeness of words and of meaning."""
NEWEST, WORDS, MEANING, NAMED = "newest", "words", "meaning", "named"
"""Names of the rankings."""


@dataclass(frozen=True)
class Match:
    """A record that a memory adds to what the index found."""

    record: Record
    """Need not be in the index."""
    named: float
    """0..1, how likely it is what the query asks for: its value in the ranking of what is named."""
    why: str
    """What speaks for it."""


@dataclass(frozen=True)
class Search:
    """What the index found for one query; memories may add to it."""

    mentions: tuple[Mention, ...]
    accepted: Mask
    """Which rows fit the query's filters."""
    rankings: tuple[Ranking, ...]
    """By words, by meaning where there is a vector, by being named where something is; newest first without a text."""
    table: RecordTable

    @property
    def categories(self) -> frozenset[str]:
        """Object categories that the query names."""
        return frozenset(category for mention in self.mentions for category in mention.categories)

    def accept(self, record: Record) -> bool:
        """Whether a record of the index fits the query's filters."""
        return bool(self.accepted[self.table.row(record.id)])


class HybridIndex:
    """Holds the current records. Writing is cheap: about 50 µs a record; vectors come later.

    Not thread-safe.
    """

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.table = RecordTable()
        self.semantic = SemanticIndex()
        self._lexical = LexicalIndex()
        self._by_category: dict[tuple[str, str], dict[str, None]] = {}
        """(kind, category) → record ids."""

    @property
    def records(self) -> dict[str, Record]:
        """Id → current record. Don't change it."""
        return self.table.records

    def put(self, record: Record) -> None:
        """Add or replace a record."""
        old = self.records.get(record.id)
        self._forget_category(old)
        row = self.table.put(record)
        if old is None or old.text != record.text:
            self._lexical.put(row, record.text)
        self.semantic.put(row, record.label)
        if record.node is not None:
            self._by_category.setdefault((record.kind, record.node.category), {})[record.id] = None

    def discard(self, record_id: str) -> None:
        """Take a record out, if it is in."""
        self._forget_category(self.records.get(record_id))
        row = self.table.discard(record_id)
        if row != NO_ROW:
            self._lexical.put(row, None)
            self.semantic.remove(row)

    def of_category(self, kind: str, categories: Iterable[str]) -> list[Record]:
        """Return the records of one memory about objects of these categories."""
        return [
            self.records[record_id]
            for category in sorted(categories)
            for record_id in sorted(self._by_category.get((kind, category), ()))
        ]

    def saying(self, kind: str, text: str) -> list[Record]:
        """Return the records of one memory whose text has every word of `text`."""
        found = map(self.table.record, self._lexical.having(text))
        return [record for record in found if record.kind == kind]

    def search(self, text: str, vector: NDArray[np.float32] | None, accepted: Mask, limit: int) -> Search:
        """Rank accepted rows by the words of `text`, by `vector`, its embedding (None: not), and by being named in it.

        For an empty text, which asks for nothing in particular: by time. `limit`: how many answers are asked for.
        """
        size, depth = self.table.size, max(DEPTH, limit)

        def ranking(name: str, values: NDArray[np.floating], rows: Mask, weight: float = 1.0) -> Ranking:
            found = np.flatnonzero(rows & accepted)
            return Ranking(name, found, values[found].astype(np.float64), weight).cut(depth)

        if not text.strip():
            return Search((), accepted, (ranking(NEWEST, self.table.column("valid_from"), accepted),), self.table)
        mentions = tuple(self.vocabulary.mentions(text))
        bm25 = self._lexical.scores(text, size)
        rankings = [ranking(WORDS, bm25, bm25 > 0)]
        if vector is not None:
            cosines = self.semantic.cosines(vector, accepted)
            rankings.append(ranking(MEANING, cosines, cosines >= MIN_COSINE))
        if mentions:
            named = self.table.among("category", {name for mention in mentions for name in mention.categories})
            rankings.append(ranking(NAMED, self.table.column("confidence"), named, NAMED_WEIGHT))
        return Search(mentions, accepted, tuple(rankings), self.table)

    def add_vectors(self, labels: Sequence[str], vectors: Vectors) -> None:
        """Take in vectors of labels."""
        self.semantic.add_vectors(labels, vectors)

    def _forget_category(self, record: Record | None) -> None:
        if record is not None and record.node is not None:
            self._by_category[record.kind, record.node.category].pop(record.id, None)
