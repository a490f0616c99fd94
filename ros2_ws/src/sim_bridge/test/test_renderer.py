# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The renderer against geometry worked out by hand."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from sim_bridge.backend import Observation, Pose2D
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.model import Box, ObjectState, Room, Scene, Snapshot
from sim_bridge.household.palette import color_of
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.views import camera_pose
from sim_bridge.simulation.senses import SensorNoise

EMPTY_ROOM = Scene(
    "room", (Room("room", "Kitchen", "FloorPlan1", 0, (-4, -3), (4, 3)),), (), (), {(0, 0, 0): "room"}, (0, 0, 0)
)
EYE = camera_pose((0, 0, 1.1), 0.0)
"""Looks along x; the wall is at x = 4."""


def thing(
    name: str, center: tuple[float, float, float], size: tuple[float, float, float], **changes: object
) -> ObjectState:
    state = ObjectState(name, name.partition("|")[0], (Box(center, size),), 0.0, {}, True, False, True)
    return replace(state, **changes)  # type: ignore[arg-type]


def snapshot(*objects: ObjectState, version: int = 0, scene: Scene = EMPTY_ROOM) -> Snapshot:
    return Snapshot(scene, 0.0, version, Pose2D(0, 0, 0), EYE, "", objects)


@pytest.fixture(scope="module")
def camera() -> Iterator[HouseholdRenderer]:
    try:
        renderer = HouseholdRenderer(width=320, height=240)
    except RenderingUnavailableError as error:
        pytest.skip(str(error))
    yield renderer
    renderer.close()


def value_of(seen: Observation, name: str) -> int:
    return next(value for value, label in seen.labels.items() if label.id == name)


def mask(seen: Observation, name: str) -> np.ndarray:
    assert seen.instances is not None
    return seen.instances == value_of(seen, name)


def test_depth_is_the_distance_along_the_optical_axis_everywhere_on_a_wall(camera: HouseholdRenderer) -> None:
    seen = camera.render(snapshot())
    # 4 m away, the wall spans 1.1 m down (44 pixels), 1.4 m up and 3 m (120 pixels) to each side.
    np.testing.assert_allclose(seen.depth[80:160, 45:275], 4.0, rtol=1e-4)


def test_depth_of_a_box_face_is_exact(camera: HouseholdRenderer) -> None:
    box = thing("Box|1", (2.0, 0.0, 1.1), (0.5, 0.5, 0.5), states={"isOpen": "false"})
    seen = camera.render(snapshot(box, version=1))
    np.testing.assert_allclose(seen.depth[mask(seen, "Box|1")], 1.75, rtol=1e-4)


def test_back_projected_pixels_lie_on_the_object_that_they_show(camera: HouseholdRenderer) -> None:
    ball = thing("BasketBall|1", (1.5, 0.4, 0.7), (0.3, 0.3, 0.3))
    pose = camera_pose((0.1, -0.2, 1.1), 0.3, 0.25)
    seen = camera.render(snapshot(ball, version=2), pose)
    v, u = np.nonzero(mask(seen, "BasketBall|1"))
    k, z = seen.intrinsics, seen.depth[v, u]
    points = np.stack([(u - k.cx) / k.fx * z, (v - k.cy) / k.fy * z, z, np.ones_like(z)])
    world = (pose @ points)[:3].T
    radius = np.linalg.norm(world - [1.5, 0.4, 0.7], axis=1)
    assert len(radius) > 300
    assert radius.max() < 0.152  # on the sphere of radius 0.15, drawn as facets
    assert radius.min() > 0.140


def test_the_projected_centre_of_an_object_lies_in_the_middle_of_its_mask(camera: HouseholdRenderer) -> None:
    center = np.array([2.0, -0.8, 0.6])
    ball = thing("Apple|1", (2.0, -0.8, 0.6), (0.1, 0.1, 0.1))
    pose = camera_pose((0, 0, 1.1), -0.2, 0.1)
    seen = camera.render(snapshot(ball, version=3), pose)
    x, y, z, _ = np.linalg.inv(pose) @ [*center, 1.0]
    k = seen.intrinsics
    v, u = np.nonzero(mask(seen, "Apple|1"))
    assert u.mean() == pytest.approx(k.fx * x / z + k.cx, abs=0.6)
    assert v.mean() == pytest.approx(k.fy * y / z + k.cy, abs=0.6)


def test_the_field_of_view_is_the_one_asked_for() -> None:
    with_wide = HouseholdRenderer(width=200, height=100, hfov=math.radians(60))
    k = with_wide.intrinsics
    with_wide.close()
    assert math.degrees(2 * math.atan(100 / k.fx)) == pytest.approx(60)
    assert (k.cx, k.cy) == (99.5, 49.5)


