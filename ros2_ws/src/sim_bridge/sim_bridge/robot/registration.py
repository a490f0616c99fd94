# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a picture and its depth show the same view: where depth jumps, colors change, too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LONGEST = 24
"""Pixels, in each direction, by which depth is moved over the picture."""
_JUMP = 0.1
"""Relative difference of depth between neighbours that is an edge of a thing."""
_FEWEST = 0.001
"""Part of the pixels that must be such edges."""
_CLEAR = 5.0
"""How far the best place must be above the mean of all, in their standard deviations: pictures of noise reach 4.3."""


def offset(rgb: NDArray[np.uint8], depth: NDArray[np.float32]) -> tuple[int, int] | None:
    """Return by how many pixels (u, v) the depth has to be moved to lie best on the picture.

    `rgb`: (height, width, 3); `depth`: (height, width), metres, 0 = none. None where the view has too few edges to say.
    """
    jumps = _jumps(depth)
    if jumps.mean() < _FEWEST:
        return None
    changes = np.hypot(*np.gradient(rgb.mean(axis=2)))
    changes = np.minimum(changes, np.quantile(changes, 0.98))  # so that a few bright edges do not decide
    product = np.fft.rfft2(changes - changes.mean()) * np.conj(np.fft.rfft2(jumps))
    fits = np.fft.fftshift(np.fft.irfft2(product, s=depth.shape))
    v, u = (size // 2 for size in depth.shape)
    up, left = min(LONGEST, v), min(LONGEST, u)
    near = fits[v - up : v + up + 1, u - left : u + left + 1]
    if not near.max() > near.mean() + _CLEAR * near.std():
        return None
    row, column = np.unravel_index(int(near.argmax()), near.shape)
    return int(column) - left, int(row) - up


def _jumps(depth: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return 1 where depth jumps between neighbours that both have one, 0 elsewhere."""
    found = np.zeros(depth.shape, bool)
    for axis in (0, 1):
        beside = np.roll(depth, -1, axis)
        near = np.minimum(depth, beside)
        found |= (near > 0.0) & (np.abs(beside - depth) > _JUMP * near)
    found[-1, :] = found[:, -1] = False  # their neighbours are on the other side of the picture
    return found.astype(np.float64)
