# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Frames as the messages that a camera driver or simulator would publish."""

from __future__ import annotations

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import KeyValue
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header

from karma_interfaces.msg import InstanceLabel, InstanceLabels
from karma_perception.frames.camera import Frame


def image(pixels: np.ndarray, encoding: str, header: Header) -> Image:
    height, width = pixels.shape[:2]
    data = np.ascontiguousarray(pixels).tobytes()
    return Image(
        header=header,
        height=height,
        width=width,
        encoding=encoding,
        step=len(data) // height,
        is_bigendian=0,
        data=data,
    )


def to_messages(frame: Frame) -> dict[str, object]:
    """Return stream → message, as the perception node's inputs are called."""
    seconds = int(frame.stamp)
    stamp = Time(sec=seconds, nanosec=round((frame.stamp - seconds) * 1e9))
    camera = Header(stamp=stamp, frame_id="camera_optical_frame")
    k = frame.intrinsics
    labels = [
        InstanceLabel(
            value=value,
            id=label.id,
            category=label.category,
            score=label.score,
            movable=label.movable,
            states=[KeyValue(key=a, value=b) for a, b in label.states.items()],
        )
        for value, label in frame.labels.items()
    ]
    x, y, z = frame.position.tolist()
    return {
        "color": image(frame.rgb, "rgb8", camera),
        "depth": image(frame.depth, "32FC1", camera),
        "instances": image(frame.instances, "16UC1", camera),
        "labels": InstanceLabels(header=camera, scene=frame.scene, resets=frame.resets, held=frame.held, labels=labels),
        "info": CameraInfo(
            header=camera, width=k.width, height=k.height, k=[k.fx, 0.0, k.cx, 0.0, k.fy, k.cy, 0.0, 0.0, 1.0]
        ),
        "pose": PoseStamped(
            header=Header(stamp=stamp, frame_id="map"),
            pose=Pose(position=Point(x=x, y=y, z=z), orientation=_quaternion(frame.camera_pose[:3, :3])),
        ),
    }


def _quaternion(r: np.ndarray) -> Quaternion:
    """Return the quaternion of a rotation: the eigenvector of Bar-Itzhack's symmetric matrix with the largest value."""
    k = np.array(
        [
            [r[0, 0] - r[1, 1] - r[2, 2], 0, 0, 0],
            [r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], 0, 0],
            [r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1], 0],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)],
        ]
    )
    x, y, z, w = np.linalg.eigh(k)[1][:, -1].tolist()
    return Quaternion(x=x, y=y, z=z, w=w)
