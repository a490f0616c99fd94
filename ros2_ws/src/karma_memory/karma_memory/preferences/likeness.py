# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How alike two texts are: by meaning where there is an embedding model, else by words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from karma_language.vocabulary.terms import STOP_WORDS, normalised, singular, words
from karma_memory.recall.embedder import Embedder

KEPT = 65_536
"""Texts whose vectors are kept."""


class Likeness:
    """Compares short texts. Every text is embedded once. Not thread-safe."""

    def __init__(self, embedder: Embedder | None, *, kept: int = KEPT) -> None:
        """`embedder`: None compares words only; `kept`: texts whose vectors are kept."""
        self._embedder = embedder
        self._kept = kept
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._words: dict[str, frozenset[str]] = {}

    def of(self, one: str, other: str) -> float:
        """Return 0 (nothing in common) .. 1 (the same, but for case and spaces)."""
        one, other = normalised(one), normalised(other)
        if one == other:
            return 1.0
        if not one or not other:
            return 0.0
        if self._embedder is None:
            return _overlap(self._word_set(one), self._word_set(other))
        self.learn((one, other))
        return float(np.clip(self._vectors[one] @ self._vectors[other], 0.0, 1.0))

    def matrix(self, ones: Iterable[str], others: Iterable[str]) -> NDArray[np.float64]:
        """Return (n, m) likenesses of every one with every other."""
        columns = list(others)
        return np.array([[self.of(one, other) for other in columns] for one in ones], dtype=np.float64)

    def learn(self, texts: Iterable[str]) -> None:
        """Embed texts that have no vector yet. Raises what the model raises."""
        missing = [text for text in dict.fromkeys(map(normalised, texts)) if text and text not in self._vectors]
        if missing and self._embedder is not None:
            if len(self._vectors) + len(missing) > self._kept:
                self._vectors.clear()
                missing = list(dict.fromkeys(map(normalised, texts)))
            self._vectors.update(zip(missing, self._embedder.embed(missing), strict=True))

    def _word_set(self, text: str) -> frozenset[str]:
        if text not in self._words:
            self._words[text] = frozenset(singular(word) for word in words(text)) - STOP_WORDS
        return self._words[text]


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0