def test_labels_name_exactly_the_values_that_occur(camera: HouseholdRenderer) -> None:
    seen = camera.render(
        snapshot(
            thing("Apple|1", (2, 0.5, 1), (0.2, 0.2, 0.2)),
            thing("Apple|2", (2, -0.5, 1), (0.2, 0.2, 0.2)),
            thing("Apple|behind", (-2, 0, 1), (0.2, 0.2, 0.2)),
            version=4,
        )
    )
    assert seen.instances is not None
    assert seen.instances.dtype == np.uint16
    assert set(np.unique(seen.instances)) == {0, *seen.labels}
    assert {label.id for label in seen.labels.values()} == {"Apple|1", "Apple|2"}
    assert all(label.category == "Apple" and label.movable for label in seen.labels.values())


def test_an_object_keeps_its_number_when_others_come_and_go(camera: HouseholdRenderer) -> None:
    first, second = thing("Apple|1", (2, 0.5, 1), (0.2, 0.2, 0.2)), thing("Egg|2", (2, -0.5, 1), (0.2, 0.2, 0.2))
    before = value_of(camera.render(snapshot(first, second, version=5)), "Egg|2")
    assert value_of(camera.render(snapshot(second, version=6)), "Egg|2") == before


def test_what_a_closed_receptacle_hides_is_not_drawn(camera: HouseholdRenderer) -> None:
    hidden = thing("Egg|1", (1.5, 0, 1.1), (0.2, 0.2, 0.2), visible=False)
    seen = camera.render(snapshot(hidden, version=7))
    assert not seen.labels
    assert seen.depth[120, 160] == pytest.approx(4.0, rel=1e-4)


@pytest.mark.parametrize("category", ["Fridge", "Cabinet", "Microwave", "Safe"])
def test_an_open_door_shows_what_is_inside_and_a_closed_one_does_not(camera: HouseholdRenderer, category: str) -> None:
    def seen_egg(opened: str, version: int) -> bool:
        body = thing(
            f"{category}|1", (1.5, 0, 1.0), (0.6, 0.6, 0.8), movable=False, yaw=math.pi, states={"isOpen": opened}
        )
        egg = thing("Egg|1", (1.5, 0, 1.0), (0.1, 0.1, 0.1))
        seen = camera.render(snapshot(body, egg, version=version))
        return "Egg|1" in {label.id for label in seen.labels.values()}

    assert seen_egg("true", 8)
    assert not seen_egg("false", 9)


def test_a_bowl_shows_what_lies_in_it(camera: HouseholdRenderer) -> None:
    bowl, egg = thing("Bowl|1", (0.8, 0, 0.75), (0.24, 0.24, 0.1)), thing("Egg|1", (0.8, 0, 0.73), (0.05, 0.05, 0.05))
    seen = camera.render(snapshot(bowl, egg, version=10), camera_pose((0.2, 0, 1.1), 0.0, 0.6))
    assert mask(seen, "Egg|1").sum() > 20
    assert mask(seen, "Bowl|1").sum() > 200


def test_a_moved_object_is_drawn_where_it_is_now(camera: HouseholdRenderer) -> None:
    left = camera.render(snapshot(thing("Cup|1", (1.5, 0.5, 1.1), (0.1, 0.1, 0.1)), version=11))
    right = camera.render(snapshot(thing("Cup|1", (1.5, -0.5, 1.1), (0.1, 0.1, 0.1)), version=12))
    assert np.nonzero(mask(left, "Cup|1"))[1].mean() < 160 < np.nonzero(mask(right, "Cup|1"))[1].mean()


def test_a_held_object_moves_with_the_robot_though_the_version_stays(camera: HouseholdRenderer) -> None:
    held = thing("Cup|1", (0.6, 0.1, 0.9), (0.1, 0.1, 0.1), held=True)
    first = camera.render(snapshot(held, thing("Apple|1", (2, 0, 1.1), (0.1, 0.1, 0.1)), version=13))
    moved = replace(held, boxes=(Box((0.6, -0.1, 0.9), (0.1, 0.1, 0.1)),))
    second = camera.render(snapshot(moved, thing("Apple|1", (2, 0, 1.1), (0.1, 0.1, 0.1)), version=13))
    assert np.nonzero(mask(first, "Cup|1"))[1].mean() > 160 - 60
    assert np.nonzero(mask(second, "Cup|1"))[1].mean() > np.nonzero(mask(first, "Cup|1"))[1].mean()
    assert (mask(first, "Apple|1") == mask(second, "Apple|1")).mean() > 0.99


def test_a_new_scene_replaces_the_old_one(camera: HouseholdRenderer) -> None:
    other = replace(EMPTY_ROOM, rooms=(replace(EMPTY_ROOM.rooms[0], high=(2.0, 3.0)),))
    assert camera.render(snapshot()).depth[120, 160] == pytest.approx(4.0, rel=1e-4)
    assert camera.render(snapshot(scene=other)).depth[120, 160] == pytest.approx(2.0, rel=1e-4)


