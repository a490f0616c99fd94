# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Frames that wait to be processed: bounded, and what is dropped is what tells the least."""

from __future__ import annotations

import math
from collections import deque
from itertools import pairwise

import numpy as np

from karma_perception.frames.camera import Frame

MAX_BYTES = 512 * 2**20
"""Of the images of all frames that wait."""

_TURN = 1.0
"""Metres of movement that a turn of one radian counts as."""


class FrameBacklog:
    """A queue of frames, oldest first. Not thread-safe.

    When it is full, the frame whose view differs least from the one before it makes room; so a robot that looks
    around is still seen to look everywhere. The newest frame is always kept.
    """

    def __init__(self, capacity: int, max_bytes: int = MAX_BYTES) -> None:
        """`capacity`: frames, at least 2; `max_bytes`: of their images, unless one alone has more."""
        if capacity < 2:
            raise ValueError(f"a backlog holds at least 2 frames, not {capacity}")
        self._capacity = capacity
        self._max_bytes = max_bytes
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self.dropped = 0
        """Frames that made room for others."""

    def __len__(self) -> int:
        return len(self._frames)

    def push(self, frame: Frame) -> None:
        """Append a frame; drop another when there are too many."""
        self._frames.append(frame)
        self._bytes += frame.nbytes
        while len(self._frames) > self._capacity or (self._bytes > self._max_bytes and len(self._frames) > 1):
            news = [view_change(a, b) for a, b in pairwise(list(self._frames)[:-1])]
            least = news.index(min(news)) + 1 if news else 0
            self._bytes -= self._frames[least].nbytes
            del self._frames[least]
            self.dropped += 1

    def pop(self) -> Frame | None:
        """Remove and return the oldest frame; None when there is none."""
        if not self._frames:
            return None
        frame = self._frames.popleft()
        self._bytes -= frame.nbytes
        return frame

    def clear(self) -> None:
        """Forget all frames."""
        self._frames.clear()
        self._bytes = 0


def view_change(a: Frame, b: Frame) -> float:
    """Return how much the camera moved between two frames, in metres; infinite when more than the view changed."""
    if (a.scene, a.resets, a.held) != (b.scene, b.resets, b.held):
        return math.inf
    moved = float(np.linalg.norm(a.position - b.position))
    cosine = (float(np.trace(a.camera_pose[:3, :3].T @ b.camera_pose[:3, :3])) - 1.0) / 2.0
    return moved + _TURN * math.acos(min(1.0, max(-1.0, cosine)))
