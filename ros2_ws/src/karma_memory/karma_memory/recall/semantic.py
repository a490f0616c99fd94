# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Nearest-vector search over the labels of the records, exact up to EXACT_LABELS; equal labels share a vector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karma_memory.recall.approximate import ApproximateIndex, is_installed
from karma_memory.recall.embedder import Vectors

MIN_COSINE = 0.1
"""Texts less alike than this have nothing to do with each other (all-MiniLM-L6-v2: unrelated words stay below)."""
EXACT_LABELS = 200_000
"""Labels up to which every vector is compared: there that takes as long as asking a graph of them."""
CANDIDATES = 1024
"""Vectors that are compared beyond that."""
RARE = 1 / 8
"""Where fewer than this share of the rows are asked for, theirs are all compared: too few may be candidates."""
CATCH_UP = 8
"""Vectors that the graph takes in for each new one, until it has all."""


class SemanticIndex:
    """Ranks rows by the cosine of their label's vector with the query's. Not thread-safe.

    With more labels than `exact_labels`, and usearch, it compares those that a graph of the vectors proposes, and those
    that the graph doesn't have yet. What is proposed depends on the order in which the vectors came.
    """

    def __init__(self, exact_labels: int = EXACT_LABELS) -> None:
        self._exact_labels = exact_labels
        self._graph: ApproximateIndex | None = None
        """Over the first vectors of the matrix."""
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
        self._extend_graph(CATCH_UP * len(labels))

    def cosines(self, vector: NDArray[np.float32], asked: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the cosines of rows 0, 1, … with `vector`; -1 where there is no vector, or none that is near.

        `asked`: (n,) for each row, whether it is asked for. A label's cosine is the same wherever its vector lies,
        which a matrix product (BLAS) doesn't promise.
        """
        cosines = np.full(len(asked), -1.0, dtype=np.float32)
        count = len(self._labels)
        places = np.full(len(asked), -1, dtype=np.int32)
        known = self._place_of[: len(asked)]
        places[: len(known)] = known
        has = places >= 0
        if count and has.any():
            compared = self._compared(vector, places[has & asked], len(asked))
            of_place = np.full(count, -1.0, dtype=np.float32)
            of_place[compared] = np.einsum("ij,j->i", self._matrix[compared], vector)
            cosines[has] = of_place[places[has]]
        return cosines

    def _compared(self, vector: NDArray[np.float32], asked: NDArray[np.int32], rows: int) -> NDArray[np.intp] | slice:
        """Return the places whose vectors are compared with `vector`: all, or those that may be near."""
        if self._graph is None:
            return slice(len(self._labels))
        if len(asked) < RARE * rows:
            return np.unique(asked).astype(np.intp)
        new = np.arange(len(self._graph), len(self._labels))
        return np.concatenate([self._graph.nearest(vector, CANDIDATES), new])

    def _extend_graph(self, number: int) -> None:
        """Take some more vectors into the graph, if there are many."""
        if len(self._labels) <= self._exact_labels or not is_installed():
            return
        if self._graph is None:
            self._graph = ApproximateIndex(self._matrix.shape[1])
        start = len(self._graph)
        self._graph.add(self._matrix[start : min(start + number, len(self._labels))])

    def _make_room(self, dimension: int, number: int) -> None:
        """Drop the vectors of labels that no row has, and take twice the room of the others and `number` new ones."""
        kept = [place for place, label in enumerate(self._labels) if label in self._rows]
        matrix = np.zeros((max(64, 2 * (len(kept) + number)), dimension), dtype=np.float32)
        if kept:
            matrix[: len(kept)] = self._matrix[: len(kept)] if len(kept) == len(self._labels) else self._matrix[kept]
        if len(kept) < len(self._labels):
            self._graph = None  # it has them at other places
            self._labels = [self._labels[place] for place in kept]
            self._places = {label: place for place, label in enumerate(self._labels)}
            for label, place in self._places.items():
                self._place_of[list(self._rows[label])] = place
        self._matrix = matrix
