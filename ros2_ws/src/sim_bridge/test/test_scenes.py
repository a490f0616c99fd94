# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from sim_bridge.household.accessibility import inaccessible
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.carving import CLEARANCE
from sim_bridge.household.driving import horizontal_distance
from sim_bridge.household.model import CELL
from sim_bridge.household.navigation import Grid
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.scenes import load_scene, scene_names
from sim_bridge.household.world import World
from sim_bridge.simulation.motion import REACH

REQUIRED = 0.95
"""Share of what can be carried and is not shut in that every scene must have in view and in reach."""

SAMPLE = ("FloorPlan1", "FloorPlan7", "FloorPlan29", "FloorPlan208", "FloorPlan230", "FloorPlan311", "FloorPlan428")
HOMES = tuple(n for n in scene_names() if n.startswith("home"))


def test_there_are_the_120_rooms_and_at_least_five_homes() -> None:
    assert len(scene_names()) == 120 + len(HOMES)
    assert len(HOMES) >= 5


def test_an_unknown_scene_is_answered_with_the_closest_names() -> None:
    with pytest.raises(KeyError, match="did you mean FloorPlan1"):
        load_scene("Floorplan1")
    with pytest.raises(KeyError, match="home1"):
        load_scene("moon")


@pytest.mark.parametrize("name", SAMPLE + HOMES)
def test_all_free_space_is_connected(name: str) -> None:
    grid = Grid(load_scene(name))
    assert np.isfinite(grid.field(0).distance).all()


@pytest.mark.parametrize("name", SAMPLE + HOMES)
def test_carved_furniture_covers_no_free_cell(name: str) -> None:
    scene = load_scene(name)
    for boxes in scene.carved.values():
        for b in boxes:
            for i, j, s in scene.free:
                x, y, z = i * CELL, j * CELL, s * scene.storey_height
                at = z - 0.5 < b.low[2] < z + scene.storey_height - 0.5
                inside = b.low[0] < x < b.high[0] and b.low[1] < y < b.high[1]
                assert not (at and inside), f"closer than {CLEARANCE[-1]} m"


@pytest.mark.parametrize("name", SAMPLE + HOMES)
def test_walls_enclose_the_objects_and_the_free_cells(name: str) -> None:
    scene = load_scene(name)
    rooms = {r.name: r for r in scene.rooms}
    for o in scene.objects:
        room = rooms[o.room]
        assert all(room.low[a] - 1e-6 <= o.box.low[a] and o.box.high[a] <= room.high[a] + 1e-6 for a in (0, 1))
    passages = {c for d in scene.doorways for c in d.cells}
    for cell, name_of_room in scene.free.items():
        if cell not in passages:
            room = rooms[name_of_room]
            assert all(room.low[a] < cell[a] * CELL < room.high[a] for a in (0, 1))


def carried(world: World) -> list[str]:
    return [name for name, spec in world.specs.items() if spec.movable and not world.closed_around(name)]


@pytest.mark.parametrize("name", [*SAMPLE, *(pytest.param(home, marks=pytest.mark.slow) for home in HOMES)])
def test_almost_everything_that_can_be_carried_is_seen_and_in_reach(name: str) -> None:
    scene = load_scene(name)
    assert len(inaccessible(scene)) <= (1 - REQUIRED) * len(carried(World(scene)))


@pytest.fixture(scope="module")
def camera() -> HouseholdRenderer:
    pytest.importorskip("mujoco")
    return HouseholdRenderer(width=640, height=480)


@pytest.mark.parametrize("name", [*(f"FloorPlan{n}" for n in (4, 14, 22, 205, 311, 317, 319, 410)), "home4"])
def test_pictures_show_what_lines_of_sight_promise_in_scenes_where_they_once_did_not(
    name: str, camera: HouseholdRenderer
) -> None:
    """Sinks (4, 14, 22), shelves (319), a tub and a can (410), a bed (311), a screen (205), a bowl (317)."""
    backend = HouseholdBackend(name, intrinsics=camera.intrinsics)
    names = carried(backend.world)
    assert sum(is_pictured(backend, thing, camera) for thing in names) >= REQUIRED * len(names)


def is_pictured(backend: HouseholdBackend, name: str, camera: HouseholdRenderer) -> bool:
    """Whether a picture shows the thing that the robot takes of it from a free cell within its reach."""
    grid, box, snapshot = backend.grid, backend.world.boxes[name], backend.snapshot()
    away = horizontal_distance(box, grid.points)
    cells = np.flatnonzero((away <= REACH) & (grid.storeys == grid.storey_of(box.low[2])))
    eyes = backend.robot
    for cell in cells[np.argsort(away[cells], kind="stable")].tolist():
        eyes.cell = cell
        for _ in eyes.face(box.center, ""):
            pass
        labels = camera.render(snapshot, eyes.camera_pose).labels
        if any(label.id == name for label in labels.values()):
            return True
    return False


def test_parents_and_controlled_objects_exist() -> None:
    for name in SAMPLE + HOMES:
        scene = load_scene(name)
        ids = {o.id for o in scene.objects}
        assert len(ids) == len(scene.objects)
        assert all(o.parent in ids or not o.parent for o in scene.objects)
        assert all(c in ids for o in scene.objects for c in o.controls)
