# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""eMEM, the memory of EmbodiedAgents (PyPI: emem), beside which KARMA is measured, with KARMA's model of meaning."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from karma_eval.embedding import CachedEmbedder
from karma_memory.recall.embedder import Embedder

_DIMENSION = 384
"""Of the vectors where there is no model."""


def available() -> bool:
    """Whether eMEM is installed."""
    return find_spec("emem") is not None


class Vectors:
    """What a model makes of texts, each made once; without a model, the same of all."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = None if embedder is None else CachedEmbedder(embedder)

    def __call__(self, texts: str | list[str]) -> list[Any]:
        """Return the vector of each text."""
        wanted = [texts] if isinstance(texts, str) else texts
        if self._embedder is None or not wanted:
            return [*np.ones((len(wanted), _DIMENSION), np.float32)]
        return [*self._embedder.embed(wanted)]


def open_emem(path: Path, vectors: Vectors, **config: Any) -> Any:
    """Open eMEM's memory in a file. `config`: more for its configuration."""
    from emem import SpatioTemporalMemory, SpatioTemporalMemoryConfig
    from emem.embeddings import CallableEmbeddingProvider

    dimension = len(vectors("the mug")[0])
    configured = SpatioTemporalMemoryConfig(
        db_path=str(path), hnsw_path=f"{path}.hnsw", embedding_dim=dimension, **config
    )
    provider = CallableEmbeddingProvider(vectors, dim=dimension)
    return SpatioTemporalMemory(str(path), config=configured, embedding_provider=provider)
