# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Left-handed and y up to right-handed and z up, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_bridge.ai2thor.coordinates import camera_pose, to_map, to_rotation, to_thor, to_yaw
from sim_bridge.ai2thor.frames import intrinsics_of, vertical_fov


def test_a_point_and_back() -> None:
    assert to_map({"x": 1.0, "y": 0.9, "z": 2.0}, ground=0.1) == pytest.approx((1.0, 2.0, 0.8))
    assert to_thor((1.0, 2.0, 0.8), ground=0.1) == pytest.approx({"x": 1.0, "y": 0.9, "z": 2.0})


@pytest.mark.parametrize(
    ("rotation", "yaw"), [(0, math.pi / 2), (90, 0), (180, -math.pi / 2), (270, math.pi), (45, math.pi / 4)]
)
def test_a_rotation_is_clockwise_from_z_and_a_heading_counterclockwise_from_x(rotation: float, yaw: float) -> None:
    assert math.remainder(to_yaw(rotation) - yaw, math.tau) == pytest.approx(0, abs=1e-9)
    assert to_rotation(yaw) == pytest.approx(rotation)


def test_a_camera_that_looks_along_x_and_down_by_its_horizon() -> None:
    pose = camera_pose((1.0, 2.0, 1.5), yaw=0.0, horizon=30.0)
    forward, right, down = pose[:3, 2], pose[:3, 0], pose[:3, 1]
    assert forward == pytest.approx([math.cos(math.pi / 6), 0, -0.5])
    assert right == pytest.approx([0, -1, 0])
    assert down == pytest.approx(np.cross(forward, right))
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1)


def test_unitys_field_of_view_is_vertical() -> None:
    fov = vertical_fov(math.radians(90), 640, 480)
    assert fov == pytest.approx(2 * math.degrees(math.atan(0.75)))
    k = intrinsics_of(fov, 640, 480)
    assert (k.fx, k.fy, k.cx, k.cy) == pytest.approx((320, 320, 319.5, 239.5))
