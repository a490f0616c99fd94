# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The newest transforms between frames."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sim_bridge.robot.ports import Heard


class TransformTree:
    """Frames, each in its parent."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._parents: dict[str, tuple[str, NDArray[np.float64], float | None, float | None]] = {}

    def put(
        self,
        parent: str,
        child: str,
        pose: NDArray[np.float64],
        *,
        fixed: bool = False,
        underway: float | None = None,
    ) -> None:
        """Take over the (4, 4) pose of a frame in its parent; a fixed one never gets old. `underway`: see `Heard`."""
        came = None if fixed else self._clock()
        self._parents[child.lstrip("/")] = (parent.lstrip("/"), pose, came, None if fixed else underway)

    def between(self, parent: str, child: str) -> tuple[NDArray[np.float64], tuple[Heard, ...]] | None:
        """Return the (4, 4) pose of `child` in `parent`, one of its ancestors, and how each step was heard.

        The value of a step is the name of its frame. None where no chain of transforms leads from one to the other.
        """
        steps: list[Heard] = []
        pose, frame = np.eye(4), child
        for _ in range(len(self._parents) + 1):
            if frame == parent:
                return pose, tuple(steps)
            if frame not in self._parents:
                return None
            above, step, came, underway = self._parents[frame]
            steps.append(Heard(frame, 0.0 if came is None else self._clock() - came, None, underway))
            pose, frame = step @ pose, above
        return None
