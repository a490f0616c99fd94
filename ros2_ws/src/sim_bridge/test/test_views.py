# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where cameras are put, and what they must not stand in."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.views import camera_pose, intrinsics_for

SAMPLE = [
    "FloorPlan1",
    "FloorPlan3",
    "FloorPlan16",
    "FloorPlan28",
    "FloorPlan204",
    "FloorPlan230",
    "FloorPlan305",
    "FloorPlan410",
    "home1",
    "home5",
]


@pytest.fixture(scope="module")
def camera() -> Iterator[HouseholdRenderer]:
    try:
        renderer = HouseholdRenderer(width=160, height=120)
    except RenderingUnavailableError as error:
        pytest.skip(str(error))
    yield renderer
    renderer.close()


def test_a_level_camera_looks_along_its_yaw_with_x_to_the_right_and_y_down() -> None:
    pose = camera_pose((1, 2, 3), math.pi / 2)
    np.testing.assert_allclose(pose[:3, 2], [0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(pose[:3, 0], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(pose[:3, 1], [0, 0, -1], atol=1e-12)
    np.testing.assert_allclose(pose[:3, 3], [1, 2, 3])


def test_a_positive_pitch_looks_down() -> None:
    pose = camera_pose((0, 0, 0), 0.0, math.radians(30))
    np.testing.assert_allclose(pose[:3, 2], [math.cos(math.pi / 6), 0, -0.5], atol=1e-12)
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)


def test_ninety_degrees_make_a_focal_length_of_half_the_width() -> None:
    k = intrinsics_for(640, 480, math.radians(90))
    assert (k.fx, k.fy) == (pytest.approx(320), pytest.approx(320))
    assert (k.cx, k.cy) == (319.5, 239.5)


@pytest.mark.parametrize("name", SAMPLE)
def test_every_room_renders_from_its_first_viewpoint(camera: HouseholdRenderer, name: str) -> None:
    backend = HouseholdBackend(name)
    grid = backend.grid
    for room in backend.world.scene.rooms:
        backend.robot.cell = next(cell for cell in grid.viewpoints if grid.rooms[cell] == room.name)
        seen = camera.render(backend.snapshot())
        assert seen.depth[seen.depth > 0].min() > 0.2  # not inside furniture, nor at its surface
        assert (seen.depth > 0).mean() > 0.98  # walls, floor and ceiling all around
        assert len(seen.labels) >= 3
