# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a recording's depth camera was: from transforms, from its own pose, or from the robot's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from karma_perception.frames.camera import FloatArray, FrameError
from karma_perception.frames.sensor_messages import pose_values, rigid_transform, stamp_nanoseconds
from karma_perception.frames.trajectory import Trajectory
from karma_perception.frames.transforms import TransformTree, frame_name, optical_frame
from karma_perception.recording.bag import Bag, BagError, Received, Topic
from karma_perception.recording.findings import Findings
from karma_perception.recording.options import RecordingOptions
from karma_perception.recording.topics import POSES, find, listed, transform_topics, within

TRANSFORMS = "tf"
"""What --pose says to use transforms."""

_UP = {
    "z": (0, 1, 2, 1, 1, 1),
    "-z": (0, 1, 2, 1, -1, -1),
    "x": (1, 2, 0, 1, 1, 1),
    "-x": (1, 2, 0, 1, -1, -1),
    "y": (2, 0, 1, 1, 1, 1),
    "-y": (2, 0, 1, 1, -1, -1),
}
"""Axis that points up → which axes become x, y and z, and with which signs; a rotation."""

_MAPS = ("map", "world", "odom")
"""Frames that maps are in, the best first."""

Pose = Callable[[int, int], FloatArray | None]
"""Stamp and time of receipt, nanoseconds → the pose, (4, 4)."""


@dataclass(frozen=True)
class PoseSource:
    """The optical frame's pose in the map frame."""

    topic: str
    """Where it comes from."""
    description: str
    map_frame: str
    at: Pose
    tree: TransformTree
    """All transforms of the recording."""


def read_poses(
    bag: Bag,
    options: RecordingOptions,
    camera_frame: str,
    findings: Findings,
    others: dict[str, Callable[[Received], None]],
    on_message: Callable[[], None],
) -> PoseSource:
    """Read all poses and transforms of a bag; `others` get what is on other topics on the way.

    `camera_frame`: the depth camera's optical frame. `BagError` when nothing says where it was.
    """
    tf = transform_topics(bag.topics, options.topics.namespace)
    candidates = [t for t in within(bag.topics, options.topics.namespace) if t.type in POSES and t.count]
    if options.pose and options.pose != TRANSFORMS:
        name = find(bag, options.pose)
        candidates = [t for t in bag.topics if t.name == name]
        if candidates[0].type not in POSES:
            raise BagError(
                f"{name} is {candidates[0].type}; a pose comes as {', '.join(POSES)}, or from transforms: tf"
            )
    reach, gap = int(options.slop * 1e9), int(options.pose_gap * 1e9)
    tree = TransformTree(reach=reach, gap=gap)
    tracks = {t.name: _Track(t) for t in candidates}
    transforms = {t.name for t in tf}
    for received in bag.messages([*transforms, *tracks, *others]):
        on_message()
        if received.topic in transforms:
            _take_transforms(tree, received, findings)
        elif received.topic in tracks:
            tracks[received.topic].take(received, findings)
        else:
            others[received.topic](received)
    choice = _Choice(bag, options, frame_name(options.camera_frame or camera_frame), tree, reach, gap)
    return choice.source([t for t in tracks.values() if len(t.trajectory)], tf)


