# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where the instances of a frame come from: one protocol, and the simulator's instance image as its first source.

Networks are in `detectors/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import Frame, FrameError, Label


@dataclass(frozen=True, eq=False)
class Detections:
    """The instances of one frame as one label image, so that all of them are processed in one pass.

    Where masks overlap, the detector gives the pixel to the better one.
    """

    mask: NDArray[np.uint16]
    """(height, width), 0 = no instance."""
    instances: Mapping[int, Label]
    """Value in `mask` → class, score and, where known, identity."""
    identified: bool
    """Whether the source knows identities and misses almost nothing it sees."""
    boxes: Mapping[int, tuple[int, int, int, int]] = field(default_factory=dict)
    """Value in `mask` → left, top, right, bottom in pixels, as the source drew it; empty when it draws none."""


class Detector(Protocol):
    """Finds instances in a frame."""

    def detect(self, frame: Frame) -> Detections:
        """Return the instances of `frame`; `FrameError` when it lacks what the detector needs."""


class InstanceImageDetector:
    """Takes the instances from the frame's own instance image, as simulators give it."""

    def detect(self, frame: Frame) -> Detections:
        """Return the frame's instance image and labels; values without a label count as background."""
        if frame.instances is None:
            raise FrameError("the frame has no instance image; publish one, or set the parameter detector to onnx")
        return Detections(mask=frame.instances, instances=frame.labels, identified=True)
