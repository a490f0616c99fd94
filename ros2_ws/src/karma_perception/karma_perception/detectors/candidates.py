# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What every head's outputs are decoded into."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Boxes with a class and a score, before or after suppression."""

    boxes: FloatArray
    """(n, 4) left, top, right, bottom; pixels."""
    scores: FloatArray
    """(n,) 0..1."""
    classes: NDArray[np.intp]
    """(n,) index into the labels."""

    def __len__(self) -> int:
        return len(self.scores)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Candidates:
        """Return some of them, by index or flag."""
        return Candidates(self.boxes[index], self.scores[index], self.classes[index])


def best_class(boxes: FloatArray, scores: FloatArray, threshold: float) -> Candidates:
    """Return the candidates, (n, 4), whose best class in `scores`, (n, classes), reaches the threshold."""
    classes = scores.argmax(axis=1)
    best = scores[np.arange(len(scores)), classes]
    keep = best >= threshold
    return Candidates(boxes[keep], best[keep], classes[keep])


def corners(center_size: FloatArray) -> FloatArray:
    """Turn (n, 4) center x, center y, width, height into left, top, right, bottom."""
    half = center_size[:, 2:] / 2
    return np.concatenate([center_size[:, :2] - half, center_size[:, :2] + half], axis=1)


def sigmoid(x: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-x)); saturates without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)), dtype=np.float32)
