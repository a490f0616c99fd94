# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors of entities, relations, questions and memories, of which the policy sees the cosines."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from karma_language.told.facts.relations import phrase_key
from karma_language.vocabulary.terms import STOP_WORDS, stems, words

Vector = NDArray[np.float32]
"""Of length 1, or 0 for a text without words."""
DIMENSION = 512
"""Of the lexical vectors."""
_TRIGRAM_WEIGHT = 0.25
"""Against 1 for a whole word: names that are spelled a little otherwise stay alike."""


class Encoder(Protocol):
    """Turns texts into unit vectors; the same text always into the same."""

    def encode(self, text: str) -> Vector:
        """Return the vector of a text."""


class LexicalEncoder:
    """Words and their trigrams, hashed: no model, deterministic, about 20 µs a text."""

    def encode(self, text: str) -> Vector:
        """Return the vector of a text."""
        return _hashed(text)


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of two unit vectors."""
    return float(a @ b)


@lru_cache(65_536)
def _hashed(text: str) -> Vector:
    vector = np.zeros(DIMENSION, np.float32)
    for word in words(phrase_key(text)):
        weight = 0.1 if word in STOP_WORDS else 1.0
        for stem in stems(word):
            _add(vector, stem, weight)
        if weight == 1.0:
            padded = f"^{word}$"
            for i in range(len(padded) - 2):
                _add(vector, "#" + padded[i : i + 3], _TRIGRAM_WEIGHT)
    length = float(np.linalg.norm(vector))
    vector /= length or 1.0
    vector.setflags(write=False)
    return vector


def _add(vector: Vector, feature: str, weight: float) -> None:
    code = zlib.crc32(feature.encode())
    vector[code % DIMENSION] += weight if code >> 31 else -weight
