# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A real RGB-D frame: the Motorcycle pair of the Middlebury 2014 stereo benchmark, as scikit-image carries it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karma_perception.frames.camera import Frame, Intrinsics

# The calibration in the documentation of skimage.data.stereo_motorcycle.
FOCAL_LENGTH, CENTER_X, CENTER_Y = 994.978, 311.193, 254.877
OFFSET = 31.086
"""Pixels between the principal points of the two cameras."""
BASELINE = 0.193001

# The camera above and towards the garage's floor: a plane through the floor's pixels in the lower left corner.
HEIGHT, PITCH = 1.043, math.radians(13.9)

SURFACE = ((200, 380), (400, 210), (367, 338), (668, 400), (540, 155), (200, 190), (558, 225), (250, 330))
"""Column and row of points on the motorcycle, read off the picture by eye: tyres, tank, engine, headlight, seat, fork,
exhaust."""


def motorcycle_frame(stamp: float = 1.0) -> Frame:
    """Return the frame; skips the test, with the reason, where scikit-image is missing."""
    data = pytest.importorskip("skimage.data", reason="scikit-image, which carries the picture, is not installed")
    left, _, disparity = data.stereo_motorcycle()
    depth = np.where(np.isfinite(disparity), FOCAL_LENGTH * BASELINE / (disparity + OFFSET), 0.0).astype(np.float32)
    forward = np.array([math.cos(PITCH), 0.0, -math.sin(PITCH)])
    right = np.array([0.0, -1.0, 0.0])
    pose = np.eye(4)
    pose[:3, :4] = np.stack([right, np.cross(forward, right), forward, np.array([0.0, 0.0, HEIGHT])], axis=1)
    height, width = depth.shape
    return Frame(
        stamp=stamp,
        scene="garage",
        depth=depth,
        intrinsics=Intrinsics(width, height, FOCAL_LENGTH, FOCAL_LENGTH, CENTER_X, CENTER_Y),
        camera_pose=pose,
        rgb=left,
    )


def measured_distance(frame: Frame) -> float:
    """Return the mean distance, metres, of the points on the motorcycle from the camera: disparity and a few taps."""
    columns, rows = np.array(SURFACE).T
    z = frame.depth[rows, columns].astype(float)
    assert np.all(z > 0), "a point without a disparity"
    rays = np.stack([(columns - CENTER_X) / FOCAL_LENGTH, (rows - CENTER_Y) / FOCAL_LENGTH, np.ones(len(z))])
    return float(np.mean(z * np.linalg.norm(rays, axis=0)))
