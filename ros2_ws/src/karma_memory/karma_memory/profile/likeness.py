# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How alike words are: the same stem, or near each other in the embedding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from karma_language.told.habits.wording import content_words
from karma_language.vocabulary.terms import stems
from karma_memory.recall.embedder import Embedder

FLOOR = 0.4
"""Cosine of two words that have nothing to do with each other; likeness begins there (all-MiniLM-L6-v2)."""
SYNONYM = 0.9
"""Likeness of two words of the same meaning, below 1, which is the same word."""
WORDS_KEPT = 4096
"""Words whose stems are kept."""

Likeness = NDArray[np.float64]
"""0..1"""


@lru_cache(WORDS_KEPT)
def _stem(word: str) -> str:
    return " ".join(stems(word)) or word


@lru_cache(WORDS_KEPT)
def _stems_of(said: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_stem(word) for word in said)


class Lexicon:
    """Words met so far, with their stems and vectors. Without an embedder only words of the same stem are alike."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._numbers: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        """Stem → its number."""
        self._stem_of = np.zeros(0, dtype=np.intp)
        """Number of a word → number of its stem."""
        self._vectors = np.zeros((0, 0), dtype=np.float32)
        self._texts: dict[str, NDArray[np.float32]] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, words: Iterable[str]) -> NDArray[np.intp]:
        """Return the numbers of words, learning those that are new."""
        words = list(words)
        new = [word for word in dict.fromkeys(words) if word not in self._numbers]
        if new:
            self._numbers.update({word: len(self._numbers) + at for at, word in enumerate(new)})
            found = [self._stems.setdefault(_stem(word), len(self._stems)) for word in new]
            self._stem_of = np.concatenate([self._stem_of, np.array(found, dtype=np.intp)])
            if self._embedder is not None:
                vectors = self._embedder.embed(new)
                self._vectors = vectors if not self._vectors.size else np.concatenate([self._vectors, vectors])
        return np.array([self._numbers[word] for word in words], dtype=np.intp)

    def likeness(self, rows: Sequence[str], columns: NDArray[np.intp]) -> Likeness:
        """Return (len(rows), len(columns)) how alike words are to words of given numbers."""
        asked = np.array([self._stems.get(_stem(word), -1) for word in rows], dtype=np.intp)
        same: NDArray[np.bool_] = asked[:, np.newaxis] == self._stem_of[columns]
        if self._embedder is None or not same.size:
            return same.astype(np.float64)
        numbers = self.numbers(rows)
        cosines = np.einsum("ik,jk->ij", self._vectors[numbers], self._vectors[columns])
        alike: Likeness = np.where(same, 1.0, np.clip((cosines - FLOOR) / (1 - FLOOR), 0.0, 1.0) * SYNONYM)
        return alike

    def alike(self, one: str, other: str) -> float:
        """Return 0..1, how alike two texts are as wholes; without an embedder, by their words."""
        a, b = self.vector(one), self.vector(other)
        if a is None or b is None:
            return self.in_common(one, other)
        return max(0.0, float(np.einsum("i,i->", a, b)))

    def in_common(self, one: str, other: str) -> float:
        """Return 0..1, how much of what two texts say, word by word, the other one says, too."""
        mine, yours = content_words(one), content_words(other)
        if not mine or not yours:
            return 0.0
        if self._embedder is None:
            a, b = _stems_of(mine), _stems_of(yours)
            return (sum(stem in b for stem in a) / len(a) + sum(stem in a for stem in b) / len(b)) / 2
        alike = self.likeness(mine, self.numbers(yours))
        return float(alike.max(axis=1).mean() + alike.max(axis=0).mean()) / 2

    def vector(self, text: str) -> NDArray[np.float32] | None:
        """Return the vector of a whole text; None without an embedder."""
        if self._embedder is None:
            return None
        if text not in self._texts:
            self._texts[text] = self._embedder.embed([text])[0]
        return self._texts[text]
