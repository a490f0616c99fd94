# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The Habitat backend end to end over its real protocol and worker, with a stand-in for habitat-sim and habitat-lab."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from habitat_stand_in import write_interpreter

from sim_bridge.backend import BackendUnavailableError, Code, Observation, Outcome, Skill, Target, execute
from sim_bridge.factory import BackendOptions
from sim_bridge.habitat import doctor
from sim_bridge.habitat.backend import HabitatBackend
from sim_bridge.habitat.dataset import DATASET, export
from sim_bridge.habitat.foreign import kind_of, read_kinds
from sim_bridge.household.interactions import slice_object
from sim_bridge.household.recorded import RecordingsMissingError
from sim_bridge.household.scenes import load_scene

APPLE, FRIDGE = Target(category="Apple"), Target(category="Fridge")
HABITAT = BackendOptions("habitat", "FloorPlan1", image_width=32, image_height=24)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    if find_spec("open3d") is None:
        pytest.skip("the stand-in for habitat-sim needs Open3D, which is there for x86-64 only")
    try:
        load_scene("FloorPlan1")
    except RecordingsMissingError as error:
        pytest.skip(str(error))
    return str(write_interpreter(tmp_path_factory.mktemp("habitat")))


@pytest.fixture(scope="module")
def opened(python: str) -> Iterator[HabitatBackend]:
    backend = HabitatBackend(replace(HABITAT, habitat_python=python, image_width=160, image_height=120))
    yield backend
    backend.close()


@pytest.fixture
def backend(opened: HabitatBackend) -> HabitatBackend:
    opened.reset()
    return opened


def do(backend: HabitatBackend, name: str, target: Target | None = None, receptacle: Target | None = None) -> Outcome:
    outcome = execute(backend, Skill(name, target or Target(), receptacle or Target()))
    assert outcome.code == Code.SUCCESS, f"{name}: {outcome.message}"
    return outcome


def center_of(backend: HabitatBackend, category: str) -> tuple[float, float, float]:
    (found,) = (o for o in backend.ground_truth() if o.category == category)
    return found.center


def places(backend: HabitatBackend) -> dict[str, tuple[float, float, float]]:
    return {o.id: o.center for o in backend.ground_truth()}


def points(seen: Observation) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """Return where in the map each pixel is."""
    k = seen.intrinsics
    v, u = np.mgrid[: k.height, : k.width]
    rays = np.stack([(u - k.cx) / k.fx, (v - k.cy) / k.fy, np.ones(u.shape)], axis=-1)
    local = rays * seen.depth[..., None]
    return local @ seen.camera_pose[:3, :3].T + seen.camera_pose[:3, 3]  # type: ignore[no-any-return]


def test_every_pixel_of_an_object_lies_in_its_box(backend: HabitatBackend) -> None:
    do(backend, "Explore", APPLE)
    do(backend, "GoToObject", APPLE)
    seen = backend.observe()
    assert seen.instances is not None
    boxes = {o.id: o for o in backend.ground_truth()}
    assert "Apple" in {label.category for label in seen.labels.values()}
    for number, label in seen.labels.items():
        mine = points(seen)[(seen.instances == number) & (seen.depth > 0)]
        away = np.abs(mine - boxes[label.id].center) - np.array(boxes[label.id].size) / 2
        assert away.max() < 0.02, label.id


def test_the_household_draws_the_same_picture(backend: HabitatBackend) -> None:
    from sim_bridge.household.gl import RenderingUnavailableError
    from sim_bridge.household.renderer import HouseholdRenderer

    try:
        renderer = HouseholdRenderer(width=160, height=120)
    except RenderingUnavailableError as error:
        pytest.skip(str(error))
    do(backend, "Explore", FRIDGE)
    do(backend, "GoToObject", FRIDGE)
    habitat, household = backend.observe(), renderer.render(backend.snapshot())
    renderer.close()
    assert habitat.intrinsics == household.intrinsics
    assert np.allclose(habitat.camera_pose, household.camera_pose)
    assert (np.abs(habitat.depth - household.depth) < 0.02).mean() > 0.995
    named = [
        np.select([o.instances == n for n in o.labels], [hash(label.id) for label in o.labels.values()])
        for o in (habitat, household)
        if o.instances is not None
    ]
    floor = np.isin(household.instances, [n for n, label in household.labels.items() if label.category == "Floor"])
    assert ((named[0] == named[1]) | floor).mean() > 0.995


