# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One RGB-D frame with its camera, and how its pixels become points.

The camera's optical frame is REP-103's: z forward, x right, y down. The map frame has z up. Metres and seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MAX_COORDINATE = 5_000.0
"""Metres; a camera farther than this from the map's origin is taken for garbage."""

MAX_SLOPE = 10.0
"""Metres beside the optical axis for each along it; a pixel that looks farther aside, by 84 degrees, is garbage."""

MAX_STAMP = 2.0**31
"""Seconds; from here on, and below 0, a stamp is taken for garbage: no ROS message holds it."""

FloatArray = NDArray[np.float64]


class FrameError(ValueError):
    """A frame that cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True)
class Intrinsics:
    """Pinhole camera without distortion; pixels."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    def __post_init__(self) -> None:
        numbers = (self.fx, self.fy, self.cx, self.cy)
        if self.width <= 0 or self.height <= 0 or not np.all(np.isfinite(numbers)) or self.fx <= 0 or self.fy <= 0:
            raise FrameError(
                f"intrinsics need a positive size and finite positive focal lengths, got {self.width}x{self.height}, "
                f"fx={self.fx}, fy={self.fy}, cx={self.cx}, cy={self.cy}"
            )
        for pixels, focal, center in ((self.width, self.fx, self.cx), (self.height, self.fy, self.cy)):
            if max(abs(center), abs(pixels - center)) > MAX_SLOPE * focal:
                raise FrameError(
                    f"the focal length {focal} with the principal point {center} of {pixels} pixels would see more "
                    f"than {MAX_SLOPE:.0f} m beside the axis for each along it; are the intrinsics right?"
                )


@dataclass(frozen=True)
class Label:
    """What one value of an instance image stands for."""

    category: str
    id: str = ""
    """Identity of the instance where the source knows it; empty for detectors."""
    score: float = 1.0
    """Confidence of the source, 0..1."""
    movable: bool = False
    states: Mapping[str, str] = field(default_factory=dict)


_NO_DISTANCE = 1000.0
"""Metres from which on depth is garbage; no depth camera measures so far."""


@dataclass(frozen=True, eq=False)
class Frame:
    """What an RGB-D camera shows at one instant.

    Raises `FrameError` when the parts do not fit together or the pose is not a rigid transform.
    """

    stamp: float
    """Seconds."""
    scene: str
    """Name of the scene or site; a new name means a new map."""
    depth: NDArray[np.float32]
    """(height, width), metres along the optical axis; 0 = none, as is made of whatever is no distance."""
    intrinsics: Intrinsics
    camera_pose: FloatArray
    """(4, 4) transform from the camera's optical frame to map."""
    rgb: NDArray[np.uint8] | None = None
    """(height, width, 3)."""
    instances: NDArray[np.uint16] | None = None
    """(height, width), 0 = background."""
    labels: Mapping[int, Label] = field(default_factory=dict)
    """Value in `instances` → what it stands for."""
    held: str = ""
    """Identity of the instance in the gripper, where known; any other text says that it holds something."""
    resets: int = 0
    """How often the scene was put back to its start; another number means a new map."""

    def __post_init__(self) -> None:
        shape = (self.intrinsics.height, self.intrinsics.width)
        if self.depth.shape != shape:
            raise FrameError(f"depth is {self.depth.shape}, but the intrinsics say {shape} (height, width)")
        measured = (self.depth > 0.0) & (self.depth < _NO_DISTANCE)
        object.__setattr__(self, "depth", np.where(measured, self.depth, np.float32(0.0)))
        if self.rgb is not None and self.rgb.shape != (*shape, 3):
            raise FrameError(f"rgb is {self.rgb.shape}, expected {(*shape, 3)}")
        if self.instances is not None and self.instances.shape != shape:
            raise FrameError(f"the instance image is {self.instances.shape}, expected {shape}")
        if not 0.0 <= self.stamp < MAX_STAMP:
            raise FrameError(f"the stamp is {self.stamp} s; expected one from 0 to {MAX_STAMP:.0f} s")
        _check_pose(self.camera_pose)

    @property
    def position(self) -> FloatArray:
        """Camera centre in map, (3,)."""
        return self.camera_pose[:3, 3]

    @property
    def nbytes(self) -> int:
        """Bytes of the images."""
        return sum(image.nbytes for image in (self.depth, self.rgb, self.instances) if image is not None)


