# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a network's head is: which picture it wants, and what its outputs mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from karma_perception.detectors.candidates import Candidates, FloatArray


@dataclass(frozen=True)
class Normalization:
    """How bytes become the numbers that a network was trained with: (channel - mean) / deviation."""

    order: str
    """"rgb" or "bgr"."""
    mean: tuple[float, float, float]
    """In that order."""
    deviation: tuple[float, float, float]

    def apply(self, rgb: NDArray[np.uint8]) -> FloatArray:
        """Return an image, (height, width, 3), as (3, height, width) numbers."""
        channels = (0, 1, 2) if self.order == "rgb" else (2, 1, 0)
        result = np.empty((3, *rgb.shape[:2]), dtype=np.float32)
        for target, source in enumerate(channels):
            np.subtract(rgb[:, :, source], np.float32(self.mean[target]), out=result[target])
            result[target] *= np.float32(1.0 / self.deviation[target])
        return result


ZERO_TO_ONE = Normalization("rgb", (0.0, 0.0, 0.0), (255.0, 255.0, 255.0))


class Head(Protocol):
    """Decodes the outputs of a network."""

    @property
    def name(self) -> str:
        """Return what to call it."""

    @property
    def classes(self) -> int:
        """Return how many it tells apart; 0 when its outputs do not say."""

    @property
    def normalization(self) -> Normalization:
        """Return what is done to a picture first."""

    def decode(self, outputs: Sequence[FloatArray], threshold: float) -> Candidates:
        """Return the candidates, in pixels of the network's input, whose scores reach the threshold."""


def grid_cells(size: tuple[int, int], strides: Sequence[int]) -> int:
    """Return how many cells the feature maps of an input of `size` have together."""
    return sum(-(-size[0] // s) * -(-size[1] // s) for s in strides)


def grid(size: tuple[int, int], stride: int) -> FloatArray:
    """Return the cells of a feature map as (n, 2) column and row, row by row."""
    rows, columns = np.mgrid[: -(-size[0] // stride), : -(-size[1] // stride)]
    return np.stack([columns.ravel(), rows.ravel()], axis=1).astype(np.float32)