def test_what_is_held_goes_along_and_is_put_where_it_is_said_to_be(backend: HabitatBackend) -> None:
    do(backend, "Explore", APPLE)
    do(backend, "GoToObject", APPLE)
    before = center_of(backend, "Apple")
    do(backend, "PickupObject", APPLE)
    held = center_of(backend, "Apple")
    assert math.dist(held, before) > 0.2
    assert math.dist(held[:2], backend.robot.position) == pytest.approx(0.527, abs=0.01), "where the hand is"
    assert backend.observe().held
    do(backend, "Explore", FRIDGE)
    do(backend, "GoToObject", FRIDGE)
    assert math.dist(center_of(backend, "Apple")[:2], backend.robot.position) == pytest.approx(0.527, abs=0.01)
    do(backend, "OpenObject", FRIDGE)
    do(backend, "PutObject", receptacle=FRIDGE)
    (fridge,) = (o for o in backend.ground_truth() if o.category == "Fridge")
    (apple,) = (o for o in backend.ground_truth() if o.category == "Apple")
    assert apple.receptacle == fridge.id
    assert all(abs(a - f) <= s / 2 for a, f, s in zip(apple.center, fridge.center, fridge.size, strict=True))
    assert not backend.observe().held
    do(backend, "CloseObject", FRIDGE)
    assert execute(backend, Skill("FindObject", APPLE)).code == Code.NOT_FOUND


def test_what_is_opened_looks_open(backend: HabitatBackend) -> None:
    do(backend, "Explore", FRIDGE)
    do(backend, "GoToObject", FRIDGE)
    closed = backend.observe()
    do(backend, "OpenObject", FRIDGE)
    opened = backend.observe()
    deeper = (opened.depth - closed.depth)[closed.depth > 0] > 0.1
    assert deeper.mean() > 0.02, "one sees into it"


@pytest.mark.parametrize(
    ("furniture", "thing"),
    [("Cabinet|+00.72|+02.02|-02.46", "Plate"), ("Drawer|-01.56|+00.84|-00.20", "Knife")],
    ids=["above-the-eyes", "drawn-where-it-is-closed"],
)
def test_what_is_in_something_open_is_seen_with_it(backend: HabitatBackend, furniture: str, thing: str) -> None:
    """As in the household, whose furniture does not hide what is in it: its boards do, from the camera's height."""
    there = Target(id=furniture)
    go = do(backend, "GoToObject", there)
    assert thing not in {s.category for s in go.seen}
    opened = do(backend, "OpenObject", there)
    (seen,) = (s for s in opened.seen if s.category == thing)
    assert thing in {s.category for s in do(backend, "FindObject").seen}
    do(backend, "PickupObject", Target(id=seen.id))
    assert backend.observe().held == seen.id


def test_slices_are_new_objects_that_a_reset_takes_back(backend: HabitatBackend) -> None:
    before = places(backend)
    knife, bread = (next(n for n in backend.world if n.startswith(c)) for c in ("Knife|", "Bread|"))
    world = backend.world
    world.hold(knife)
    slices = slice_object(world, bread)
    now = {o.id: o for o in backend.ground_truth()}
    assert bread not in now
    assert set(slices) <= set(now)
    assert all(math.dist(now[s].center, world.boxes[s].center) < 1e-3 for s in slices)
    backend.reset()
    now_at = places(backend)
    assert set(now_at) == set(before)
    assert all(now_at[name] == pytest.approx(middle, abs=1e-4) for name, middle in before.items())


