# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An embedder that embeds each text once: many studies ask the same questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karma_memory.recall.embedder import Embedder, Vectors


class CachedEmbedder:
    """Keeps every vector that an embedder made."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._vectors[text] for text in texts])
