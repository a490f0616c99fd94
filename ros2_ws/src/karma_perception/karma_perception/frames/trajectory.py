# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where something was over time, as it was told, and at the instants between."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from karma_perception.frames.camera import FloatArray
from karma_perception.frames.sensor_messages import rigid_transform

_BACK = 1_000_000_000
"""Nanoseconds by which stamps must go back to be another run of the clock, and not only out of order."""


class Trajectory:
    """Poses by stamp. Where stamps go back, as in a loop, the time of receipt tells which run is meant."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def __len__(self) -> int:
        return sum(len(r.stamps) for r in self._runs)

    def add(self, stamp: int, received: int, values: tuple[float, ...]) -> None:
        """Append a pose: translation x, y, z and quaternion x, y, z, w, which must make a rigid transform."""
        if not self._runs or stamp < self._runs[-1].latest - _BACK:
            self._runs.append(_Run(received))
        self._runs[-1].add(stamp, values)

    def forget(self, before: int) -> None:
        """Let go of the poses with stamps before that, nanoseconds, but for the last; of older runs altogether."""
        self._runs = self._runs[-1:]
        for run in self._runs:
            run.forget(before)

    def at(self, stamp: int, received: int, *, reach: int, gap: int) -> FloatArray | None:
        """Return the pose at a stamp of a message that was received then, (4, 4); None where it is not known.

        Nanoseconds. Between two poses that are at most `gap` apart it is interpolated; beyond the first and the last,
        and in longer gaps, the nearest counts when it is within `reach`.
        """
        if not self._runs:
            return None
        index = bisect_right([r.received for r in self._runs], received) - 1
        # Messages of one instant may be recorded just before or after the clock's jump.
        nearby = self._runs[max(0, index - 1) : index + 2]
        nearby.sort(key=lambda r: r is not self._runs[max(0, index)])
        for run in nearby:
            found = run.at(stamp, reach, gap)
            if found is not None:
                return found
        return None


class _Run:
    """Poses between two jumps of the clock."""

    def __init__(self, received: int) -> None:
        self.received = received
        self.latest = 0
        self.stamps = array("q")
        self._values = array("d")
        self._sorted = True

    def add(self, stamp: int, values: tuple[float, ...]) -> None:
        self._sorted = self._sorted and stamp >= self.latest
        self.latest = max(self.latest, stamp)
        self.stamps.append(stamp)
        self._values.extend(values)

    def at(self, stamp: int, reach: int, gap: int) -> FloatArray | None:
        if not self._sorted:
            self._sort()
        after = bisect_left(self.stamps, stamp)
        if after < len(self.stamps) and self.stamps[after] == stamp:
            return _matrix(self._pose(after))
        before = after - 1
        if before >= 0 and after < len(self.stamps) and self.stamps[after] - self.stamps[before] <= gap:
            share = (stamp - self.stamps[before]) / (self.stamps[after] - self.stamps[before])
            return _matrix(_between(self._pose(before), self._pose(after), share))
        near = [i for i in (before, after) if 0 <= i < len(self.stamps) and abs(self.stamps[i] - stamp) <= reach]
        if not near:
            return None
        return _matrix(self._pose(min(near, key=lambda i: abs(self.stamps[i] - stamp))))

    def forget(self, before: int) -> None:
        if not self._sorted:
            self._sort()
        gone = min(bisect_left(self.stamps, before), len(self.stamps) - 1)
        if gone > 0:
            del self.stamps[:gone], self._values[: 7 * gone]

    def _pose(self, index: int) -> FloatArray:
        return np.array(self._values[7 * index : 7 * index + 7])

    def _sort(self) -> None:
        order: NDArray[np.intp] = np.argsort(np.array(self.stamps), kind="stable")
        values = np.array(self._values).reshape(-1, 7)[order]
        self.stamps = array("q", np.array(self.stamps)[order].tolist())
        self._values = array("d", values.ravel().tolist())
        self._sorted = True


def _matrix(values: FloatArray) -> FloatArray:
    return rigid_transform(values[:3].tolist(), values[3:].tolist())


def _between(a: FloatArray, b: FloatArray, share: float) -> FloatArray:
    """Interpolate: positions on a line, orientations on the shorter great circle (slerp)."""
    result = a + share * (b - a)
    result[3:] = Slerp((0.0, 1.0), Rotation.from_quat([a[3:], b[3:]]))(share).as_quat()
    return result