def test_the_ways_are_the_navmeshs(backend: HabitatBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend._habitat, "path", lambda start, end: np.empty((0, 3)))
    outcome = execute(backend, Skill("Navigate", FRIDGE))
    assert outcome.code == Code.EXECUTION_FAILURE
    assert "navmesh" in outcome.message


def test_another_scene_and_an_unknown_one(backend: HabitatBackend) -> None:
    with pytest.raises(KeyError, match="FloorPlan999"):
        backend.reset("FloorPlan999")
    assert backend.reset("FloorPlan401") == "FloorPlan401"
    assert {o.room for o in backend.world.specs.values()} == {"FloorPlan401"}
    assert backend.reset("FloorPlan1") == "FloorPlan1"


def test_people_move_things_in_habitat_too(backend: HabitatBackend) -> None:
    before = center_of(backend, "Apple")
    thing, place = backend.move_object("Apple", "Fridge")
    assert place.startswith("Fridge")
    assert math.dist(center_of(backend, "Apple"), before) > 0.2
    assert math.dist(center_of(backend, "Apple"), backend.world.boxes[thing].center) < 1e-3


def test_a_worker_that_dies_ends_the_skill_and_is_told(python: str) -> None:
    backend = HabitatBackend(replace(HABITAT, scene="FloorPlan401", habitat_python=python))
    steps = backend.run(Skill("Explore"))
    next(steps)
    backend._habitat._process.kill()
    *_, last = steps
    assert isinstance(last, Outcome)
    assert last.code == Code.UNAVAILABLE
    assert "habitat process ended" in last.message
    with pytest.raises(BackendUnavailableError):
        backend.observe()
    backend.close()


def test_the_arms_camera_is_where_the_hand_is_and_tilts(python: str) -> None:
    options = replace(HABITAT, habitat_python=python, image_width=80, image_height=60, habitat_camera="arm")
    backend = HabitatBackend(options)
    do(backend, "Explore", FRIDGE)
    do(backend, "GoToObject", FRIDGE)
    pose = backend.locate().camera_pose
    assert np.allclose(pose, backend.observe().camera_pose)
    assert math.dist(pose[:2, 3], backend.robot.position) == pytest.approx(0.6, abs=0.05)
    assert pose[2, 3] == pytest.approx(0.86, abs=0.1)
    tilt = math.asin(pose[2, 2])
    assert tilt == pytest.approx(backend.robot.pitch, abs=0.01)
    backend.close()
    with pytest.raises(ValueError, match="head, arm"):
        HabitatBackend(replace(options, habitat_camera="tail"))


def test_a_dataset_of_others_is_explored_and_tidied(python: str, tmp_path: Path) -> None:
    export(load_scene("FloorPlan1"), tmp_path)
    options = replace(HABITAT, habitat_python=python, habitat_dataset=str(tmp_path / DATASET))
    backend = HabitatBackend(replace(options, image_width=160, image_height=120))
    seen = do(backend, "Explore")
    assert {"Fridge", "Apple"} <= {s.category for s in seen.seen}
    apple = next(s for s in seen.seen if s.category == "Apple")
    found = Target(id=apple.id, position=apple.center)
    do(backend, "Pick", found)
    table = next(s for s in seen.seen if s.category == "CounterTop")
    do(backend, "Place", receptacle=Target(id=table.id, position=table.center))
    (now,) = (o for o in backend.ground_truth() if o.id == apple.id)
    assert now.receptacle == table.id
    assert now.center[2] - now.size[2] / 2 == pytest.approx(table.center[2] + table.size[2] / 2, abs=0.02)
    assert execute(backend, Skill("OpenObject", Target(category="Fridge"))).code != Code.SUCCESS, "it has no joint"
    backend.close()


