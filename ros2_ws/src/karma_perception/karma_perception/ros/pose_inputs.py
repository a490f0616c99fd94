# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The topics that tell where the camera is, besides its own pose: /tf and /tf_static, or odom."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from karma_perception.frames.camera import FrameError
from karma_perception.frames.camera_poses import CameraPoses, OdometryPoses, PoseQueue, TransformPoses
from karma_perception.parameters import camera_mount
from karma_ros.parameters import ParameterError, Value

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # not among the wheels
    TFMessage = None

_MOVING = QoSProfile(depth=100)
# Sent once, or seldom, by each of many publishers, and kept for who comes late.
_FIXED = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_ODOMETRY = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Best effort: publishers of both kinds are heard, and what is lost is interpolated."""


class PoseInputs:
    """Subscribes to what the parameter `pose_source` names, and gives pictures that wait for it the camera's pose."""

    def __init__(
        self,
        node: Any,
        values: Mapping[str, Value],
        *,
        capacity: int,
        on_located: Callable[[dict[str, Any]], None],
        on_refused: Callable[[ValueError], None],
    ) -> None:
        """`capacity`: pictures that may wait; `on_located` gets them with their pose, (4, 4), added as "pose".

        `ParameterError` when the source can't be had here, or the mount is none.
        """
        self._node = node
        self._on_located = on_located
        self._on_refused = on_refused
        self._subscriptions: list[Any] = []
        map_frame = str(values["map_frame"])
        poses: CameraPoses
        self._kinds: tuple[tuple[Any, str, Callable[[Any, int], None], QoSProfile], ...]
        if values["pose_source"] == "odometry":
            poses = odometry = OdometryPoses(map_frame, camera_mount(str(values["camera_mount"])))
            self._kinds = ((Odometry, "odom", odometry.take, _ODOMETRY),)
        elif TFMessage is None:
            raise ParameterError("pose_source: transforms needs the package tf2_msgs; set it to odometry or topic")
        else:
            poses = transforms = TransformPoses(map_frame)
            self._kinds = (
                (TFMessage, "/tf", lambda m, t: transforms.take(m, t, fixed=False), _MOVING),
                (TFMessage, "/tf_static", lambda m, t: transforms.take(m, t, fixed=True), _FIXED),
            )
        self._waiting: PoseQueue[dict[str, Any]] = PoseQueue(poses, capacity)

    @property
    def topic(self) -> str:
        """What must be heard again and again."""
        return self._kinds[0][1]

    def listen(self, on_heard: Callable[[str], None]) -> None:
        """Begin to listen; `on_heard` is called with the topic of every message."""
        for kind, topic, take, qos in self._kinds:

            def collect(message: Any, topic: str = topic, take: Callable[[Any, int], None] = take) -> None:
                on_heard(topic)
                try:
                    take(message, int(time.monotonic() * 1e9))
                except FrameError as error:
                    self._on_refused(error)
                self._go_on()

            self._subscriptions.append(self._node.create_subscription(kind, topic, collect, qos))

    def locate(self, group: dict[str, Any], stamp: int) -> None:
        """Pass the messages of a picture on as soon as it is known where the camera was; `stamp`: nanoseconds."""
        self._waiting.add(group, group["depth"].header.frame_id, stamp, time.monotonic())
        self._go_on()

    def stop(self) -> None:
        """Stop listening, and forget what waits."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._subscriptions = []
        self._waiting.clear()

    def _go_on(self) -> None:
        while True:
            try:
                for group, pose in self._waiting.ready(time.monotonic()):
                    self._on_located(group | {"pose": pose})
            except FrameError as error:
                self._on_refused(error)
            else:
                return
