# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Embedding models behind one protocol. Nothing heavy is imported before the first text is embedded."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from karma_language.vocabulary.embedder import mini_lm, missing

Vectors = NDArray[np.float32]
"""(n, dimension), each row of length 1."""

DIMENSION = 384
"""Of all-MiniLM-L6-v2."""
BATCH = 32


class EmbedderError(RuntimeError):
    """The embedding model cannot be used; the message says what is missing."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike they are."""

    @property
    def name(self) -> str:
        """Name of the model."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text. Whatever it raises means that the model cannot be used now."""


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 as int8 ONNX on onnxruntime: the default, because it needs no torch."""

    name = "all-MiniLM-L6-v2"

    def __init__(self) -> None:
        """Load nothing yet. EmbedderError says what to install."""
        if absent := missing():
            raise EmbedderError(f'not installed: {", ".join(absent)}; pip install "karma-memory[embeddings]"')

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the mean of the token vectors over each text, normalised.

        One text at a time: the int8 model scales its activations per batch, so that a text's vector would depend on its
        neighbours, and recall on the order of events.
        """
        try:
            return mini_lm().embed(texts)
        except Exception as error:  # onnxruntime and tokenizers raise types of their own
            raise EmbedderError(f"cannot load {self.name}: {error}") from error


class SentenceTransformerEmbedder:
    """Any model of sentence-transformers that the user names; the library and torch are imported on first use."""

    def __init__(self, model: str) -> None:
        """`model`: name or path as sentence-transformers takes it. EmbedderError when the library is absent."""
        if importlib.util.find_spec("sentence_transformers") is None:
            raise EmbedderError(f"the embedding model {model!r} needs sentence-transformers; install it")
        self.name = model
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the model's vectors, normalised."""
        if self._model is None:
            try:
                self._model = importlib.import_module("sentence_transformers").SentenceTransformer(self.name)
            except Exception as error:  # the library raises whatever its download and loaders do
                raise EmbedderError(f"cannot load the embedding model {self.name!r}: {error}") from error
        return _normalised(np.asarray(self._model.encode(list(texts), batch_size=BATCH), dtype=np.float32))


def make_embedder(name: str) -> tuple[Embedder | None, str]:
    """Return the embedder called `name` and a remark for the operator.

    "auto": MiniLM where its packages are, else None; "lexical": None; "minilm": that or EmbedderError; anything else is
    a sentence-transformers model. None means that recall goes by words alone; the remark then says why.
    """
    if name == "lexical":
        return None, "lexical recall only, as configured"
    if name == "auto":
        try:
            return MiniLmEmbedder(), ""
        except EmbedderError as error:
            return None, f"lexical recall only: {error}"
    if name == "minilm":
        return MiniLmEmbedder(), ""
    return SentenceTransformerEmbedder(name), ""


def _normalised(vectors: NDArray[Any]) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit
