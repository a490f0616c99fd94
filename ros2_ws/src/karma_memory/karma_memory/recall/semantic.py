# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Nearest-vector search over the labels of the records: all are compared; equal labels share a vector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karma_memory.recall.embedder import Vectors

MIN_COSINE = 0.1
"""Texts less alike than this have nothing to do with each other (all-MiniLM-L6-v2: unrelated words stay below)."""


class SemanticIndex:
    """Ranks rows by the cosine of their label's vector with the query's. Not thread-safe."""

    def __init__(self) -> None:
        self._matrix: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._places: dict[str, int] = {}
        """Label → its place in the matrix."""
        self._labels: list[str] = []
        self._rows: dict[str, set[int]] = {}
        """Label → rows that have it."""
        self._label_of: dict[int, str] = {}
        self._place_of = np.full(64, -1, dtype=np.int32)
        """Row → place of its label's vector, -1 while there is none."""
        self._missing: dict[str, None] = {}
        """Labels in use without a vector, oldest first."""

    @property
    def missing(self) -> list[str]:
        """Labels in use that have no vector yet, oldest first."""
        return list(self._missing)

    def put(self, row: int, label: str) -> None:
        """Let `label` be the label of `row`."""
        if self._label_of.get(row) == label:
            return
        self.remove(row)
        self._label_of[row] = label
        self._rows.setdefault(label, set()).add(row)
        if row >= len(self._place_of):
            self._place_of = np.concatenate([self._place_of, np.full(row + 1, -1, dtype=np.int32)])
        self._place_of[row] = self._places.get(label, -1)
        if label not in self._places:
            self._missing[label] = None

    def remove(self, row: int) -> None:
        """Take a row out, if it is in. The vector of its label is kept until the room is needed."""
        label = self._label_of.pop(row, None)
        if label is not None:
            self._place_of[row] = -1
            self._rows[label].remove(row)
            if not self._rows[label]:
                del self._rows[label]
                self._missing.pop(label, None)

    def vector(self, label: str) -> NDArray[np.float32] | None:
        """Return the vector of a label, or None while there is none."""
        place = self._places.get(label)
        return None if place is None else self._matrix[place]

    def add_vectors(self, labels: Sequence[str], vectors: Vectors) -> None:
        """Take in the vectors of labels."""
        new = {label: number for number, label in enumerate(labels) if label not in self._places}
        if not new:
            return
        if len(self._labels) + len(new) > len(self._matrix):
            self._make_room(vectors.shape[1], len(new))
        start = len(self._labels)
        self._matrix[start : start + len(new)] = vectors[list(new.values())]
        for place, label in enumerate(new, start):
            self._places[label] = place
            self._labels.append(label)
            for row in self._rows.get(label, ()):
                self._place_of[row] = place
            self._missing.pop(label, None)

    def cosines(self, vector: NDArray[np.float32], rows: int) -> NDArray[np.float32]:
        """Return the cosines of rows 0 to `rows` - 1 with `vector`; -1 where there is no vector.

        A label's cosine is the same wherever its vector lies, which a matrix product (BLAS) doesn't promise.
        """
        cosines = np.full(rows, -1.0, dtype=np.float32)
        count = len(self._labels)
        places = np.full(rows, -1, dtype=np.int32)
        known = self._place_of[:rows]
        places[: len(known)] = known
        has = places >= 0
        if count and has.any():
            of_place = np.einsum("ij,j->i", self._matrix[:count], vector)
            cosines[has] = of_place[places[has]]
        return cosines

    def _make_room(self, dimension: int, number: int) -> None:
        """Drop the vectors of labels that no row has, and take twice the room of the others and `number` new ones."""
        kept = [place for place, label in enumerate(self._labels) if label in self._rows]
        matrix = np.zeros((max(64, 2 * (len(kept) + number)), dimension), dtype=np.float32)
        if kept:
            matrix[: len(kept)] = self._matrix[: len(kept)] if len(kept) == len(self._labels) else self._matrix[kept]
        if len(kept) < len(self._labels):
            self._labels = [self._labels[place] for place in kept]
            self._places = {label: place for place, label in enumerate(self._labels)}
            for label, place in self._places.items():
                self._place_of[list(self._rows[label])] = place
        self._matrix = matrix
