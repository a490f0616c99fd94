# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the worker does for the skills, one thing after the other, on the stand-in and on a real habitat-sim.

Where a real one does something else than the skills expect, this says which call it was and what came of it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from habitat_stand_in import write_interpreter

from sim_bridge.backend import Point
from sim_bridge.habitat.client import HabitatClient, LoadedScene, Pictures, WorkerError
from sim_bridge.habitat.dataset import AGENT_RADIUS, DATASET, SPOT, Manifest, export, write_object
from sim_bridge.habitat.episodes import scene_alone
from sim_bridge.habitat.eyes import aimed
from sim_bridge.habitat.interpreter import PYTHON_VARIABLE, find_python
from sim_bridge.habitat.scenes import drivable, numbered
from sim_bridge.household.furnishing import furnish
from sim_bridge.household.model import CELL, Scene
from sim_bridge.household.recorded import RecordingsMissingError
from sim_bridge.household.scenes import load_scene
from sim_bridge.household.views import intrinsics_for
from sim_bridge.household.visibility import CAMERA_HEIGHT
from sim_bridge.household.world import World

WIDTH, HEIGHT, HFOV = 160, 120, 90
CAMERA = intrinsics_for(WIDTH, HEIGHT, math.radians(HFOV))
DOWN = -math.pi / 2


@dataclass
class Kitchen:
    """FloorPlan1 in Habitat."""

    habitat: HabitatClient
    folder: Path
    manifest: Manifest
    scene: Scene
    world: World
    loaded: LoadedScene
    numbers: dict[str, int]

    def load(self, camera: str = "head") -> LoadedScene:
        """Have it loaded anew."""
        return self.habitat.load(
            episode=scene_alone(self.scene.name, self.folder / DATASET),
            spot=self.folder / "urdf" / SPOT,
            agent_radius=AGENT_RADIUS,
            view={"camera": camera, "width": WIDTH, "height": HEIGHT, "hfov": HFOV, "seed": 7},
        )

    def named(self, category: str) -> str:
        """Return the id of the first object of a category."""
        return next(n for n in self.world if n.startswith(f"{category}|"))

    def at(self, name: str) -> Point:
        """Return where Habitat has an object."""
        return self.habitat.objects()[self.numbers[name]].position

    def free_near(self, name: str) -> Point:
        """Return the free place nearest to an object, at 0.6 m at least."""
        middle = self.world.boxes[name].center
        places = [(i * CELL, j * CELL, 0.0) for i, j, _ in drivable(self.scene, self.habitat).free]
        return min((p for p in places if math.dist(p[:2], middle[:2]) > 0.6), key=lambda p: math.dist(p, middle))

    def looked_at(self, name: str) -> Pictures:
        """Return the picture of an object from the free place nearest to it."""
        x, y, z = self.free_near(name)
        cx, cy, cz = self.world.boxes[name].center
        yaw, eye = math.atan2(cy - y, cx - x), (x, y, z + CAMERA_HEIGHT)
        pitch = math.atan2(cz - eye[2], math.hypot(cx - x, cy - y))
        self.habitat.stand((x, y, z), yaw, pitch, aimed(eye, yaw, pitch, CAMERA))
        return self.habitat.render()


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("public", id="stand-in"),
        pytest.param("private", id="stand-in-from-before-2026-02"),
        pytest.param("", id="habitat", marks=[pytest.mark.habitat, pytest.mark.slow]),
    ],
)
def kitchen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kitchen]:
    try:
        scene = load_scene("FloorPlan1")
    except RecordingsMissingError as error:
        pytest.skip(str(error))
    python = os.environ.get(PYTHON_VARIABLE, "")
    if request.param:
        if find_spec("open3d") is None:
            pytest.skip("the stand-in for habitat-sim needs Open3D, which is there for x86-64 only")
        before = f"export HABITAT_STAND_IN_SENSORS={request.param}"
        python = str(write_interpreter(tmp_path_factory.mktemp("python"), before))
    elif not python:
        pytest.skip(f"{PYTHON_VARIABLE} names no interpreter that has habitat-sim")
    folder = tmp_path_factory.mktemp("habitat")
    manifest = export(scene, folder)
    habitat = HabitatClient(find_python(python), folder)
    kitchen = Kitchen(habitat, folder, manifest, scene, World(scene), None, {})  # type: ignore[arg-type]
    try:
        kitchen.loaded = kitchen.load()
        kitchen.numbers = numbered(scene, kitchen.loaded, manifest.templates)
        yield kitchen
    finally:
        habitat.close()


def points(seen: Pictures) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """Return where in the map each pixel is."""
    v, u = np.mgrid[:HEIGHT, :WIDTH]
    rays = np.stack([(u - CAMERA.cx) / CAMERA.fx, (v - CAMERA.cy) / CAMERA.fy, np.ones(u.shape)], axis=-1)
    found: np.ndarray[tuple[int, int, int], np.dtype[np.float64]]
    found = rays * seen.depth[..., None] @ seen.camera[:3, :3].T + seen.camera[:3, 3]
    return found


