# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import dataclasses

import numpy as np
import pytest
from raycast import INTRINSICS, pose, room, shoot

from karma_perception.frames.camera import FrameError, Intrinsics, back_project, project


def frame():
    return shoot(room(0, 0, 4, 3), pose(2, 1.5, 30))


def test_the_pixel_on_the_optical_axis_becomes_the_point_straight_ahead():
    k = Intrinsics(3, 3, 2.0, 2.0, 1.0, 1.0)
    f = shoot(room(0, 0, 4, 3), pose(2, 1.5, 0, pitch_deg=0), intrinsics=k)
    # The wall is at x = 4, two metres ahead of the camera at (2, 1.5, 1.1).
    np.testing.assert_allclose(back_project(f, np.array([4])), [[4.0, 1.5, 1.1]], atol=1e-6)


def test_projection_undoes_back_projection():
    f = frame()
    pixels = np.flatnonzero(f.depth.ravel() > 0)
    found, z, inside = project(f, back_project(f, pixels))
    assert inside.all()
    np.testing.assert_array_equal(found, pixels)
    np.testing.assert_allclose(z, f.depth.ravel()[pixels], rtol=1e-5)


def test_points_behind_the_camera_are_outside_the_image():
    f = frame()
    behind = f.position - f.camera_pose[:3, 2]
    assert not project(f, behind[None])[2].any()


def test_what_is_no_distance_becomes_no_depth():
    f = frame()
    depth = f.depth.copy()
    depth[0, :5] = (np.nan, np.inf, -np.inf, -1.0, 3e38)
    depth[0, 5] = 2.5
    read = dataclasses.replace(f, depth=depth).depth
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read[0, :6], (0.0, 0.0, 0.0, 0.0, 0.0, 2.5))
    np.testing.assert_array_equal(read[1:], f.depth[1:])


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("depth", np.zeros((3, 3), np.float32), "depth"),
        ("rgb", np.zeros((240, 320), np.uint8), "rgb"),
        ("instances", np.zeros((240, 321), np.uint16), "instance image"),
        ("camera_pose", np.full((4, 4), np.nan), "finite"),
        ("camera_pose", np.eye(3), "4x4"),
        ("camera_pose", np.diag([1.0, 1.0, 2.0, 1.0]), "orthonormal"),
        ("camera_pose", np.diag([1.0, 1.0, -1.0, 1.0]), "orthonormal"),
        ("stamp", float("nan"), "stamp"),
        ("stamp", -5.0, "stamp"),
        ("stamp", 2.0**31, "stamp"),
    ],
)
def test_a_frame_whose_parts_do_not_fit_is_refused(field, value, said):
    with pytest.raises(FrameError, match=said):
        dataclasses.replace(frame(), **{field: value})


def test_a_camera_kilometres_away_is_refused():
    far = frame().camera_pose.copy()
    far[0, 3] = 1e7
    with pytest.raises(FrameError, match="origin"):
        dataclasses.replace(frame(), camera_pose=far)


@pytest.mark.parametrize("values", [(0, 3, 1.0, 1.0), (3, 3, 0.0, 1.0), (3, 3, float("inf"), 1.0), (3, 3, 1.0, -1.0)])
def test_intrinsics_without_a_size_or_focal_length_are_refused(values):
    with pytest.raises(FrameError, match="intrinsics"):
        Intrinsics(*values, 1.0, 1.0)


@pytest.mark.parametrize(
    "values", [(1e-300, 160.0, 160.0, 120.0), (160.0, 1e-6, 160.0, 120.0), (160.0, 160.0, 1e9, 1.0)]
)
def test_intrinsics_that_would_throw_points_far_aside_are_refused(values):
    with pytest.raises(FrameError, match="focal length"):
        Intrinsics(320, 240, *values)


def test_the_test_world_has_the_intrinsics_it_says():
    assert frame().depth.shape == (INTRINSICS.height, INTRINSICS.width)
