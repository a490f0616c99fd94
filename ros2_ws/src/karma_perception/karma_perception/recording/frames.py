# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded bag as the frames that the pipeline takes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.typesys.store import Typestore

from karma_perception.frames.camera import FloatArray, Frame, FrameError, Intrinsics
from karma_perception.frames.sensor_messages import stamp_nanoseconds, to_instances, to_labels
from karma_perception.frames.transforms import frame_name
from karma_perception.recording.bag import Bag, Received
from karma_perception.recording.calibration import Calibration
from karma_perception.recording.consistency import Consistency
from karma_perception.recording.findings import Findings
from karma_perception.recording.images import read_color, read_depth, resized, same_shape
from karma_perception.recording.nearest import Group, NearestSynchronizer, Stamped
from karma_perception.recording.options import RecordingOptions
from karma_perception.recording.poses import PoseSource, read_poses
from karma_perception.recording.registration import register_color
from karma_perception.recording.timeline import Timeline
from karma_perception.recording.topics import IMAGES, choose_topics, with_info

LEFT_OUT = "those frames were left out"

_PEEKED = 5
"""Pictures of each topic that tell what they are; more than one, for one may be damaged."""

_NEAREST, _FARTHEST = 0.02, 50.0
"""Metres; half of what a depth camera sees in a home is neither nearer nor farther than that."""

_UPRIGHT = 0.2
"""By how much the picture's lower edge must be lower in the map than its middle, for each unit beside the axis."""