def test_every_object_is_loaded_where_it_was_written(kitchen: Kitchen) -> None:
    found = kitchen.habitat.objects()
    for name, number in kitchen.numbers.items():
        box, there = kitchen.world.boxes[name], found[number]
        assert there.position == pytest.approx(box.center, abs=0.01), f"{name}: the object's origin"
        sides = [(a - b, c - d) for a, b, c, d in zip(there.low, box.low, box.high, there.high, strict=True)]
        assert min(map(min, sides)) > -0.03, f"{name}: habitat-sim's box {there.low} {there.high} is larger than {box}"
        assert there.fixed != kitchen.world.specs[name].movable, f"{name}: whether the scene has it as STATIC"


def test_the_navmesh_has_the_free_ground(kitchen: Kitchen) -> None:
    free = drivable(kitchen.scene, kitchen.habitat).free
    share = len(free) / len(kitchen.scene.free)
    assert share > 0.85, f"the navmesh reaches {share:.0%} of the free cells"


def test_ways_lead_from_a_place_to_another(kitchen: Kitchen) -> None:
    start, end = kitchen.free_near(kitchen.named("Fridge")), kitchen.free_near(kitchen.named("Sink"))
    way = kitchen.habitat.path(start, end)
    assert len(way) >= 2, f"no way from {start} to {end}"
    assert way[0][:2] == pytest.approx(start[:2], abs=0.15), "it begins at the start"
    assert way[-1][:2] == pytest.approx(end[:2], abs=0.15), "it ends at the end"
    length = sum(math.dist(a, b) for a, b in pairwise(way))
    assert math.dist(start, end) - 0.3 <= length < 20.0, "no shorter than the straight line"


@pytest.mark.parametrize("yaw", [0.0, 1.0, -2.0, 3.0])
def test_the_robot_and_its_camera_stand_where_they_are_put(kitchen: Kitchen, yaw: float) -> None:
    place = kitchen.free_near(kitchen.named("Fridge"))
    eye = aimed((place[0], place[1], CAMERA_HEIGHT), yaw, -0.4, CAMERA)
    pose = kitchen.habitat.stand(place, yaw, -0.4, eye)
    assert pose.position == pytest.approx(place, abs=0.01)
    assert math.remainder(pose.yaw - yaw, math.tau) == pytest.approx(0.0, abs=0.01)
    assert np.allclose(pose.camera, eye, atol=1e-3), "the head's camera"
    ahead = (pose.hand[0] - place[0]) * math.cos(yaw) + (pose.hand[1] - place[1]) * math.sin(yaw)
    assert 0.2 < ahead < 1.2, f"the hand is in front of the robot: it is {ahead:.2f} m ahead of its middle"
    assert 0.2 < pose.hand[2] < 1.5, f"the hand's height is {pose.hand[2]:.2f} m"


def test_pictures_have_colors_depths_and_the_objects_numbers(kitchen: Kitchen) -> None:
    fridge = kitchen.named("Fridge")
    seen = kitchen.looked_at(fridge)
    assert seen.color.shape == (HEIGHT, WIDTH, 3)
    assert seen.depth.shape == seen.instances.shape == (HEIGHT, WIDTH)
    assert seen.color.std() > 5, "the picture shows something"
    assert (seen.depth > 0.1).mean() > 0.9, "walls are all around"
    shown = set(np.unique(seen.instances).tolist())
    assert kitchen.numbers[fridge] in shown, f"the fridge has the number {kitchen.numbers[fridge]}; seen: {shown}"
    assert shown <= {0, *kitchen.numbers.values()}, "walls, floor and robot have the number 0"


def test_every_pixel_of_an_object_lies_in_its_box(kitchen: Kitchen) -> None:
    seen = kitchen.looked_at(kitchen.named("Fridge"))
    names = {number: name for name, number in kitchen.numbers.items()}
    for number in set(np.unique(seen.instances).tolist()) & set(names):
        box = kitchen.world.boxes[names[number]]
        mine = points(seen)[seen.instances == number]
        away = (np.abs(mine - box.center) - np.array(box.size) / 2).max(axis=1)
        assert np.percentile(away, 90) < 0.03, f"{names[number]}: {np.percentile(away, 90):.2f} m outside of its box"


def test_the_head_does_not_see_the_robot(kitchen: Kitchen) -> None:
    x, y, _ = place = kitchen.free_near(kitchen.named("Fridge"))
    eye = aimed((x, y, CAMERA_HEIGHT), 0.0, DOWN, CAMERA)
    kitchen.habitat.stand(place, 0.0, 0.0, eye)
    (depth,) = kitchen.habitat.depth_from([eye])
    assert depth == pytest.approx(CAMERA_HEIGHT, abs=0.03), "straight down is the floor, not the robot's back"