def test_the_robot_is_in_no_picture(camera: HouseholdRenderer) -> None:
    aside = camera_pose((-2, 0, 1.1), 0.0)
    assert camera.render(snapshot(), aside).depth[120, 160] == pytest.approx(6.0, rel=1e-4)


def test_colours_are_those_of_the_palette_up_to_shading(camera: HouseholdRenderer) -> None:
    seen = camera.render(snapshot(thing("Tomato|1", (1.5, 0, 1.1), (0.4, 0.4, 0.4)), version=14))
    mean = seen.rgb[mask(seen, "Tomato|1")].mean(axis=0)
    expected = np.array(color_of("Tomato"))
    np.testing.assert_allclose(mean / mean.max(), expected / expected.max(), atol=0.05)


def test_a_closed_renderer_says_so() -> None:
    closed = HouseholdRenderer(width=64, height=48)
    closed.close()
    closed.close()
    with pytest.raises(RuntimeError, match="closed"):
        closed.render(snapshot())


def test_depth_beyond_the_sensors_range_is_none() -> None:
    short = HouseholdRenderer(width=64, height=48, max_depth=3.0)
    seen = short.render(snapshot())
    short.close()
    assert seen.depth[24, 32] == 0.0


def test_depth_noise_grows_with_the_square_of_the_distance() -> None:
    clean, noisy = HouseholdRenderer(), HouseholdRenderer(noise=SensorNoise(depth=0.01))
    far = clean.render(snapshot())
    rough = noisy.render(snapshot())
    clean.close()
    noisy.close()
    error = (rough.depth - far.depth)[100:140, 80:240]
    assert error.std() == pytest.approx(0.01 * 4.0**2, rel=0.05)
    assert abs(error.mean()) < 0.01


def test_missed_instances_are_missing_from_image_and_labels_alike() -> None:
    things = [thing(f"Apple|{i}", (2, -1.5 + 0.3 * i, 1.1), (0.1, 0.1, 0.1)) for i in range(11)]
    scene = snapshot(*things)

    def seen_in_20(seed: int) -> list[tuple[str, ...]]:
        renderer = HouseholdRenderer(noise=SensorNoise(missed_instances=0.3))
        renderer.reseed(seed)
        runs = []
        for _ in range(20):
            seen = renderer.render(scene)
            assert set(np.unique(seen.instances)) <= {0, *seen.labels}  # type: ignore[call-overload]
            runs.append(tuple(label.id for label in seen.labels.values()))
        renderer.close()
        return runs

    first = seen_in_20(seed=3)
    assert first == seen_in_20(seed=3)
    assert first != seen_in_20(seed=4)
    share = sum(map(len, first)) / (20 * len(things))
    assert share == pytest.approx(0.7, abs=0.1)  # 220 draws: standard deviation 0.03


@pytest.mark.parametrize("bad", [{"depth": -1.0}, {"depth": math.nan}, {"missed_instances": 1.5}])
def test_senseless_noise_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must be|probability"):
        SensorNoise(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [{"width": 0}, {"height": 100_000}, {"hfov": 4.0}, {"max_depth": math.nan}])
def test_senseless_cameras_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"pixels|hfov|max_depth"):
        HouseholdRenderer(**bad)  # type: ignore[arg-type]


def test_a_pose_that_is_not_finite_is_refused(camera: HouseholdRenderer) -> None:
    with pytest.raises(ValueError, match="camera pose"):
        camera.render(snapshot(), np.full((4, 4), math.nan))


def test_another_thread_gets_a_clear_error(camera: HouseholdRenderer) -> None:
    errors: list[BaseException] = []

    def use() -> None:
        try:
            camera.render(snapshot())
        except RuntimeError as error:
            errors.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert "thread" in str(errors[0])


def test_importing_the_renderer_loads_neither_mujoco_nor_opengl() -> None:
    code = (
        "import sys, sim_bridge.household.renderer as r; print([m for m in ('mujoco', 'OpenGL') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_opengl_the_error_names_the_packages() -> None:
    code = (
        "import ctypes\n"
        "def missing(name, *a, **k): raise OSError(f'{name}: cannot open shared object file')\n"
        "from sim_bridge.household import gl\n"
        "gl.ctypes.CDLL = missing\n"
        "try: gl.import_mujoco()\n"
        "except gl.RenderingUnavailableError as error: print(error)\n"
    )
    env = {name: value for name, value in os.environ.items() if name != "MUJOCO_GL"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert "libegl1 libegl-mesa0 libgl1-mesa-dri" in done.stdout
    assert "libosmesa6" in done.stdout
