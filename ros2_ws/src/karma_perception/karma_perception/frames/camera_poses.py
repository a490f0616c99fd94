# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where the depth camera was when a picture was taken, from transforms or odometry that come in beside the pictures."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Generic, Protocol, TypeVar

from karma_perception.frames.camera import FloatArray, FrameError
from karma_perception.frames.sensor_messages import pose_values, rigid_transform, stamp_nanoseconds
from karma_perception.frames.trajectory import Trajectory
from karma_perception.frames.transforms import Mount, TransformTree, frame_name, optical_frame

GAP = 500_000_000
"""Nanoseconds between two poses between which the camera's is interpolated."""

REACH = 100_000_000
"""Nanoseconds by which the last pose may be older than a picture for which none has come in time."""

PATIENCE = 0.5
"""Seconds that a picture waits for its pose."""

_KEPT = 30_000_000_000
"""Nanoseconds for which poses are kept."""

_T = TypeVar("_T")


class CameraPoses(Protocol):
    """Knows where cameras have been of late."""

    def at(self, frame_id: str, stamp: int, received: int, *, reach: int) -> FloatArray | None:
        """Return the pose of an optical frame in the map, (4, 4), at an instant; None where it is not known.

        Nanoseconds; beyond the first and the last pose the nearest counts when it is within `reach`.
        """
        ...

    def complaint(self, frame_id: str) -> str:
        """Return why nothing is known of a frame, or not enough."""
        ...


class TransformPoses:
    """Poses by the transforms of /tf and /tf_static (REP-105)."""

    def __init__(self, map_frame: str) -> None:
        self._map = frame_name(map_frame)
        self._tree = TransformTree(reach=REACH, gap=GAP)
        self._latest = 0

    def take(self, message: Any, received: int, *, fixed: bool) -> None:
        """Take a tf2_msgs/TFMessage, received at that time, nanoseconds; `fixed`: from /tf_static.

        `FrameError` when one of its transforms is none; the others count.
        """
        problem: FrameError | None = None
        for transform in message.transforms:
            header, stamp = transform.header, stamp_nanoseconds(transform.header.stamp)
            try:
                values = pose_values(transform)
                self._tree.add(header.frame_id, transform.child_frame_id, stamp, received, values, fixed=fixed)
            except FrameError as error:
                problem = error
            self._latest = max(self._latest, stamp)
        self._tree.forget(self._latest - _KEPT)
        if problem is not None:
            raise problem

    def at(self, frame_id: str, stamp: int, received: int, *, reach: int) -> FloatArray | None:
        """See `CameraPoses`."""
        camera = frame_name(frame_id)
        if not self._tree.connected(self._map, camera):
            return None
        return self._tree.at(self._map, camera, stamp, received, reach=reach)

    def complaint(self, frame_id: str) -> str:
        """See `CameraPoses`."""
        camera = frame_name(frame_id)
        if self._tree.connected(self._map, camera):
            return f"the transforms from {camera[:64]!r} to {self._map!r} are older or newer than the picture"
        known = ", ".join(sorted(self._tree.frames)[:20]) or "none"
        return f"no transforms lead from {camera[:64]!r} to {self._map!r}; frames that are known: {known}"


class OdometryPoses:
    """Poses by odometry and where the camera is mounted."""

    def __init__(self, map_frame: str, mount: Mount) -> None:
        """`mount`: of the camera in the frame whose pose odometry tells; `map_frame`: the one that it tells it in."""
        self._map = map_frame
        self._camera = optical_frame(mount)
        self._track = Trajectory()
        self._latest = 0

    def take(self, message: Any, received: int) -> None:
        """Take a nav_msgs/Odometry; `FrameError` when it is garbage or of another frame."""
        if frame_name(message.header.frame_id) != frame_name(self._map):
            raise FrameError(
                f"odometry is in the frame {message.header.frame_id[:64]!r}, expected {self._map!r}: set map_frame"
            )
        values = pose_values(message)
        rigid_transform(values[:3], values[3:])
        stamp = stamp_nanoseconds(message.header.stamp)
        self._track.add(stamp, received, values)
        self._latest = max(self._latest, stamp)
        self._track.forget(self._latest - _KEPT)

    def at(self, frame_id: str, stamp: int, received: int, *, reach: int) -> FloatArray | None:
        """See `CameraPoses`; every camera is taken for the mounted one."""
        base = self._track.at(stamp, received, reach=reach, gap=GAP)
        return None if base is None else base @ self._camera

    def complaint(self, frame_id: str) -> str:
        """See `CameraPoses`."""
        return "no odometry has come" if not len(self._track) else "odometry is older or newer than the picture"


class PoseQueue(Generic[_T]):
    """What waits, in order, until it is known where the camera was."""

    def __init__(self, poses: CameraPoses, capacity: int) -> None:
        """`capacity`: how many may wait; when there are more, the first goes on with the nearest pose."""
        self._poses = poses
        self._capacity = capacity
        self._waiting: deque[tuple[_T, str, int, float]] = deque()

    def add(self, item: _T, frame_id: str, stamp: int, now: float) -> None:
        """Append something that the optical frame `frame_id` showed at `stamp`, nanoseconds; `now`: seconds."""
        self._waiting.append((item, frame_id, stamp, now))

    def ready(self, now: float) -> Iterator[tuple[_T, FloatArray]]:
        """Yield what has its pose. `FrameError` for what has waited in vain and is let go; ask again then."""
        while self._waiting:
            item, frame_id, stamp, since = self._waiting[0]
            late = now - since >= PATIENCE or len(self._waiting) > self._capacity
            pose = self._poses.at(frame_id, stamp, int(since * 1e9), reach=REACH if late else 0)
            if pose is None and not late:
                return
            self._waiting.popleft()
            if pose is None:
                raise FrameError(f"where the camera was is not known: {self._poses.complaint(frame_id)}")
            yield item, pose

    def clear(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
