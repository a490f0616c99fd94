# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The household's scenes as Habitat datasets: what is written is where the household has it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh
import yourdfpy

from sim_bridge.habitat.dataset import _FORMAT, DATASET, DatasetError, export, read_manifest
from sim_bridge.habitat.frames import camera_to_habitat, camera_to_map, to_habitat, to_map
from sim_bridge.habitat.spot import spot_urdf
from sim_bridge.household.furnishing import furnish
from sim_bridge.household.model import Scene
from sim_bridge.household.primitives import Primitive, extent
from sim_bridge.household.recorded import RecordingsMissingError
from sim_bridge.household.scenes import load_scene
from sim_bridge.household.structure import structure
from sim_bridge.household.views import camera_pose
from sim_bridge.household.world import World

CENTIMETRE = 0.01


@pytest.fixture(scope="module")
def scene() -> Scene:
    try:
        return load_scene("home1")
    except RecordingsMissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def folder(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home1")
    export(scene, folder)
    return folder


def test_every_object_is_where_the_household_draws_it(scene: Scene, folder: Path) -> None:
    manifest = read_manifest(folder)
    placed = {o["template_name"]: o for o in _instance(folder)["object_instances"]}
    world, furnishing = World(scene), furnish(scene)
    assert set(manifest.templates) == {o.id for o in scene.objects if o.category != "Floor"}
    for name, template in manifest.templates.items():
        mesh = trimesh.load(folder / "objects" / f"{template}.glb", force="mesh")
        corners = to_map(mesh.bounds + np.array(placed[template]["translation"]))
        parts = [(np.array(p.center), _reach(p)) for p in furnishing.shape(world.object_state(name))]
        low = np.min([c - e for c, e in parts], axis=0)
        high = np.max([c + e for c, e in parts], axis=0)
        assert np.abs(corners.min(axis=0) - low).max() < CENTIMETRE, name
        assert np.abs(corners.max(axis=0) - high).max() < CENTIMETRE, name


def test_what_never_moves_shapes_the_navmesh_and_what_is_carried_does_not(scene: Scene, folder: Path) -> None:
    manifest = read_manifest(folder)
    kinds = {o["template_name"]: o["motion_type"] for o in _instance(folder)["object_instances"]}
    for spec in scene.objects:
        if spec.category != "Floor":
            assert kinds[manifest.templates[spec.id]] == ("KINEMATIC" if spec.movable else "STATIC")


def test_the_stage_has_floors_walls_and_ceilings_with_the_doorways_open(scene: Scene, folder: Path) -> None:
    stage = trimesh.load(folder / "stages" / "home1.glb", force="mesh")
    around = structure(scene)
    boxes = [*around.walls, *around.steps, *around.ceilings, *(o.box for o in scene.objects if o.category == "Floor")]
    corners = to_map(stage.bounds)
    assert np.allclose(corners.min(axis=0), np.min([b.low for b in boxes], axis=0), atol=CENTIMETRE)
    assert np.allclose(corners.max(axis=0), np.max([b.high for b in boxes], axis=0), atol=CENTIMETRE)
    assert stage.area == pytest.approx(sum(2 * (x * y + y * z + z * x) for x, y, z in (b.size for b in boxes)))


def test_every_file_that_is_named_is_there_and_every_id_is_its_own(folder: Path) -> None:
    config = json.loads((folder / DATASET).read_text())
    for part in config.values():
        for places in part["paths"].values():
            assert all((folder / place).is_dir() for place in places)
    objects = [json.loads(p.read_text()) for p in (folder / "objects").glob("*.object_config.json")]
    assert all((folder / "objects" / o["render_asset"]).is_file() for o in objects)
    ids = [o["semantic_id"] for o in objects]
    assert sorted(ids) == list(range(1, len(objects) + 1))
    templates = [o["template_name"] for o in _instance(folder)["object_instances"]]
    assert not any(a != b and a in b for a in templates for b in templates), "habitat-sim looks for parts of names"


def test_another_folder_or_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no dataset that"):
        read_manifest(tmp_path)
    (tmp_path / "karma.json").write_text('{"format": 99}')
    with pytest.raises(DatasetError, match="another version"):
        read_manifest(tmp_path)
    (tmp_path / "karma.json").write_text("[" * 100_000)
    with pytest.raises(DatasetError, match="no dataset that"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("part", ["scene", "templates", "semantic_ids"])
def test_a_dataset_that_lacks_a_part_is_refused(tmp_path: Path, part: str) -> None:
    whole = {"format": _FORMAT, "scene": "FloorPlan1", "templates": {}, "semantic_ids": {}}
    (tmp_path / "karma.json").write_text(json.dumps(whole))
    assert read_manifest(tmp_path).scene == "FloorPlan1"
    (tmp_path / "karma.json").write_text(json.dumps({**whole, part: None}))
    with pytest.raises(DatasetError, match="is damaged"):
        read_manifest(tmp_path)


def test_frames_turn_into_each_other() -> None:
    assert to_habitat((1.0, 2.0, 3.0)).tolist() == [1.0, 3.0, -2.0]
    assert to_map(to_habitat((1.0, 2.0, 3.0))).tolist() == [1.0, 2.0, 3.0]
    pose = camera_pose((1.0, 2.0, 1.1), yaw=0.7, pitch=0.3)
    transform = camera_to_habitat(pose)
    assert np.allclose(camera_to_map(transform), pose)
    assert np.allclose(transform[:3, :3] @ (0, 0, -1), to_habitat(pose[:3, 2])), "habitat's camera looks along -z"
    assert np.allclose(transform[:3, :3] @ (0, 1, 0), to_habitat(-pose[:3, 1])), "its y is up"
    assert np.linalg.det(transform[:3, :3]) == pytest.approx(1.0)


def test_spot_has_the_joints_that_habitat_lab_counts(tmp_path: Path) -> None:
    (tmp_path / "spot.urdf").write_text(spot_urdf())
    robot = yourdfpy.URDF.load(str(tmp_path / "spot.urdf"))
    names = robot.actuated_joint_names
    assert [n.split(".")[1] for n in names[:8]] == ["sh0", "sh1", "hr0", "el0", "el1", "wr0", "wr1", "f1x"]
    assert names[8:] == [f"{leg}.{joint}" for leg in ("fl", "fr", "hl", "hr") for joint in ("hx", "hy", "kn")]
    assert len(names) == len(robot.joint_names) == 20, "every joint moves: none is fixed"
    assert robot.base_link == "base"
    assert robot.link_map["arm0.link_fngr"].collisions, "without a collision shape the hand holds nothing in physics"
    robot.update_cfg(dict.fromkeys(names, 0.0))
    foot = robot.get_transform("fl.lleg", "base")[:3, 3]
    hand = robot.get_transform("arm0.link_fngr", "base")[:3, 3]
    assert foot[1] == pytest.approx(-0.32), "legs hang down, along -y"
    assert foot[2] < 0.0, "left is -z"
    assert hand[0] > 0.9, "the arm reaches ahead, along x"


def test_spot_can_take_the_pose_in_which_habitat_lab_puts_it(tmp_path: Path) -> None:
    (tmp_path / "spot.urdf").write_text(spot_urdf())
    robot = yourdfpy.URDF.load(str(tmp_path / "spot.urdf"))
    start = [0.0, -3.14, 0.0, 3.0, 0.0, 0.0, 0.0, -1.56, *[0.0, 0.7, -1.5] * 4]
    for name, value in zip(robot.actuated_joint_names, start, strict=True):
        limit = robot.joint_map[name].limit
        assert limit.lower <= value <= limit.upper, name


def _reach(part: Primitive) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return how far a primitive reaches from its middle along the axes of the map."""
    if part.kind == "box":
        return np.array(extent(part))
    (a, b, c), cos, sin = part.half, np.cos(part.yaw), np.sin(part.yaw)
    return np.array([np.hypot(a * cos, b * sin), np.hypot(a * sin, b * cos), c])


def _instance(folder: Path) -> dict[str, list[dict[str, object]]]:
    read: dict[str, list[dict[str, object]]] = json.loads((folder / "scenes" / "home1.scene_instance.json").read_text())
    return read
