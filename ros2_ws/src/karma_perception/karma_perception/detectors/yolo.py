# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The heads of the YOLO family as their exporters lay them out, without and with suppression built in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karma_perception.detectors.candidates import Candidates, FloatArray, best_class, corners
from karma_perception.detectors.head import ZERO_TO_ONE, Normalization


@dataclass(frozen=True)
class AnchorFreeHead:
    """YOLOv8, YOLO11 and alike: center, size and the scores of the classes for each cell."""

    name: str
    classes: int
    output: int
    """Index of the output."""
    channels_first: bool
    """(1, 4 + classes, cells), or transposed."""
    normalization: Normalization = ZERO_TO_ONE

    def decode(self, outputs: Sequence[FloatArray], threshold: float) -> Candidates:
        """Return the candidates whose scores reach the threshold."""
        table = outputs[self.output][0]
        table = table.T if self.channels_first else table
        scores = table[:, 4 : 4 + self.classes]
        found = scores.max(axis=1) >= threshold
        return best_class(corners(table[found, :4]), scores[found], threshold)


@dataclass(frozen=True)
class AnchorHead:
    """YOLOv5, YOLOv7: center, size, objectness and the scores of the classes for each anchor."""

    name: str
    classes: int
    output: int
    normalization: Normalization = ZERO_TO_ONE

    def decode(self, outputs: Sequence[FloatArray], threshold: float) -> Candidates:
        """Return the candidates whose objectness times class score reaches the threshold."""
        table = outputs[self.output][0]
        table = table[table[:, 4] >= threshold]
        return best_class(corners(table[:, :4]), table[:, 5 : 5 + self.classes] * table[:, 4:5], threshold)


@dataclass(frozen=True)
class SuppressedHead:
    """A table of finished boxes: corners, score and class, as YOLOv10 and exporters with suppression give it."""

    name: str
    first: int
    """Column of the left side: 0, or 1 behind the number of the picture (YOLOv7)."""
    score: int
    """Column."""
    category: int
    """Column."""
    classes: int = 0
    normalization: Normalization = ZERO_TO_ONE

    def decode(self, outputs: Sequence[FloatArray], threshold: float) -> Candidates:
        """Return the boxes whose scores reach the threshold."""
        table = outputs[0].reshape(-1, outputs[0].shape[-1])
        table = table[table[:, self.score] >= threshold]
        boxes = table[:, self.first : self.first + 4]
        return Candidates(boxes, table[:, self.score], np.rint(table[:, self.category]).astype(np.intp))


@dataclass(frozen=True)
class FourOutputHead:
    """Number, boxes, scores and classes as four outputs: the form of TensorRT's suppression."""

    name: str = "YOLO with suppression built in, four outputs"
    classes: int = 0
    normalization: Normalization = ZERO_TO_ONE

    def decode(self, outputs: Sequence[FloatArray], threshold: float) -> Candidates:
        """Return the boxes whose scores reach the threshold."""
        number = int(outputs[0].ravel()[0])
        boxes, scores, classes = outputs[1][0, :number], outputs[2][0, :number], outputs[3][0, :number]
        found = Candidates(boxes, scores, np.rint(classes).astype(np.intp))
        return found.take(scores >= threshold)
