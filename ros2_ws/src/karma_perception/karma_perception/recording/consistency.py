# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether depth images of the same places agree: wrong intrinsics, depth units or poses make them contradict.

A point that one image measured is put into an earlier one by the poses. Where that one measured a surface clearly
behind, it looked through the point: a conflict. A nearer surface is none, since it may hide the point. Depth noise and
things that were moved make few conflicts; a camera that is not what it is said to be makes many, all over the image.
What the robot holds goes wherever the camera goes, and is left out where the source tells which thing it is.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FloatArray, Frame, back_project, project

_SAMPLES = 400
"""Points of an image that are compared."""

_KEY_FRAMES = 8
"""Earlier images that they are compared with."""

_TURN, _STEP = np.cos(np.radians(15.0)), 0.3
"""Cosine of the angle, and metres, by one of which the camera must have moved since the key frame before."""

_MARGIN, _SHARE = 0.15, 0.06
"""A surface is clearly behind a point by that many metres and, of its depth, that share."""

_POINTS = 40
"""Compared points without which a pair of images says nothing."""

_CONFLICTS = 0.04
"""Part of a pair's points that noise of depth and poses explains."""

_PAIRS = 4
"""Compared pairs without which nothing is said."""

_CONTRADICTING = 0.3
"""Part of the pairs that people and things that move explain: a person in 40 % of all images makes 0.27."""


class Consistency:
    """Compares each frame with key frames before it; a new scene or reset begins anew."""

    def __init__(self) -> None:
        self._keys: deque[Frame] = deque(maxlen=_KEY_FRAMES)
        self._scene: tuple[str, int] = ("", 0)
        self.pairs = 0
        """Compared so far."""
        self.contradicting = 0
        """Of which have too many conflicts."""

    def add(self, frame: Frame) -> None:
        """Take the next frame into account."""
        if (frame.scene, frame.resets) != self._scene:
            self._keys.clear()
            self._scene = (frame.scene, frame.resets)
        if self._keys and not _moved(self._keys[-1].camera_pose, frame.camera_pose):
            return
        points = back_project(frame, _samples(frame))
        for key in self._keys:
            if _moved(key.camera_pose, frame.camera_pose):
                self._compare(key, points)
        self._keys.append(frame)

    def _compare(self, key: Frame, points: FloatArray) -> None:
        pixels, z, inside = project(key, points)
        around = _around(key.depth, pixels[inside])
        z, margin = z[inside], np.maximum(_MARGIN, _SHARE * z[inside])
        # All pixels around must agree, so that edges and holes are no conflicts.
        nearest = around.min(axis=1)
        compared = int(np.count_nonzero(nearest > z - margin))
        if compared >= _POINTS:
            self.pairs += 1
            self.contradicting += bool(np.count_nonzero(nearest > z + margin) > _CONFLICTS * compared)

    @property
    def contradictory(self) -> bool:
        """Whether more pairs contradict each other than moving things explain."""
        return self.pairs >= _PAIRS and self.contradicting > _CONTRADICTING * self.pairs


def _moved(a: FloatArray, b: FloatArray) -> bool:
    """Whether one of two poses is turned or shifted enough that wrong geometry would show."""
    turn = (float(np.sum(a[:3, :3] * b[:3, :3])) - 1.0) / 2.0
    return turn < _TURN or float(np.linalg.norm(a[:3, 3] - b[:3, 3])) > _STEP


def _samples(frame: Frame) -> NDArray[np.intp]:
    """Return flat indices of measured pixels, evenly over the image, (n,); none of them shows what the robot holds."""
    shown = frame.depth > 0.0
    if frame.held and frame.instances is not None:
        shown &= ~np.isin(frame.instances, [value for value, label in frame.labels.items() if label.id == frame.held])
    known = np.flatnonzero(shown)
    return known[:: max(1, len(known) // _SAMPLES)]


def _around(depth: NDArray[np.float32], pixels: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return the depth of pixels and of the eight around each, (n, 9), 0 where there is none."""
    v, u = np.divmod(pixels, depth.shape[1])
    near = np.arange(-1, 2)
    rows = np.clip(v[:, None] + np.repeat(near, 3), 0, depth.shape[0] - 1)
    columns = np.clip(u[:, None] + np.tile(near, 3), 0, depth.shape[1] - 1)
    return np.asarray(depth[rows, columns])
