# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the messages of a camera say, whoever decoded them: rclpy or a reader of recordings. No ROS is imported.

Messages are taken by their attributes, which have the names of the definitions in sensor_msgs, geometry_msgs and
karma_interfaces.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from karma_perception.frames.camera import FloatArray, FrameError, Intrinsics, Label

MAX_PIXELS = 16_000_000
"""Larger images are taken for garbage; no depth camera gives them."""

_COLORS: dict[str, tuple[int, ...]] = {
    "rgb8": (0, 1, 2),
    "bgr8": (2, 1, 0),
    "rgba8": (0, 1, 2),
    "bgra8": (2, 1, 0),
    "mono8": (0, 0, 0),
}
"""Encoding → the channels that are red, green and blue."""


def stamp_nanoseconds(stamp: Any) -> int:
    """Return a stamp as nanoseconds."""
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def to_seconds(stamp: Any) -> float:
    """Return a stamp as seconds."""
    return float(stamp.sec) + 1e-9 * float(stamp.nanosec)


def to_rgb(message: Any) -> NDArray[np.uint8]:
    """Return an 8-bit color or grey image as (height, width, 3) red, green, blue."""
    channels = len(message.encoding) - 1 if message.encoding != "mono8" else 1
    pixels: NDArray[np.uint8] = to_pixels(message, np.dtype(np.uint8), channels, tuple(_COLORS))
    order = _COLORS[message.encoding]
    if channels == 1:
        return np.repeat(pixels[:, :, None], 3, axis=2)
    return pixels if order == (0, 1, 2) and channels == 3 else pixels[:, :, order]


def to_depth(message: Any, unit: float = 0.001) -> NDArray[np.float32]:
    """Return a 32FC1 (metres) or 16UC1 depth image as (height, width) metres, 0 = none (REP-118).

    `unit`: metres that an integer of one stands for.
    """
    if message.encoding == "16UC1":
        units: NDArray[np.uint16] = to_pixels(message, np.dtype(np.uint16), 1, ("16UC1",))
        return units.astype(np.float32) * np.float32(unit)
    metres: NDArray[np.float32] = to_pixels(message, np.dtype(np.float32), 1, ("32FC1", "16UC1"))
    return metres


def to_instances(message: Any) -> NDArray[np.uint16]:
    """Return an instance image as (height, width), 0 = background."""
    instances: NDArray[np.uint16] = to_pixels(message, np.dtype(np.uint16), 1, ("16UC1", "mono16"))
    return instances


def to_pixels(message: Any, dtype: np.dtype[Any], channels: int, encodings: Sequence[str]) -> NDArray[Any]:
    """Return an image's pixels, (height, width) or (height, width, channels); `FrameError` when it is garbage."""
    name = f"the image of {message.header.frame_id or 'no frame'}"
    if message.encoding not in encodings:
        raise FrameError(f"{name} is encoded as {message.encoding[:32]!r}, expected {' or '.join(encodings)}")
    height, width, step = int(message.height), int(message.width), int(message.step)
    row = width * channels * dtype.itemsize
    if height * width > MAX_PIXELS:
        raise FrameError(f"{name} has {width}x{height} pixels, expected at most {MAX_PIXELS}")
    if height * width == 0 or step < row or len(message.data) != step * height:
        raise FrameError(f"{name} says {width}x{height}, {step} bytes a row, but has {len(message.data)} bytes")
    data = np.frombuffer(message.data, np.uint8).reshape(height, step)[:, :row]
    pixels = np.ascontiguousarray(data).view(dtype)
    if dtype.itemsize > 1 and bool(message.is_bigendian) != (sys.byteorder == "big"):
        pixels = pixels.byteswap()
    return pixels.reshape(height, width, channels) if channels > 1 else pixels.reshape(height, width)


def to_intrinsics(message: Any) -> Intrinsics:
    """Return the pinhole part of a camera info; `FrameError` when it is not filled in."""
    k = message.k
    return Intrinsics(int(message.width), int(message.height), float(k[0]), float(k[4]), float(k[2]), float(k[5]))


def to_labels(message: Any) -> dict[int, Label]:
    """Return the labels by pixel value; `FrameError` when a value or an identity comes twice."""
    labels: dict[int, Label] = {}
    names: set[str] = set()
    for label in message.labels:
        if label.value in labels or label.value == 0 or label.id in names:
            raise FrameError(
                f"the instance labels give the value {label.value} or the id {label.id[:64]!r} twice, or 0"
            )
        if label.id:
            names.add(label.id)
        if not label.category or not math.isfinite(label.score):
            raise FrameError(f"the label of value {label.value} has no category or no score")
        states = {s.key: s.value for s in label.states}
        labels[int(label.value)] = Label(label.category, label.id, float(label.score), bool(label.movable), states)
    return labels


def to_matrix(pose: Any) -> FloatArray:
    """Return a pose as a (4, 4) transform; `FrameError` when it is not finite or its quaternion is not of length 1."""
    p, q = pose.position, pose.orientation
    return rigid_transform((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def pose_values(message: Any) -> tuple[float, ...]:
    """Return translation and quaternion of whatever carries a pose."""
    if hasattr(message, "transform"):
        p, q = message.transform.translation, message.transform.rotation
    else:
        pose = message.pose.pose if hasattr(message.pose, "pose") else message.pose
        p, q = pose.position, pose.orientation
    return (p.x, p.y, p.z, q.x, q.y, q.z, q.w)


def rigid_transform(translation: Sequence[float], rotation: Sequence[float]) -> FloatArray:
    """Return translation x, y, z and quaternion x, y, z, w as a (4, 4) transform; `FrameError` as for `to_matrix`."""
    quaternion = np.array(rotation, dtype=np.float64)
    if not np.all(np.isfinite([*translation, *quaternion])):
        raise FrameError("the camera pose has numbers that are not finite")
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > 0.01:
        raise FrameError(f"the camera pose's quaternion has length {length:.3f}, expected 1")
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(quaternion).as_matrix()
    matrix[:3, 3] = tuple(translation)
    return matrix
