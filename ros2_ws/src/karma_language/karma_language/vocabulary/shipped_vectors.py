# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors of the texts that come with this package: they come with it too, because making them takes seconds."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from karma_language.vocabulary.embedder import Embedder, Vectors, installed

FOLDER = Path(__file__).parent
_LARGEST = 0.35
"""What a byte's 127 stands for; components beyond it are rare."""


def shipped(name: str, texts: Sequence[str], embedder: Embedder) -> Vectors:
    """Return the vectors of some texts: from the file `name`.npz where that has the same texts, else made now."""
    with np.load(FOLDER / f"{name}.npz") as data:
        if str(data["digest"]) != _digest(texts):
            return embedder.embed(texts)
        vectors = data["vectors"].astype(np.float32)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def ship(name: str, texts: Sequence[str]) -> None:
    """Write the vectors of some texts to the file `name`.npz. Needs the embedding model."""
    embedder = installed()
    assert embedder is not None, "the embedding model is not installed; run ./karma setup"
    quantised = np.rint(embedder.embed(texts) * 127 / _LARGEST).clip(-127, 127).astype(np.int8)
    np.savez_compressed(FOLDER / f"{name}.npz", digest=np.array(_digest(texts)), vectors=quantised)


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