def test_an_episode_puts_its_objects_into_its_scene(python: str, tmp_path: Path) -> None:
    export(load_scene("FloorPlan1"), tmp_path)
    mug = next(p for p in (tmp_path / "objects").glob("Mug_*.object_config.json"))
    extra = tmp_path / "extra"
    extra.mkdir()
    read = json.loads(mug.read_text())
    read["render_asset"] = str(tmp_path / "objects" / read["render_asset"])
    (extra / "024_cup.object_config.json").write_text(json.dumps(read))
    where = [[1, 0, 0, 0.5], [0, 1, 0, 1.3], [0, 0, 1, 0.25], [0, 0, 0, 1]]
    episode = {
        "episode_id": "7",
        "scene_id": "FloorPlan1",
        "scene_dataset_config": str(tmp_path / DATASET),
        "additional_obj_config_paths": [str(extra)],
        "rigid_objs": [["024_cup.object_config.json", where]],
        "instruction": "Bring me the cup.",
    }
    episodes = tmp_path / "val.json.gz"
    episodes.write_bytes(gzip.compress(json.dumps({"episodes": [episode]}).encode()))
    backend = HabitatBackend(replace(HABITAT, scene="7", habitat_python=python, habitat_episodes=str(episodes)))
    (cup,) = (o for o in backend.ground_truth() if o.id.startswith("024_cup"))
    assert cup.category == "Cup"
    assert cup.movable
    assert cup.center == pytest.approx((0.5, -0.25, 1.3))
    with pytest.raises(KeyError, match="no episode '8'"):
        backend.reset("8")
    backend.close()


@pytest.mark.parametrize(
    ("template", "kind"),
    [
        ("frl_apartment_bowl_01", "Bowl"),
        ("024_bowl", "Bowl"),
        ("kitchen_counter", "KitchenCounter"),
        ("door2", "Door"),
        ("chestOfDrawers_01", "ChestOfDrawers"),
        ("5c2a", "SodaCan"),
        ("12", "Thing"),
    ],
)
def test_what_things_are_is_read_from_tables_and_names(template: str, kind: str) -> None:
    assert kind_of(template, {"5c2a": "soda can"}) == kind


def test_tables_of_objects(tmp_path: Path) -> None:
    path = tmp_path / "objects.csv"
    path.write_text("id,clean_category,size\n5c2a,soda can,3\n,x,1\n")
    assert read_kinds(path) == {"5c2a": "soda can"}
    path.write_text("a,b\n1,2\n")
    with pytest.raises(BackendUnavailableError, match="has the columns a, b"):
        read_kinds(path)
    with pytest.raises(BackendUnavailableError, match="can't be read"):
        read_kinds(tmp_path / "none.csv")


def test_a_folder_of_tables_tells_of_furniture_and_of_what_is_carried(tmp_path: Path) -> None:
    (tmp_path / "affordance_objects.csv").write_text("is_clean,,plate,cup\nis_filled,,cup\n")
    with pytest.raises(BackendUnavailableError, match="no table of objects among its 1"):
        read_kinds(tmp_path)
    (tmp_path / "fpmodels-with-decomposed.csv").write_text("id,name,main_category\n0a1b,Billy,shelves\n9f,x,\n")
    (tmp_path / "object_categories_filtered.csv").write_text("id,clean_category\n5c2a,soda_can,1,2\n024_bowl,bowl\n")
    assert read_kinds(tmp_path) == {"0a1b": "shelves", "5c2a": "soda_can", "024_bowl": "bowl"}


def test_the_doctor_says_what_is_missing(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    works = list(doctor.checks(BackendOptions(habitat_python=python)))
    assert [f.verdict for f in works] == ["works", "works", "works"]
    assert works[1].text.startswith("0.3.3 (2026-02 or later, with Bullet, without CUDA), habitat-lab 0.3.3")
    assert "Python 3." in works[1].text
    assert works[2].text.startswith("rays by Open3D, draws in")
    monkeypatch.delenv("KARMA_HABITAT_PYTHON", raising=False)
    (missing,) = doctor.checks(BackendOptions())
    assert (missing.verdict, missing.essential) == ("missing", True)
