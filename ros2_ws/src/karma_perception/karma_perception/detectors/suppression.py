# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression: of boxes that show the same thing, the best one stays."""

from __future__ import annotations

import numpy as np

from karma_perception.detectors.candidates import Candidates, FloatArray

MOST = 500
"""Candidates that are looked at, the best ones; what is beyond is noise, and the cost is quadratic."""

SAME_BOX = 0.85
"""Overlap at which two boxes are the same thing, whatever their classes: a cup is not a vase as well."""


def suppress(candidates: Candidates, overlap: float) -> Candidates:
    """Return the best candidates, in order of their scores.

    One goes when a better one of its class overlaps it by more than `overlap` (intersection over union), or one of any
    class by more than `SAME_BOX`.
    """
    best = candidates.take(np.argsort(-candidates.scores, kind="stable")[:MOST])
    shared = intersection_over_union(best.boxes)
    same_class = best.classes[:, None] == best.classes[None, :]
    rivals = (same_class & (shared > overlap)) | (shared > SAME_BOX)
    alive = np.ones(len(best), dtype=bool)
    for i in range(len(best)):
        if alive[i]:
            alive[i + 1 :] &= ~rivals[i, i + 1 :]
    return best.take(alive)


def intersection_over_union(boxes: FloatArray) -> FloatArray:
    """Return the overlap of every pair of boxes, (n, n); a box without an area overlaps nothing."""
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    common = np.prod(np.clip(high - low, 0.0, None), axis=2)
    area = np.prod(np.clip(boxes[:, 2:] - boxes[:, :2], 0.0, None), axis=1)
    union = area[:, None] + area[None, :] - common
    return np.asarray(np.divide(common, union, out=np.zeros_like(common), where=union > 0))
