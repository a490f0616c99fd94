# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The intrinsics of a recording's depth images, from camera infos that may be wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from karma_perception.frames.camera import FrameError, Intrinsics
from karma_perception.frames.sensor_messages import to_intrinsics
from karma_perception.recording.findings import Findings
from karma_perception.recording.images import same_shape, scaled

_DISTORTION = 0.01
"""Largest coefficient of a lens whose pictures count as rectified."""


class Calibration:
    """Keeps the last good camera info of each topic."""

    def __init__(
        self, topics: tuple[str, ...], findings: Findings, given: tuple[float, float, float, float] | None = None
    ) -> None:
        """`topics`: of camera infos, the best first; `given`: fx, fy, cx, cy instead of them."""
        self.topics = topics
        self._findings = findings
        self._given = given
        self._good: dict[str, Intrinsics] = {}

    def seed(self, topic: str, message: Any) -> None:
        """Take a message ahead of time, for the frames before the first one; nothing is noted."""
        if topic not in self._good:
            try:
                self._good[topic] = _checked(message)
            except FrameError:
                return  # noted when its turn comes

    def take(self, topic: str, message: Any, received: int) -> None:
        """Take a message; one that cannot be right is noted, and the last good one stays."""
        if self._given is not None:
            return
        try:
            self._good[topic] = _checked(message)
        except FrameError as error:
            action = "the last good one is used" if topic in self._good else "they are left out"
            self._findings.note(topic, "camera infos that cannot be right", action, at=received, example=str(error))
            return
        coefficients = np.abs(np.array(_field(message, "d"), dtype=np.float64))
        if "rect" not in topic and coefficients.size and float(coefficients.max()) > _DISTORTION:
            self._findings.note(
                topic,
                "lens distortion",
                "pictures are used as if they were rectified, and positions towards their edges are off",
                at=received,
            )

    def of(self, width: int, height: int, received: int) -> Intrinsics | None:
        """Return the intrinsics of a depth image of this size; None when no camera info fits, which is noted.

        `FrameError` when those given by the user cannot be right.
        """
        if self._given is not None:
            return Intrinsics(width, height, *self._given)
        for topic in self.topics:
            good = self._good.get(topic)
            if good is None:
                continue
            size = (good.width, good.height)
            if size == (width, height):
                return good
            problem = f"camera infos for {good.width}x{good.height}, but images of {width}x{height}"
            if same_shape(size, (width, height)):
                self._findings.note(topic, problem, "scaled", at=received)
                return scaled(good, width, height)
            self._findings.note(topic, problem, "not used: the sides have another ratio", at=received)
        return None


def _checked(message: Any) -> Intrinsics:
    k = to_intrinsics(_WithMatrix(message))
    if not (0.0 <= k.cx < k.width and 0.0 <= k.cy < k.height):
        raise FrameError(f"the principal point ({k.cx:.1f}, {k.cy:.1f}) is outside of {k.width}x{k.height} pixels")
    return k


class _WithMatrix:
    """A camera info whose matrix is called k, as in ROS 2; K in ROS 1."""

    def __init__(self, message: Any) -> None:
        self.width, self.height, self.k = message.width, message.height, _field(message, "k")


def _field(message: Any, name: str) -> Any:
    return getattr(message, name) if hasattr(message, name) else getattr(message, name.upper())
