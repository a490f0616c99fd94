# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The tree of frames that transforms make (REP-105), and where one frame was in another."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from karma_perception.frames.camera import FloatArray, FrameError
from karma_perception.frames.sensor_messages import rigid_transform
from karma_perception.frames.trajectory import Trajectory

Mount = tuple[float, float, float, float, float, float]
"""x, y, z in metres, roll, pitch, yaw in radians, about fixed axes, with x forward and z up (REP-103)."""

_OPTICAL = np.array([[0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
"""The optical frame (z forward, y down) in one with x forward and z up (REP-103)."""


def optical_frame(mount: Mount) -> FloatArray:
    """Return the optical frame of a camera that is mounted so, (4, 4), in the frame that it is mounted in."""
    camera = np.eye(4)
    camera[:3, :3] = Rotation.from_euler("xyz", mount[3:]).as_matrix()
    camera[:3, 3] = mount[:3]
    return np.asarray(camera @ _OPTICAL)


def frame_name(name: str) -> str:
    """Return a frame's name without the leading slash that ROS 1 put there."""
    return name.lstrip("/")


class TransformTree:
    """Transforms from child to parent frames, over time."""

    def __init__(self, *, reach: int, gap: int) -> None:
        """`reach` and `gap`, nanoseconds: as for `Trajectory.at`."""
        self._reach = reach
        self._gap = gap
        self._parents: dict[str, str] = {}
        self._fixed: dict[str, FloatArray] = {}
        self._moving: dict[str, Trajectory] = {}

    @property
    def frames(self) -> frozenset[str]:
        """All frames."""
        return frozenset(self._parents) | frozenset(self._parents.values())

    def add(
        self, parent: str, child: str, stamp: int, received: int, values: tuple[float, ...], *, fixed: bool
    ) -> None:
        """Take a transform, translation and quaternion; `FrameError` when it is not rigid or would make a circle."""
        parent, child = frame_name(parent), frame_name(child)
        matrix = rigid_transform(values[:3], values[3:])
        if child in self._chain(parent):
            raise FrameError(f"the transform from {child[:64]!r} to {parent[:64]!r} would make a circle")
        self._parents[child] = parent
        if fixed:
            self._fixed[child] = matrix
        else:
            self._moving.setdefault(child, Trajectory()).add(stamp, received, values)

    def root(self, frame: str) -> str:
        """Return the frame that all transforms from `frame` lead to."""
        return self._chain(frame_name(frame))[-1]

    def connected(self, target: str, source: str) -> bool:
        """Whether transforms lead from one frame to the other."""
        return self.root(target) == self.root(source) and {frame_name(target), frame_name(source)} <= self.frames

    def fixed(self, target: str, source: str) -> bool:
        """Whether none of the transforms between two connected frames moves."""
        up, down = self._paths(target, source)
        return all(f in self._fixed for f in (*up, *down))

    def forget(self, before: int) -> None:
        """Let go of the transforms with stamps before that, nanoseconds, but for the last of each."""
        for track in self._moving.values():
            track.forget(before)

    def at(self, target: str, source: str, stamp: int, received: int, *, reach: int | None = None) -> FloatArray | None:
        """Return the transform from `source` to `target`, (4, 4), at an instant; None where it is not known.

        `reach`, nanoseconds: another than the tree's.
        """
        up, down = self._paths(target, source)
        result = np.eye(4)
        for frame in up:
            step = self._step(frame, stamp, received, reach)
            if step is None:
                return None
            result = step @ result
        for frame in reversed(down):
            step = self._step(frame, stamp, received, reach)
            if step is None:
                return None
            result = np.linalg.inv(step) @ result
        return result

    def _step(self, child: str, stamp: int, received: int, reach: int | None) -> FloatArray | None:
        if child in self._fixed:
            return self._fixed[child]
        reach = self._reach if reach is None else reach
        return self._moving[child].at(stamp, received, reach=reach, gap=self._gap)

    def _paths(self, target: str, source: str) -> tuple[list[str], list[str]]:
        """Return the frames whose transforms lead up from `source`, and from `target`, to where both meet."""
        up, down = self._chain(frame_name(source)), self._chain(frame_name(target))
        meeting = next(f for f in up if f in down)
        return up[: up.index(meeting)], down[: down.index(meeting)]

    def _chain(self, frame: str) -> list[str]:
        chain = [frame]
        while chain[-1] in self._parents:
            chain.append(self._parents[chain[-1]])
        return chain
