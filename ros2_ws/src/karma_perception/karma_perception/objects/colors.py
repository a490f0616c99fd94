# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Colours of instances as histograms that light changes little."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FloatArray

_BINS = 8
"""Of each feature: the shares of red and green in the light, which shading leaves as they are, and brightness."""


def color_histograms(rgb: NDArray[np.uint8], groups: NDArray[np.intp], count: int) -> FloatArray:
    """Return one histogram, of sum 1, for each group of pixels: (count, 24).

    `rgb`: (n, 3); `groups`: (n,), the group of each pixel, 0..count - 1. A pixel is shared by the two bins that it is
    between, so that a little more light does not move it from one to the next.
    """
    light = rgb.astype(np.float64)
    total = light.sum(axis=1)
    even = np.maximum(total, 1.0)
    features = (light[:, 0] / even, light[:, 1] / even, total / 765.0)
    histograms = np.zeros(count * 3 * _BINS)
    for k, feature in enumerate(features):
        position = np.clip(feature * (_BINS - 1), 0.0, _BINS - 1.0)
        low = np.minimum(position.astype(np.intp), _BINS - 2)
        share = position - low
        bins = (groups * 3 + k) * _BINS + low
        histograms += np.bincount(bins, 1.0 - share, len(histograms))
        histograms += np.bincount(bins + 1, share, len(histograms))
    result = histograms.reshape(count, 3 * _BINS)
    return np.asarray(result / np.maximum(result.sum(axis=1, keepdims=True), 1e-9))


def color_likeness(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return what histograms, (…, 24), share, (…), 0..1: of the colour that they share less; brightness counts half."""
    both = np.minimum(a, b)
    red, green, brightness = (3 * both[..., k * _BINS : (k + 1) * _BINS].sum(axis=-1) for k in range(3))
    return np.asarray(np.minimum(np.minimum(red, green), 0.5 + 0.5 * brightness))
