# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How alike two texts are: by the embedding model of the memory, by their words where there is none."""

from __future__ import annotations

import numpy as np

from karma_language.arranging.words import content_words
from karma_language.told.habits.nouns import Relation, relation
from karma_memory.recall.embedder import Embedder


class TextLikeness:
    """Cosine of the texts' vectors."""

    def __init__(self, embedder: Embedder | None) -> None:
        """`embedder`: best one that keeps what it has embedded."""
        self._embedder = embedder

    def __call__(self, a: str, b: str) -> float:
        """Return about 0 for texts that have nothing in common, 1 for the same text."""
        if relation(a, b) is Relation.SAME:
            return 1.0
        if self._embedder is None:
            one, other = content_words(a), content_words(b)
            return 2 * len(one & other) / max(1, len(one) + len(other))
        return float(np.dot(*self._embedder.embed([a, b])))
