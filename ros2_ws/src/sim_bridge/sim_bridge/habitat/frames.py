# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Habitat's frames and ours. Habitat's y points up and its cameras look along -z; our map's z points up.

(x, y, z) of the map is (x, z, -y) in Habitat, so a heading of our map is Habitat's angle about y.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TO_MAP: Array = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
_OPTICAL: Array = np.diag([1.0, -1.0, -1.0])
"""From camera_optical_frame (z forward, y down) to Habitat's camera (z back, y up), or back."""


def to_habitat(points: Any) -> Array:
    """Return points (..., 3) of the map in Habitat's frame, metres."""
    return np.asarray(points, dtype=np.float64) @ _TO_MAP


def to_map(points: Any) -> Array:
    """Return points (..., 3) of Habitat in the map frame, metres."""
    return np.asarray(points, dtype=np.float64) @ _TO_MAP.T


def camera_to_habitat(pose: Any) -> Array:
    """Return the transform of Habitat's camera for the pose (4, 4) of a camera_optical_frame in the map."""
    pose = np.asarray(pose, dtype=np.float64)
    result = np.eye(4)
    result[:3, :3] = _TO_MAP.T @ pose[:3, :3] @ _OPTICAL
    result[:3, 3] = to_habitat(pose[:3, 3])
    return result


def camera_to_map(transform: Any) -> Array:
    """Return the pose of the camera_optical_frame in the map for the transform (4, 4) of Habitat's camera."""
    transform = np.asarray(transform, dtype=np.float64)
    result = np.eye(4)
    result[:3, :3] = _TO_MAP @ transform[:3, :3] @ _OPTICAL
    result[:3, 3] = to_map(transform[:3, 3])
    return result