class Recording:
    """A bag whose topics are chosen and whose poses are read; a context manager."""

    def __init__(
        self,
        path: Path,
        options: RecordingOptions,
        findings: Findings,
        *,
        with_instances: bool,
        scene: str = "",
        known: Callable[[], Typestore] | None = None,
        on_message: Callable[[int, int], None] = lambda done, of: None,
    ) -> None:
        """`with_instances`: whether instances come from the bag; otherwise a network finds them in the color pictures.

        `scene`: its name, where no labels tell it; `known` gives definitions of messages for bags that carry none;
        `on_message` is told how many messages of how many were read, again from 0 for the frames.
        `BagError` when it cannot be used.
        """
        self.findings = findings
        self._options = options
        self._with_instances = with_instances
        self._scene = scene
        self._on_message = on_message
        self.received = 0
        """Depth images so far."""
        self.made = 0
        """Frames so far."""
        self._bag = Bag(path, findings, known)
        try:
            encodings, frame_ids = _peek(self._bag)
            t = choose_topics(self._bag, encodings, options.topics, with_instances=with_instances)
            self._views = (frame_ids.get(t.color, ""), frame_ids.get(t.depth, ""))
            if options.intrinsics is None:
                t = with_info(t, self._bag, options.topics.namespace, apart=self._apart)
            self.topics = t
            # One camera's info will do for both when they show the same view.
            infos = (t.depth_info,) if self._apart else (t.depth_info, t.color_info)
            self._calibration = Calibration(tuple(dict.fromkeys(filter(None, infos))), findings, options.intrinsics)
            self._color_calibration = Calibration((t.color_info,) if t.color_info and self._apart else (), findings)
            self.poses = self._read_poses(self._views[1])
        except BaseException:
            self.close()
            raise
        self._tilted = 0
        self._consistency = Consistency()
        self._timeline = Timeline()
        self._next = 0

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the bag's files."""
        self._bag.__exit__()

    @property
    def _apart(self) -> bool:
        """Whether color and depth name different frames: their pixels do not correspond."""
        color, depth = map(frame_name, self._views)
        return bool(color and depth) and color != depth

    def frames(self) -> Iterator[Frame]:
        """Yield the frames in the order in which their depth was recorded; what makes none is noted."""
        t = self.topics
        streams = {t.depth: "depth", t.color: "color", t.instances: "instances", t.labels: "labels"}
        streams = {name: stream for name, stream in streams.items() if name}
        others = [s for s in streams.values() if s != "depth"]
        synchronizer = NearestSynchronizer("depth", others, slop=int(self._options.slop * 1e9))
        names = [*streams, *self._calibration.topics, *self._color_calibration.topics]
        total = self._bag.count(names)
        for done, received in enumerate(self._bag.messages(names), 1):
            self._on_message(done, total)
            if received.topic not in streams:
                self._calibration_of(received.topic).take(received.topic, received.message, received.time)
                continue
            for group in synchronizer.add(streams[received.topic], self._stamped(received)):
                yield from self._frame(group)
        for group in synchronizer.flush():
            yield from self._frame(group)
        if unused := synchronizer.unused.get("color", 0):
            problem = f"pictures without depth within {self._options.slop} s"
            self.findings.note(t.color, problem, "left out", at=synchronizer.first_unused["color"], count=unused)
        if self._consistency.contradictory:
            self.findings.note(
                t.depth,
                "images of the same places that contradict each other",
                "used so; are the intrinsics (--info, --intrinsics), the unit of depth (--depth-unit), and the poses "
                "(--pose, --mount, --pose-of) with their stamps right?",
                example=f"{self._consistency.contradicting} of {self._consistency.pairs} compared pairs",
            )
        if self._tilted > self.made / 2:
            self.findings.note(
                self.poses.topic,
                "pictures whose lower edge is not down in the map",
                "used so; does z point up (--up), and is it the pose of the optical frame (--mount, --pose-of)?",
                count=self._tilted,
            )

    def _read_poses(self, camera_frame: str) -> PoseSource:
        done = 0

        def count() -> None:
            nonlocal done
            done += 1
            self._on_message(done, 0)

        seeds: dict[str, Callable[[Received], None]] = {
            name: lambda r: self._calibration_of(r.topic).seed(r.topic, r.message)
            for name in (*self._calibration.topics, *self._color_calibration.topics)
        }
        return read_poses(self._bag, self._options, camera_frame, self.findings, seeds, count)

    def _calibration_of(self, topic: str) -> Calibration:
        return self._calibration if topic in self._calibration.topics else self._color_calibration

    def _stamped(self, received: Received) -> Stamped:
        message = received.message
        stamp = stamp_nanoseconds(message.header.stamp)
        if not stamp:
            self.findings.note(received.topic, "stamps of zero", "the time of receipt counts", at=received.time)
            stamp = received.time
        return Stamped(stamp, received.time, message, len(message.data) if hasattr(message, "data") else 0)

    def _frame(self, group: Group) -> Iterator[Frame]:
        """Yield the frame that a group makes, if any."""
        self.received += 1
        if self._options.rate and not self._due(group.leader.stamp):
            return
        try:
            frame = self._make(group)
        except _UnusableError as error:
            self.findings.note(
                error.topic, error.problem, error.action, at=group.leader.received, example=error.example
            )
        else:
            self.made += 1
            self._tilted += bool(frame.camera_pose[2, 1] > -_UPRIGHT)
            self._consistency.add(frame)
            yield frame

    def _due(self, stamp: int) -> bool:
        period = int(1e9 / self._options.rate)
        if self._next - period <= stamp < self._next:
            return False
        self._next = stamp + period
        return True

    def _make(self, group: Group) -> Frame:
        """Return the frame that a group makes; `_UnusableError` when it makes none."""
        t, depth = self.topics, group.leader
        self._check_complete(group)
        pose = self.poses.at(depth.stamp, depth.received)
        if pose is None:
            raise _UnusableError(self.poses.topic, "no pose for a depth image")
        metres = _read(t.depth, depth, lambda m: read_depth(m, self._options.depth_unit))
        _check_depth(t.depth, metres)
        try:
            intrinsics = self._intrinsics(metres.shape, depth)
            parts: dict[str, Any] = {"scene": self._scene}
            if "color" in group.others:
                parts["rgb"] = self._color(group.others["color"], metres, intrinsics)
            if "instances" in group.others:
                item = group.others["labels"]
                parts["instances"] = _read(t.instances, group.others["instances"], to_instances)
                parts["labels"] = _read(t.labels, item, to_labels, "labels that cannot be used")
                m = item.message
                parts |= {"scene": m.scene, "held": m.held, "resets": int(m.resets)}
            stamp = _seconds(self._place(depth))
            return Frame(stamp=stamp, depth=metres, intrinsics=intrinsics, camera_pose=pose, **parts)
        except FrameError as error:
            raise _UnusableError(t.depth, "images that make no frame", example=str(error)) from error

    def _intrinsics(self, shape: tuple[int, ...], depth: Stamped) -> Intrinsics:
        intrinsics = self._calibration.of(shape[1], shape[0], depth.received)
        if intrinsics is None:
            which = " or ".join(self._calibration.topics) or "the bag"
            raise _UnusableError(self.topics.depth, f"images whose intrinsics nothing good in {which} tells")
        return intrinsics

    def _check_complete(self, group: Group) -> None:
        """Raise `_UnusableError` when something is missing that a frame needs."""
        t = self.topics
        wanted: Mapping[str, str] = {"color": t.color, "instances": t.instances, "labels": t.labels}
        for stream, topic in wanted.items():
            if topic and stream not in group.others:
                raise _UnusableError(topic, f"nothing within {self._options.slop} s of a depth image")
        # The values of an instance image mean something in the labels of its very stamp only.
        if t.instances and group.others["labels"].stamp != group.others["instances"].stamp:
            raise _UnusableError(t.labels, "no labels of an instance image's stamp")

    def _place(self, depth: Stamped) -> int:
        stamp = self._timeline.place(depth.stamp, depth.received)
        if self._timeline.jump:
            self.findings.note(
                self.topics.depth,
                "stamps that jump",
                "the map goes on, and its times by when frames were received",
                at=depth.received,
                example=f"by {self._timeline.jump * 1e-9:+.3f} s",
            )
        return stamp

    def _color(self, item: Stamped, depth: NDArray[np.float32], k: Intrinsics) -> NDArray[np.uint8]:
        """Return the picture with the depth's pixels."""
        topic = self.topics.color
        rgb: NDArray[np.uint8] = _read(topic, item, read_color)
        size, wanted = (rgb.shape[1], rgb.shape[0]), (k.width, k.height)
        if self._apart:
            color = self._color_calibration.of(*size, item.received)
            between = self._between(item)
            if color is not None and between is not None:
                return register_color(rgb, color, depth, k, between)
            problem = "pictures in {!r}, but depth in {!r}, and no transforms or no camera info".format(*self._views)
            self.findings.note(
                topic, problem, "taken for the same view: classes and masks may be off", at=item.received
            )
        if size == wanted:
            return rgb
        problem = f"pictures of {size[0]}x{size[1]}, but depth of {k.width}x{k.height}"
        if not same_shape(size, wanted):
            raise _UnusableError(topic, f"{problem}, with another ratio of sides")
        self.findings.note(topic, problem, "scaled, as the same view", at=item.received)
        return resized(rgb, *wanted)

    def _between(self, item: Stamped) -> FloatArray | None:
        """Return the transform from the depth's optical frame to the color's; None when it is not known."""
        color, depth = self._views
        if not self.poses.tree.connected(color, depth):
            return None
        return self.poses.tree.at(color, depth, item.stamp, item.received)


