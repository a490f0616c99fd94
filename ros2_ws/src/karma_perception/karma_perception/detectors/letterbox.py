# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An image fitted into a network's input without distortion, and boxes back into the image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from karma_perception.detectors.candidates import FloatArray

GREY = 114
"""Colour of the border, as in the training of the YOLO family."""


@dataclass(frozen=True)
class Letterbox:
    """Where an image lies in a network's input."""

    scale: float
    """Pixels of the input for each of the image."""
    left: int
    top: int
    width: int
    """Of the image; pixels."""
    height: int

    def to_image(self, boxes: FloatArray) -> FloatArray:
        """Return boxes, (n, 4), of the input as boxes of the image, cut off at its borders."""
        offset = np.array([self.left, self.top] * 2, dtype=np.float32)
        limit = np.array([self.width, self.height] * 2, dtype=np.float32)
        return np.asarray(np.clip((boxes - offset) / np.float32(self.scale), 0.0, limit))


def letterbox(rgb: NDArray[np.uint8], size: tuple[int, int]) -> tuple[NDArray[np.uint8], Letterbox]:
    """Fit an image, (height, width, 3), centred into `size`, (height, width), with a grey border."""
    height, width = rgb.shape[:2]
    scale = min(size[0] / height, size[1] / width)
    inner = (max(1, round(width * scale)), max(1, round(height * scale)))
    left, top = (size[1] - inner[0]) // 2, (size[0] - inner[1]) // 2
    fitted = np.full((*size, 3), GREY, dtype=np.uint8)
    picture = Image.fromarray(np.ascontiguousarray(rgb))
    if picture.size != inner:
        picture = picture.resize(inner, Image.Resampling.BILINEAR)
    fitted[top : top + inner[1], left : left + inner[0]] = np.asarray(picture)
    return fitted, Letterbox(scale, left, top, width, height)