def test_looking_from_elsewhere_leaves_the_camera_where_it_was(kitchen: Kitchen) -> None:
    fridge = kitchen.named("Fridge")
    before = kitchen.looked_at(fridge)
    (seen, away) = kitchen.habitat.seen_from([before.camera, aimed((0.0, 0.0, 50.0), 0.0, -DOWN, CAMERA)])
    assert seen[kitchen.numbers[fridge]] == (before.instances == kitchen.numbers[fridge]).sum()
    assert not away, "there is nothing above the roof"
    assert np.allclose(kitchen.habitat.render().camera, before.camera, atol=1e-3)


@pytest.mark.parametrize("category", ["Apple", "Fridge"])
def test_things_and_furniture_move(kitchen: Kitchen, category: str) -> None:
    name = kitchen.named(category)
    before = kitchen.at(name)
    moved = kitchen.habitat.move(kitchen.numbers[name], (0.1, -0.2, 0.3))
    assert moved.position == pytest.approx((before[0] + 0.1, before[1] - 0.2, before[2] + 0.3), abs=1e-3)
    assert kitchen.at(name) == pytest.approx(moved.position, abs=1e-3)
    kitchen.habitat.move(kitchen.numbers[name], (-0.1, 0.2, -0.3))
    assert kitchen.at(name) == pytest.approx(before, abs=1e-3)


def test_an_object_gets_another_form(kitchen: Kitchen) -> None:
    fridge = kitchen.named("Fridge")
    closed = kitchen.looked_at(fridge)
    opened = World(kitchen.scene)
    opened.set_state(fridge, "isOpen", True)
    forms = kitchen.folder / "forms"
    forms.mkdir(exist_ok=True)
    middle = kitchen.world.boxes[fridge].center
    file = write_object(forms, "form_Fridge_0001", furnish(kitchen.scene), opened.object_state(fridge), middle)
    made = kitchen.habitat.reform(kitchen.numbers[fridge], file, middle)
    assert made.number == kitchen.numbers[fridge]
    assert made.position == pytest.approx(middle, abs=1e-3)
    assert len(kitchen.habitat.objects()) == len(kitchen.loaded.objects), "the form before is gone"
    now = kitchen.looked_at(fridge)
    assert kitchen.numbers[fridge] in np.unique(now.instances), "the new form has the number"
    assert (now.depth - closed.depth > 0.1).mean() > 0.02, "one sees into it"
    with pytest.raises(WorkerError, match="can't load"):
        kitchen.habitat.reform(kitchen.numbers[fridge], forms / "none.object_config.json", middle)


def test_what_the_hand_holds_goes_with_it(kitchen: Kitchen) -> None:
    apple = kitchen.named("Apple")
    kitchen.looked_at(apple)
    pose = kitchen.habitat.hold(kitchen.numbers[apple])
    assert kitchen.at(apple) == pytest.approx(pose.hand, abs=0.01)
    place = kitchen.free_near(kitchen.named("Fridge"))
    pose = kitchen.habitat.stand(place, 1.0, 0.0, aimed((place[0], place[1], CAMERA_HEIGHT), 1.0, 0.0, CAMERA))
    assert kitchen.at(apple) == pytest.approx(pose.hand, abs=0.01)
    kitchen.habitat.hold(0)
    kitchen.looked_at(apple)
    assert kitchen.at(apple) == pytest.approx(pose.hand, abs=0.01), "let go, it stays"


def test_what_has_no_joint_is_not_opened(kitchen: Kitchen) -> None:
    with pytest.raises(WorkerError, match="has no joint"):
        kitchen.habitat.set_opened(kitchen.numbers[kitchen.named("Microwave")], True)


def test_what_is_removed_is_gone(kitchen: Kitchen) -> None:
    mug = kitchen.numbers.pop(kitchen.named("Mug"))
    kitchen.habitat.remove(mug)
    assert mug not in kitchen.habitat.objects()
    with pytest.raises(WorkerError, match=f"no object {mug}"):
        kitchen.habitat.move(mug, (0.0, 0.0, 1.0))


def test_it_can_be_loaded_again_with_the_hands_camera(kitchen: Kitchen) -> None:
    loaded = kitchen.load("arm")
    assert len(loaded.objects) == len(kitchen.loaded.objects), "as it was at first"
    place = kitchen.free_near(kitchen.named("Fridge"))
    poses = [kitchen.habitat.stand(place, 0.0, tilt, np.eye(4)) for tilt in (-0.3, 0.3)]
    assert all(math.dist(p.camera[:3, 3], p.hand) < 0.5 for p in poses), "the camera is at the hand"
    assert [math.asin(p.camera[2, 2]) for p in poses] == pytest.approx([-0.3, 0.3], abs=0.02), "the wrist tilts it"
    assert all(p.camera[2, 1] < -0.9 for p in poses), "its pictures are upright"
    kitchen.habitat.stand(place, 0.0, -0.3, np.eye(4))
    seen = kitchen.habitat.render()
    assert (seen.depth > 0).mean() > 0.3, "it sees the room"
    heights = points(seen)[..., 2][seen.depth > 0]
    assert heights.min() == pytest.approx(0.0, abs=0.006), "its pose is that from which depth is measured"