class _UnusableError(Exception):
    """A group that makes no frame."""

    def __init__(self, topic: str, problem: str, *, action: str = LEFT_OUT, example: str = "") -> None:
        super().__init__(problem)
        self.topic = topic
        self.problem = problem
        self.action = action
        self.example = example


def _read(topic: str, item: Stamped, read: Callable[[Any], Any], problem: str = "images that cannot be read") -> Any:
    try:
        return read(item.message)
    except FrameError as error:
        raise _UnusableError(topic, problem, example=str(error)) from error


def _check_depth(topic: str, metres: NDArray[np.float32]) -> None:
    """Raise `_UnusableError` when an image has no depth, or one that no depth camera measures in a home."""
    known = metres[np.isfinite(metres) & (metres > 0.0)]
    if not known.size:
        raise _UnusableError(topic, "images without any depth (all zero, NaN or infinite)")
    middle = float(np.median(known))
    if not _NEAREST < middle < _FARTHEST:
        problem = "depth that cannot be in metres"
        hint = "if it is millimetres, say --depth-unit 0.001" if middle > 1.0 else "is --depth-unit right?"
        raise _UnusableError(topic, problem, action=f"{LEFT_OUT}; {hint}", example=f"half of it beyond {middle:.4g} m")


def _seconds(nanoseconds: int) -> float:
    """Return a stamp as the node's conversion makes it of seconds and nanoseconds."""
    whole, rest = divmod(nanoseconds, 1_000_000_000)
    return float(whole) + 1e-9 * float(rest)


def _peek(bag: Bag) -> tuple[dict[str, str], dict[str, str]]:
    """Return encoding (or format) and frame of the pictures on each topic: what most of the first ones say."""
    encodings: dict[str, Counter[str]] = defaultdict(Counter)
    frames: dict[str, Counter[str]] = defaultdict(Counter)
    waiting = {t.name: min(t.count, _PEEKED) for t in bag.topics if t.type in IMAGES and t.count}
    for received in bag.messages(tuple(waiting), preview=True):
        message, topic = received.message, received.topic
        encodings[topic][message.encoding if hasattr(message, "encoding") else message.format] += 1
        frames[topic][message.header.frame_id] += 1
        if encodings[topic].total() >= waiting.get(topic, 0):
            waiting.pop(topic, None)
            if not waiting:
                break
    return _commonest(encodings), _commonest(frames)


def _commonest(counts: Mapping[str, Counter[str]]) -> dict[str, str]:
    return {topic: count.most_common(1)[0][0] for topic, count in counts.items()}
