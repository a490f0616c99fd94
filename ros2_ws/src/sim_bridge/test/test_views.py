# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where cameras are put, and what they must not stand in."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.model import Box, ObjectSpec, Room, Scene
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.scenes import load_scene
from sim_bridge.household.stills import still
from sim_bridge.household.views import NoFreeViewError, camera_pose, free_view, intrinsics_for, top_view

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


def test_no_view_where_furniture_is_everywhere() -> None:
    block = ObjectSpec("Block|1", "Dresser", Box((0, 0, 1), (4, 4, 2)), 0.0, "room", frozenset())
    room = Room("room", "Bedroom", "FloorPlan301", 0, (-2, -2), (2, 2))
    scene = Scene("room", (room,), (), (block,), {(0, 0, 0): "room"}, (0, 0, 0))
    with pytest.raises(NoFreeViewError, match="room"):
        free_view(scene)


def test_an_unknown_room_or_storey_is_refused() -> None:
    scene = load_scene("FloorPlan1")
    with pytest.raises(KeyError):
        free_view(scene, "ballroom")
    with pytest.raises(ValueError, match="storey 3"):
        top_view(scene, 3)


@pytest.mark.parametrize("name", SAMPLE)
def test_every_room_renders_from_a_free_position(camera: HouseholdRenderer, name: str) -> None:
    scene = load_scene(name)
    for room in scene.rooms:
        seen = camera.render(still(scene), free_view(scene, room.name))
        assert seen.depth[seen.depth > 0].min() > 0.2  # not inside furniture, nor at its surface
        assert (seen.depth > 0).mean() > 0.98  # walls, floor and ceiling all around
        assert len(seen.labels) >= 3


@pytest.mark.parametrize("name", ["FloorPlan1", "home5"])
def test_the_plan_shows_each_object_s_place(camera: HouseholdRenderer, name: str) -> None:
    scene = load_scene(name)
    for storey in {room.storey for room in scene.rooms}:
        picture, (left, right, bottom, top) = camera.plan(still(scene), storey)
        assert picture.shape == (120, 160, 3)
        for room in (r for r in scene.rooms if r.storey == storey):
            assert left < room.low[0]
            assert room.high[0] < right
            assert bottom < room.low[1]
            assert room.high[1] < top
            u = int((np.mean([room.low[0], room.high[0]]) - left) / (right - left) * 160)
            v = int((top - np.mean([room.low[1], room.high[1]])) / (top - bottom) * 120)
            assert picture[v, u].tolist() != [255, 255, 255]
        assert (picture == 255).all(axis=2).mean() > 0.05
