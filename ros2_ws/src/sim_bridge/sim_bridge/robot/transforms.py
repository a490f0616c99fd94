# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The newest transforms between frames."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


class TransformTree:
    """Frames, each in its parent."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._parents: dict[str, tuple[str, NDArray[np.float64], float | None]] = {}

    def put(self, parent: str, child: str, pose: NDArray[np.float64], *, fixed: bool = False) -> None:
        """Take over the (4, 4) pose of a frame in its parent; a fixed one never gets old."""
        self._parents[child.lstrip("/")] = (parent.lstrip("/"), pose, None if fixed else self._clock())

    def between(self, parent: str, child: str) -> tuple[NDArray[np.float64], float] | None:
        """Return the (4, 4) pose of `child` in `parent`, one of its ancestors, and the age of its oldest part.

        None where no chain of transforms leads from one to the other.
        """
        pose, oldest, frame = np.eye(4), 0.0, child
        for _ in range(len(self._parents) + 1):
            if frame == parent:
                return pose, oldest
            if frame not in self._parents:
                return None
            frame, step, heard = self._parents[frame]
            pose = step @ pose
            oldest = max(oldest, 0.0 if heard is None else self._clock() - heard)
        return None
