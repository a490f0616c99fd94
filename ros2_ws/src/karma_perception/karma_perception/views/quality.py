# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How good a view of an object is: how large, how whole and how sharp it shows it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FloatArray, Frame, project_box

PixelBox = tuple[int, int, int, int]
"""Left, top, right, bottom; the last two are outside."""

CUT = 0.5
"""Factor on a view that reaches the image's border: more of the object may be outside."""
BEHIND = 0.25
"""How whole a view counts as of an object that reaches behind the camera: one stands in front of it."""


def whole(frame: Frame, box: PixelBox, low: FloatArray, high: FloatArray) -> float:
    """Return how much of an object a view shows, 0..1.

    It is the share of the space of its box from `low` to `high`, metres, map frame, as the camera would see it, that
    `box`, of the pixels that show it, covers: what is hidden or outside is missing there.
    """
    k = frame.intrinsics
    left, top, right, bottom = box
    cut = CUT if left <= 0 or top <= 0 or right >= k.width or bottom >= k.height else 1.0
    covered = project_box(frame, low, high)
    if covered is None:
        return BEHIND * cut
    first, last = covered
    shown = np.minimum(last, (right, bottom)) - np.maximum(first, (left, top))
    return cut * float(np.prod(np.maximum(shown, 0.0))) / max(float(np.prod(last - first)), 1e-9)


def sharpness(crop: NDArray[np.uint8]) -> float:
    """Return how sharp a picture, (h, w, 3), is, 0..1: how much blurring it shrinks what neighbours differ by.

    What is blurred already loses little (Crete et al., "The blur effect", SPIE 2007). Unlike a variance of gradients it
    depends little on what is shown: a plain thing is not blurred.
    """
    grey = crop.astype(np.float32).mean(axis=2)
    values = []
    for image in (grey, grey.T):
        if image.shape[1] < 10:
            continue
        sums = np.cumsum(np.pad(image, ((0, 0), (1, 0))), axis=1)
        blurred = (sums[:, 9:] - sums[:, :-9]) / 9.0
        was = np.abs(np.diff(image[:, 4:-4], axis=1))
        left = np.maximum(0.0, was - np.abs(np.diff(blurred, axis=1)))
        values.append(float(left.sum()) / max(float(was.sum()), 1e-9))
    return max(0.0, min(values)) if values else 0.0
