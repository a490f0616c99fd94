# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Approximate nearest vectors for very large memories, by usearch where that is installed."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache

import numpy as np
from numpy.typing import NDArray

from karma_memory.recall.embedder import Vectors

CONNECTIVITY = 16
EXPANSION_ADD = 128
EXPANSION_SEARCH = 512
"""HNSW's M, efConstruction and ef (Malkov and Yashunin 2018)."""


@cache
def is_installed() -> bool:
    """Whether usearch is there."""
    return importlib.util.find_spec("usearch") is not None


class ApproximateIndex:
    """A graph (HNSW) over unit vectors that are known by their numbers, 0, 1, 2 … . Keeps one byte per dimension."""

    def __init__(self, dimension: int) -> None:
        if importlib.util.find_spec("onnxruntime") is not None:
            importlib.import_module("onnxruntime")  # usearch 2.26 first and then onnxruntime 1.31 ends the process
        self._index = importlib.import_module("usearch.index").Index(
            ndim=dimension,
            metric="cos",
            dtype="i8",
            connectivity=CONNECTIVITY,
            expansion_add=EXPANSION_ADD,
            expansion_search=EXPANSION_SEARCH,
        )

    def __len__(self) -> int:
        return len(self._index)

    def add(self, vectors: Vectors) -> None:
        """Add the vectors with the next numbers; (n, dimension). About 0.2 ms each."""
        self._index.add(np.arange(len(self), len(self) + len(vectors)), vectors, threads=1)

    def nearest(self, vector: NDArray[np.float32], count: int) -> NDArray[np.intp]:
        """Return the numbers of about the `count` nearest vectors."""
        return np.asarray(self._index.search(vector, count, threads=1).keys).astype(np.intp)