def _check_pose(pose: FloatArray) -> None:
    if pose.shape != (4, 4) or not np.all(np.isfinite(pose)):
        raise FrameError("the camera pose must be a 4x4 matrix of finite numbers")
    if np.max(np.abs(pose[:3, 3])) > MAX_COORDINATE:
        raise FrameError(f"the camera is more than {MAX_COORDINATE:.0f} m from the map's origin")
    rotation = pose[:3, :3]
    if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-3) or np.linalg.det(rotation) < 0:
        raise FrameError("the camera pose's rotation is not orthonormal")


def pixel_rays(intrinsics: Intrinsics) -> tuple[FloatArray, FloatArray]:
    """Return x/z of every column, (width,), and y/z of every row, (height,), in the optical frame."""
    columns = (np.arange(intrinsics.width, dtype=np.float64) - intrinsics.cx) / intrinsics.fx
    rows = (np.arange(intrinsics.height, dtype=np.float64) - intrinsics.cy) / intrinsics.fy
    return columns, rows


def back_project(frame: Frame, pixels: NDArray[np.intp]) -> FloatArray:
    """Return the map-frame points, (n, 3), of flat pixel indices, (n,), whose depth is valid."""
    columns, rows = pixel_rays(frame.intrinsics)
    v, u = np.divmod(pixels, frame.intrinsics.width)
    z = frame.depth.ravel()[pixels].astype(np.float64)
    return _combine((columns[u] * z, rows[v] * z, z), frame.camera_pose[:3, :3], frame.position)


def project(frame: Frame, points: FloatArray) -> tuple[NDArray[np.intp], FloatArray, NDArray[np.bool_]]:
    """Project map-frame points, (n, 3), into the image.

    Returns flat pixel indices, (n,), depths along the optical axis, (n,), and which points fall inside the image, (n,);
    the index of a point outside is 0.
    """
    k = frame.intrinsics
    inverse = frame.camera_pose[:3, :3].T
    x, y, z = _combine(tuple(points.T), inverse, -inverse @ frame.position).T
    ahead = z > 1e-3
    safe = np.where(ahead, z, 1.0)
    u = np.rint(np.clip(x / safe * k.fx + k.cx, -1.0, k.width)).astype(np.intp)
    v = np.rint(np.clip(y / safe * k.fy + k.cy, -1.0, k.height)).astype(np.intp)
    inside = ahead & (u >= 0) & (u < k.width) & (v >= 0) & (v < k.height)
    return np.where(inside, v * k.width + u, 0), z, inside


def box_corners(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the corners, (8, 3), of the box from `low` to `high`, (3,) each."""
    return np.stack(np.meshgrid(*np.stack([low, high], axis=1)), axis=-1).reshape(-1, 3)


def project_box(frame: Frame, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the corners, (2,) each, column and row, of what a box covers in the image plane, pixels.

    `low`, `high`: (3,), metres, map frame. None of a box that reaches behind the camera.
    """
    k = frame.intrinsics
    local = (box_corners(low, high) - frame.position) @ frame.camera_pose[:3, :3]
    if local[:, 2].min() <= 0.05:
        return None
    pixels = local[:, :2] / local[:, 2:] * (k.fx, k.fy) + (k.cx, k.cy)
    return pixels.min(axis=0), pixels.max(axis=0)


def _combine(axes: tuple[FloatArray, ...], rotation: FloatArray, translation: FloatArray) -> FloatArray:
    """Return rotated and translated points, (n, 3), from their coordinates, (n,) each.

    A product of matrices would do the same, but BLAS starts threads for it that slow down everything else on two cores.
    """
    result = np.empty((len(axes[0]), 3))
    for i in range(3):
        np.multiply(axes[0], rotation[i, 0], out=result[:, i])
        result[:, i] += axes[1] * rotation[i, 1]
        result[:, i] += axes[2] * rotation[i, 2]
        result[:, i] += translation[i]
    return result
