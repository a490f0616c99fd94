# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Cut-outs of objects from the color image, and whether two of them look alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import Frame, project_box
from karma_perception.states.estimator import SeenInstance

LEVELS = 4
"""Of each channel, in the histogram."""
SAMPLES = 2048
"""Pixels of a cut-out that its histogram is made of."""

Crop = NDArray[np.uint8]
Histogram = NDArray[np.float32]


def cut_out(frame: Frame, seen: SeenInstance, *, margin: float, least: int) -> Crop | None:
    """Return the part of the color image, (h, w, 3), that shows an object with `margin` (share of its side) around it.

    None when it would be smaller than `least` pixels on a side, reaches behind the camera, or more than half of it is
    outside of the image: what is there to see then is no ground for a judgement.
    """
    if frame.rgb is None:
        return None
    covered = project_box(frame, seen.low, seen.high)
    if covered is None:
        return None
    k, (low, high) = frame.intrinsics, covered
    visible = np.minimum(high, (k.width, k.height)) - np.maximum(low, 0.0)
    if visible.min() < least or np.prod(visible) < 0.5 * np.prod(high - low):
        return None
    border = margin * (high - low)
    left, top = np.maximum(np.floor(low - border), 0).astype(int)
    right, bottom = np.minimum(np.ceil(high + border), (k.width, k.height)).astype(int)
    return np.ascontiguousarray(frame.rgb[top:bottom, left:right])


def histogram(crop: Crop) -> Histogram:
    """Return the shares of 64 colours in a cut-out, (64,): what changes when a thing is opened, lit, cut or soiled."""
    step = max(1, round((crop.shape[0] * crop.shape[1] / SAMPLES) ** 0.5))
    levels = crop[::step, ::step].reshape(-1, 3).astype(np.intp) * LEVELS // 256
    index = (levels[:, 0] * LEVELS + levels[:, 1]) * LEVELS + levels[:, 2]
    counts = np.bincount(index, minlength=LEVELS**3)
    return np.asarray(counts / counts.sum(), dtype=np.float32)


def difference(a: Histogram, b: Histogram) -> float:
    """Return the share of pixels, 0..1, that would have to change colour to turn one into the other."""
    return float(0.5 * np.abs(a - b).sum())