class _Track:
    """The poses of one topic."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.trajectory = Trajectory()
        self.parent = ""
        self.child = ""

    def take(self, received: Received, findings: Findings) -> None:
        message = received.message
        parent = frame_name(message.header.frame_id)
        if len(self.trajectory) and parent != self.parent:
            findings.note(
                self.topic.name, f"poses in {parent[:64]!r} and not in {self.parent!r}", "left out", at=received.time
            )
            return
        try:
            values = pose_values(message)
            rigid_transform(values[:3], values[3:])
        except FrameError as error:
            findings.note(
                self.topic.name,
                "poses that are none (NaN, quaternion)",
                "left out",
                at=received.time,
                example=str(error),
            )
            return
        self.parent = parent
        self.child = frame_name(getattr(message, "child_frame_id", ""))
        stamp = stamp_nanoseconds(message.header.stamp) or received.time
        self.trajectory.add(stamp, received.time, values)


@dataclass(frozen=True)
class _Choice:
    bag: Bag
    options: RecordingOptions
    camera: str
    tree: TransformTree
    reach: int
    gap: int

    def source(self, tracks: list[_Track], tf: list[Topic]) -> PoseSource:
        """Return the source that the user asked for, else KARMA's own topic, transforms, or the only pose there is."""
        if self.options.pose == TRANSFORMS:
            return self._transforms(tf)
        named = [t for t in tracks if self.options.pose or t.topic.name.endswith("/camera/pose")]
        if len(named) == 1:
            return self._track(named[0])
        if self._map_frame():
            return self._transforms(tf)
        if len(tracks) == 1:
            return self._track(tracks[0])
        if tracks:
            which = listed([t.topic for t in tracks])
            raise BagError(f"several topics could tell the camera's pose; choose one with --pose:{which}")
        raise BagError(
            f"nothing in {self.bag.path} says where the camera was: expected transforms on /tf to the frame "
            f"{self.camera!r}, or a topic of {', '.join(POSES)}; it has:{listed(self.bag.topics)}{self._known_frames()}"
        )

    def _transforms(self, tf: list[Topic]) -> PoseSource:
        target = self._map_frame()
        if not target:
            raise BagError(
                f"no transforms lead from the camera's frame {self.camera!r} to "
                f"{self.options.map_frame or 'a frame that it moves in'}; see --camera-frame and --map-frame"
                f"{self._known_frames()}"
            )
        where = self._leveled(lambda stamp, received: self.tree.at(target, self.camera, stamp, received))
        moving = next((t.name for t in tf if not t.name.endswith("_static")), tf[0].name)
        return PoseSource(moving, f"{self.camera} in {target}, by transforms", target, where, self.tree)

    def _map_frame(self) -> str:
        """Return the frame that the camera moves in, by transforms; "" when there is none."""
        wanted = (
            (frame_name(self.options.map_frame),) if self.options.map_frame else (*_MAPS, self.tree.root(self.camera))
        )
        for frame in wanted:
            if self.tree.connected(frame, self.camera) and not self.tree.fixed(frame, self.camera):
                return frame
        return ""

    def _track(self, track: _Track) -> PoseSource:
        mount, words = self._mount(track)
        before, target = self._into_map(track)

        def at(stamp: int, received: int) -> FloatArray | None:
            pose = track.trajectory.at(stamp, received, reach=self.reach, gap=self.gap)
            for side, step in ((0, before), (1, mount)):
                if pose is None or step is None:
                    continue
                other = step(stamp, received)
                pose = None if other is None else (pose @ other if side else other @ pose)
            return pose

        words = f"{track.topic.name} in {target or 'a frame without a name'}{words}"
        return PoseSource(track.topic.name, words, target, self._leveled(at), self.tree)

    def _mount(self, track: _Track) -> tuple[Pose | None, str]:
        """Return where the optical frame is in the frame that the topic tells of; None when it is that one."""
        if self.options.mount is not None:
            matrix = optical_frame(self.options.mount)
            return (lambda *_: matrix), ", with the camera mounted as said"
        told = frame_name(self.options.pose_of) or track.child
        if told in ("", self.camera):
            return None, ", taken for the optical frame's" if not told else ""
        if self.tree.connected(told, self.camera):
            return (
                lambda *when: self.tree.at(told, self.camera, *when)
            ), f", of {told}, with transforms to {self.camera}"
        raise BagError(
            f"{track.topic.name} tells the pose of {told!r}, and no transforms lead from there to the camera's frame "
            f"{self.camera!r}: say where the camera is with --mount, or with --pose-of that the pose is "
            f"{self.camera!r}'s own{self._known_frames()}"
        )

    def _into_map(self, track: _Track) -> tuple[Pose | None, str]:
        """Return where the frame of the topic's poses is in the map frame; None when it is the map frame."""
        target = frame_name(self.options.map_frame) or track.parent
        if target == track.parent:
            return None, target
        if not self.tree.connected(target, track.parent):
            raise BagError(
                f"{track.topic.name} is in the frame {track.parent!r}, and no transforms lead from there to "
                f"{target!r}{self._known_frames()}"
            )
        return (lambda *when: self.tree.at(target, track.parent, *when)), target

    def _leveled(self, where: Pose) -> Pose:
        """Return poses in a map frame whose z points up."""
        if self.options.up == "z":
            return where
        *axes, x, y, z = _UP[self.options.up]
        turn = np.zeros((4, 4))
        turn[3, 3] = 1.0
        for row, (axis, sign) in enumerate(zip(axes, (x, y, z), strict=True)):
            turn[row, axis] = sign

        def at(stamp: int, received: int) -> FloatArray | None:
            pose = where(stamp, received)
            return None if pose is None else turn @ pose

        return at

    def _known_frames(self) -> str:
        frames = ", ".join(sorted(self.tree.frames))
        return f"\nframes of the transforms: {frames}" if frames else ""


def _take_transforms(tree: TransformTree, received: Received, findings: Findings) -> None:
    fixed = received.topic.endswith("tf_static")
    for transform in received.message.transforms:
        stamp = stamp_nanoseconds(transform.header.stamp) or received.time
        try:
            tree.add(
                transform.header.frame_id,
                transform.child_frame_id,
                stamp,
                received.time,
                pose_values(transform),
                fixed=fixed,
            )
        except FrameError as error:
            findings.note(
                received.topic,
                "transforms that are none (NaN, quaternion, circles)",
                "left out",
                at=received.time,
                example=str(error),
            )
