# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Exact nearest-vector search over the labels of the records; equal labels share a vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from karma_memory.recall.embedder import Vectors

MIN_COSINE = 0.1
"""Texts less alike than this have nothing to do with each other (all-MiniLM-L6-v2: unrelated words stay below)."""


class SemanticIndex:
    """Ranks records by the cosine of their label's vector with the query's. Not thread-safe."""

    def __init__(self) -> None:
        self._matrix: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._rows: dict[str, int] = {}
        self._labels: list[str] = []
        self._records: dict[str, dict[str, None]] = {}
        """Label → ids of the records that have it."""
        self._label_of: dict[str, str] = {}
        self._missing: dict[str, None] = {}
        """Labels in use without a vector, oldest first."""

    @property
    def missing(self) -> list[str]:
        """Labels in use that have no vector yet, oldest first."""
        return list(self._missing)

    def put(self, record_id: str, label: str) -> None:
        """Add a record, or change its label."""
        if self._label_of.get(record_id) == label:
            return
        self.remove(record_id)
        self._label_of[record_id] = label
        self._records.setdefault(label, {})[record_id] = None
        if label not in self._rows:
            self._missing[label] = None

    def remove(self, record_id: str) -> None:
        """Take a record out, if it is in. The vector of its label is kept until the room is needed."""
        label = self._label_of.pop(record_id, None)
        if label is not None:
            del self._records[label][record_id]
            if not self._records[label]:
                del self._records[label]
                self._missing.pop(label, None)

    def vector(self, label: str) -> NDArray[np.float32] | None:
        """Return the vector of a label, or None while there is none."""
        row = self._rows.get(label)
        return None if row is None else self._matrix[row]

    def add_vectors(self, labels: Sequence[str], vectors: Vectors) -> None:
        """Take in the vectors of labels."""
        for label, vector in zip(labels, vectors, strict=True):
            if label in self._rows:
                continue
            if len(self._labels) == len(self._matrix):
                self._make_room(len(vector))
            row = len(self._labels)
            self._matrix[row] = vector
            self._rows[label] = row
            self._labels.append(label)
            self._missing.pop(label, None)

    def _make_room(self, dimension: int) -> None:
        """Drop the vectors of labels that no record has, and take twice the room of the others."""
        kept = [row for row, label in enumerate(self._labels) if label in self._records]
        matrix = np.zeros((max(64, 2 * len(kept)), dimension), dtype=np.float32)
        if kept:
            matrix[: len(kept)] = self._matrix[kept]
        self._matrix = matrix
        self._labels = [self._labels[row] for row in kept]
        self._rows = {label: row for row, label in enumerate(self._labels)}

    def search(self, vector: NDArray[np.float32], accept: Callable[[str], bool], limit: int) -> list[tuple[str, float]]:
        """Return up to `limit` accepted record ids and their cosines, most alike first."""
        count = len(self._labels)
        if not count:
            return []
        cosines = self._matrix[:count] @ vector
        rows = np.flatnonzero(cosines >= MIN_COSINE)
        found: list[tuple[str, float]] = []
        for row in rows[np.lexsort((rows, -cosines[rows]))]:
            for record_id in self._records.get(self._labels[row], ()):
                if accept(record_id):
                    found.append((record_id, float(cosines[row])))
                    if len(found) == limit:
                        return found
        return found
