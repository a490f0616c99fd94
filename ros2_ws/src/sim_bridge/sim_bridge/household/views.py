# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Cameras: intrinsics, and poses: 4x4 transforms from camera_optical_frame (z forward, x right, y down) to map."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Intrinsics, Point


def camera_pose(position: Point, yaw: float, pitch: float = 0.0) -> NDArray[np.float64]:
    """Return the pose of a camera that looks along `yaw`, tilted by `pitch` (radians, positive is down)."""
    forward = np.array([math.cos(yaw) * math.cos(pitch), math.sin(yaw) * math.cos(pitch), -math.sin(pitch)])
    right = np.array([math.sin(yaw), -math.cos(yaw), 0.0])
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = right, np.cross(forward, right), forward, position
    return pose


def intrinsics_for(width: int, height: int, hfov: float) -> Intrinsics:
    """Return the pinhole camera with a horizontal field of view of `hfov` radians and square pixels.

    Pixel (u, v) is centred at (u, v), so that the optical axis meets the image at ((width - 1) / 2, (height - 1) / 2).
    ValueError when an argument is out of range.
    """
    if not (1 <= width <= 4096 and 1 <= height <= 4096):
        raise ValueError(f"an image of {width} x {height} pixels can't be rendered: each side must be 1 to 4096")
    if not 0.01 < hfov < 3.1:
        raise ValueError(f"hfov must be between 0.01 and 3.1 radians, not {hfov}")
    focal = width / 2 / math.tan(hfov / 2)
    return Intrinsics(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2)
