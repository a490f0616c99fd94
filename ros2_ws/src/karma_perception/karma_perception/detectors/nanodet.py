# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""NanoDet's heads: scores of classes, and distances to the sides of a box as distributions (generalised focal loss)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karma_perception.detectors.candidates import Candidates, FloatArray, best_class, sigmoid
from karma_perception.detectors.head import Normalization, grid

IMAGENET_BGR = Normalization("bgr", (103.53, 116.28, 123.675), (57.375, 57.12, 58.395))


@dataclass(frozen=True)
class NanoDetHead:
    """One output of scores and one of distances for each stride, or all of them in one output (NanoDet-Plus)."""

    name: str
    classes: int
    size: tuple[int, int]
    """(height, width) of the input."""
    strides: tuple[int, ...]
    bins: int
    """Values of a distribution; a distance is its mean, in strides."""
    pairs: tuple[tuple[int, int], ...]
    """For each stride the indices of the outputs with scores and with distances; empty: all are in the first output."""
    offset: float
    """Where in its cell a prediction is made, in strides: 0.5 in NanoDet, 0 in NanoDet-Plus."""
    logits: bool
    """Whether the scores are still to go through a sigmoid."""
    normalization: Normalization = IMAGENET_BGR

    def decode(self, outputs: Sequence[FloatArray], threshold: float) -> Candidates:
        """Return the candidates whose scores reach the threshold."""
        if self.pairs:
            scores = np.concatenate([outputs[s][0] for s, _ in self.pairs])
            distances = np.concatenate([outputs[d][0] for _, d in self.pairs])
        else:
            scores, distances = outputs[0][0][:, : self.classes], outputs[0][0][:, self.classes :]
        if self.logits:
            scores = sigmoid(scores)
        found = scores.max(axis=1) >= threshold
        cells = [(grid(self.size, s), s) for s in self.strides]
        centers = np.concatenate([(cell + self.offset) * s for cell, s in cells])[found].astype(np.float32)
        stride = np.concatenate([np.full(len(cell), s, dtype=np.float32) for cell, s in cells])[found]
        sides = self._means(distances[found]) * stride[:, None]
        boxes = np.concatenate([centers - sides[:, :2], centers + sides[:, 2:]], axis=1)
        return best_class(boxes, scores[found], threshold)

    def _means(self, distances: FloatArray) -> FloatArray:
        """Return the means, (n, 4), of the distributions whose logits are given, (n, 4 * bins)."""
        logits = distances.reshape(-1, 4, self.bins)
        weights = np.exp(logits - logits.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        return np.asarray((weights * np.arange(self.bins, dtype=np.float32)).sum(axis=2))
