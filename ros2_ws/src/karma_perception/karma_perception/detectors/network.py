# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A network as a source of instances: color to boxes, boxes and depth to masks, classes to the household's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karma_perception.class_table import ClassTable
from karma_perception.detectors.candidates import Candidates
from karma_perception.detectors.foreground import Box, Flags, foreground
from karma_perception.detectors.model import DetectionModel
from karma_perception.detectors.suppression import suppress
from karma_perception.frames.camera import Frame, FrameError, Label
from karma_perception.objects.detection import Detections

SAME_SURFACE = 0.7
"""Share of a mask that lies in a better one's, of the same class, from which on it is a part of that thing."""


@dataclass(frozen=True, eq=False)
class Found:
    """One thing that the network found."""

    name: str
    """The network's own class."""
    label: Label
    box: Box
    mask: Flags
    """(bottom - top, right - left), which pixels of the box show it; none when there is no depth."""


class NetworkDetector:
    """Finds instances with a network. It knows no identities, and misses things: so it is not `identified`."""

    def __init__(self, model: DetectionModel, table: ClassTable, *, score: float = 0.4, overlap: float = 0.5) -> None:
        """`score`: least score; `overlap`: of two boxes of a class from which on the better one stays."""
        self._model = model
        self._table = table
        self._score = score
        self._overlap = overlap

    def detect(self, frame: Frame) -> Detections:
        """Return the instances of a frame. `FrameError` when it has no color image.

        Where masks overlap, the smaller thing has the pixel: the mug on the table, not the table.
        """
        if frame.rgb is None:
            raise FrameError("the frame has no color image, and the detector looks at nothing else")
        found = [f for f in self.find(frame.rgb, frame.depth) if f.mask.any()]
        found.sort(key=lambda f: -np.count_nonzero(f.mask))
        image = np.zeros(frame.depth.shape, dtype=np.uint16)
        for value, f in enumerate(found, start=1):
            left, top, right, bottom = f.box
            image[top:bottom, left:right][f.mask] = value
        return Detections(
            mask=image,
            instances={value: f.label for value, f in enumerate(found, start=1)},
            identified=False,
            boxes={value: f.box for value, f in enumerate(found, start=1)},
        )

    def find(self, rgb: NDArray[np.uint8], depth: NDArray[np.float32] | None = None) -> list[Found]:
        """Return what the network finds, the best first; without depth, masks are empty.

        Networks draw a second box around a half of a thing, which suppression leaves alone; its surface tells.
        """
        result: list[Found] = []
        for name, score, box in self._boxes(suppress(self._model.look(rgb, self._score), self._overlap)):
            category = self._table.category(name)
            if category is None:
                continue
            label = Label(category, score=score, movable=self._table.movable(category))
            left, top, right, bottom = box
            shape = (bottom - top, right - left)
            mask = np.zeros(shape, dtype=bool) if depth is None else foreground(depth, box)
            found = Found(name, label, box, mask)
            if not any(_same_thing(found, better) for better in result):
                result.append(found)
        return result

    def _boxes(self, candidates: Candidates) -> list[tuple[str, float, Box]]:
        low = np.floor(candidates.boxes[:, :2]).astype(int)
        high = np.ceil(candidates.boxes[:, 2:]).astype(int)
        return [
            (self._model.labels[k], float(s), (int(a[0]), int(a[1]), int(b[0]), int(b[1])))
            for k, s, a, b in zip(candidates.classes, candidates.scores, low, high, strict=True)
        ]


def _same_thing(a: Found, b: Found) -> bool:
    """Whether two things of a class share most of the surface of the smaller one; what is behind does not."""
    if a.label.category != b.label.category:
        return False
    left, top = max(a.box[0], b.box[0]), max(a.box[1], b.box[1])
    right, bottom = min(a.box[2], b.box[2]), min(a.box[3], b.box[3])
    if left >= right or top >= bottom:
        return False
    shared = np.count_nonzero(_part(a, left, top, right, bottom) & _part(b, left, top, right, bottom))
    return bool(shared > SAME_SURFACE * min(np.count_nonzero(a.mask), np.count_nonzero(b.mask)))


def _part(found: Found, left: int, top: int, right: int, bottom: int) -> Flags:
    x, y, _, _ = found.box
    return found.mask[top - y : bottom - y, left - x : right - x]
