# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Embedding models behind one protocol. Nothing heavy is imported before the first text is embedded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from karma_language.vocabulary.embedder import mini_lm, missing

Vectors = NDArray[np.float32]
"""(n, dimension), each row of length 1."""

EMBEDDERS = ("auto", "minilm", "lexical")
"""Names that `make_embedder` knows."""


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


def make_embedder(name: str) -> tuple[Embedder | None, str]:
    """Return the embedder called `name` and a remark for the operator.

    "auto": MiniLM where its packages are, else None; "lexical": None; "minilm": that. None means that recall goes by
    words alone; the remark then says why. EmbedderError where MiniLM's packages are missing, or the name is another.
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
    raise EmbedderError(f"there is no embedding model {name!r}: name one of {', '.join(EMBEDDERS)}")
