# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The records of all memories and the ways to find them: by words, by meaning, by the object that is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karma_memory.recall.embedder import Vectors
from karma_memory.recall.lexical import LexicalIndex
from karma_memory.recall.query import Record
from karma_memory.recall.semantic import SemanticIndex
from karma_memory.recall.vocabulary import Mention, Vocabulary

DEPTH = 100
"""Records per ranking that take part in the fusion."""


@dataclass(frozen=True)
class Match:
    """A record and what speaks for it."""

    record: Record
    bm25: float | None = None
    cosine: float | None = None
    named: float | None = None
    """0..1, how sure it is that this is an object which the query names."""


@dataclass(frozen=True)
class Search:
    """What the index found for one query; every memory picks its own from it."""

    mentions: tuple[Mention, ...]
    matches: dict[str, Match]
    """Record id → match."""
    accept: Callable[[Record], bool]
    """Whether a record fits the query's filters."""

    @property
    def categories(self) -> frozenset[str]:
        """Object categories that the query names."""
        return frozenset(category for mention in self.mentions for category in mention.categories)

    def of(self, kind: str) -> Iterator[Match]:
        """Yield the matches of one memory."""
        return (match for match in self.matches.values() if match.record.kind == kind)


class HybridIndex:
    """Holds the current records. Writing is cheap: words are indexed at the next search, vectors come later.

    Not thread-safe.
    """

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.records: dict[str, Record] = {}
        self._by_category: dict[tuple[str, str], dict[str, None]] = {}
        """(kind, category) → record ids."""
        self._lexical = LexicalIndex()
        self._changed: dict[str, None] = {}
        """Ids of records whose words are not indexed yet."""
        self.semantic = SemanticIndex()

    def put(self, record: Record) -> None:
        """Add or replace a record."""
        self._forget_category(self.records.get(record.id))
        self.records[record.id] = record
        self._changed[record.id] = None
        self.semantic.put(record.id, record.label)
        if record.node is not None:
            self._by_category.setdefault((record.kind, record.node.category), {})[record.id] = None

    def discard(self, record_id: str) -> None:
        """Take a record out, if it is in."""
        record = self.records.pop(record_id, None)
        if record is not None:
            self._forget_category(record)
            self._changed[record_id] = None
            self.semantic.remove(record_id)

    def of_category(self, kind: str, categories: Iterable[str]) -> list[Record]:
        """Return the records of one memory about objects of these categories."""
        return [
            self.records[record_id]
            for category in sorted(categories)
            for record_id in self._by_category.get((kind, category), ())
        ]

    def search(self, text: str, vector: NDArray[np.float32] | None, accept: Callable[[Record], bool]) -> Search:
        """Find records by the words of `text` and by `vector`, the embedding of `text` (None: by words only)."""
        if self._changed:
            records = {record_id: self.records.get(record_id) for record_id in self._changed}
            self._lexical.put({record_id: record.text if record else None for record_id, record in records.items()})
            self._changed.clear()

        def accept_id(record_id: str) -> bool:
            return accept(self.records[record_id])

        lexical = dict(self._lexical.search(text, accept_id, DEPTH))
        semantic = {} if vector is None else dict(self.semantic.search(vector, accept_id, DEPTH))
        matches = {
            record_id: Match(self.records[record_id], lexical.get(record_id), semantic.get(record_id))
            for record_id in [*lexical, *(key for key in semantic if key not in lexical)]
        }
        return Search(tuple(self.vocabulary.mentions(text)), matches, accept)

    def listing(self, accept: Callable[[Record], bool]) -> Search:
        """Return all accepted records, for a query that asks for nothing in particular."""
        matches = {record.id: Match(record) for record in self.records.values() if accept(record)}
        return Search((), matches, accept)

    def add_vectors(self, labels: Sequence[str], vectors: Vectors) -> None:
        """Take in vectors of labels."""
        self.semantic.add_vectors(labels, vectors)

    def _forget_category(self, record: Record | None) -> None:
        if record is not None and record.node is not None:
            self._by_category[record.kind, record.node.category].pop(record.id, None)
