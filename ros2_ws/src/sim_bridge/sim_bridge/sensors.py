# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The topics on which a backend's camera and its robot's place are published."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image

from karma_interfaces.msg import InstanceLabels
from sim_bridge.backend import Located, Observation
from sim_bridge.conversions import (
    camera_info_to,
    fixed_transforms,
    image_to,
    labels_to,
    moving_transforms,
    odometry_to,
    pose_to,
)

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # not among the wheels: camera/pose and odom carry the same without it
    TFMessage = None

# Every view counts: what the camera showed only once, perception must still get. Reliable delivery repeats what was
# lost; a short queue drops the oldest when a reader is slower, so that neither the simulator waits nor memory grows. A
# reader that prefers best effort can still connect.
CAMERA_QOS = QoSProfile(depth=5, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE)
# Sent once at activation; a reader that starts later must get it too.
LATCHED_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Small and frequent: the newest matters.
STATE_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)


class Sensors:
    """Publishes what a camera sees and where it is."""

    def __init__(self, publisher: Callable[[Any, str, QoSProfile], Any]) -> None:
        """Make the publishers: `publisher` takes a message type, a topic and a quality of service."""
        self._color = publisher(Image, "camera/color/image_raw", CAMERA_QOS)
        self._depth = publisher(Image, "camera/depth/image_raw", CAMERA_QOS)
        self._instances = publisher(Image, "camera/instances", CAMERA_QOS)
        self._color_info = publisher(CameraInfo, "camera/color/camera_info", CAMERA_QOS)
        self._depth_info = publisher(CameraInfo, "camera/depth/camera_info", CAMERA_QOS)
        self._labels = publisher(InstanceLabels, "camera/instance_labels", CAMERA_QOS)
        self._camera_pose = publisher(PoseStamped, "camera/pose", CAMERA_QOS)
        self._odometry = publisher(Odometry, "odom", STATE_QOS)
        if TFMessage is not None:
            # Absolute, as tf2 has them; the description of the graph remaps them into a namespace (karma.graph).
            self._tf = publisher(TFMessage, "/tf", STATE_QOS)
            self._tf_static = publisher(TFMessage, "/tf_static", LATCHED_QOS)

    @property
    def readers(self) -> int:
        """How many subscriptions read the camera."""
        return sum(one.get_subscription_count() for one in (self._color, self._depth, self._instances, self._labels))

    def publish_fixed(self, stamp: Time) -> None:
        """Publish the transforms that never change."""
        if TFMessage is not None:
            self._tf_static.publish(TFMessage(transforms=fixed_transforms(stamp)))

    def publish_location(self, located: Located, stamp: Time) -> None:
        """Publish where the robot and its camera are."""
        self._camera_pose.publish(pose_to(located.camera_pose, stamp))
        self.publish_frames(located, stamp)

    def publish_frames(self, located: Located, stamp: Time) -> None:
        """Publish odometry and transforms, which listeners expect all the time; `camera/pose` comes with pictures."""
        self._odometry.publish(odometry_to(located.robot, stamp))
        if TFMessage is not None:
            self._tf.publish(TFMessage(transforms=moving_transforms(located, stamp)))

    def publish(self, seen: Observation, scene: str, resets: int, stamp: Time) -> None:
        """Publish a view and where it was had; `resets`: how often the scene was begun anew."""
        info = camera_info_to(seen.intrinsics, stamp)
        # What explains the images goes first, so that a reader that waits for the images has it.
        self._color_info.publish(info)
        self._depth_info.publish(info)
        self.publish_location(seen, stamp)
        if seen.instances is not None:
            self._labels.publish(labels_to(seen, scene, resets, stamp))
            self._instances.publish(image_to(seen.instances, "16UC1", stamp))
        self._color.publish(image_to(seen.rgb, "rgb8", stamp))
        self._depth.publish(image_to(seen.depth, "32FC1", stamp))
