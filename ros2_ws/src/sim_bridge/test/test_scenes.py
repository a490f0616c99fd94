# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from sim_bridge.household.carving import CLEARANCE
from sim_bridge.household.model import CELL
from sim_bridge.household.navigation import Grid
from sim_bridge.household.report import REQUIRED, inspect
from sim_bridge.household.scenes import load_scene, scene_names

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
    assert len(grid.components()) == 1


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


@pytest.mark.parametrize("name", SAMPLE)
def test_almost_everything_that_can_be_carried_is_seen_and_in_reach(name: str) -> None:
    assert inspect(name).reachable >= REQUIRED


@pytest.mark.slow
@pytest.mark.parametrize("name", HOMES)
def test_almost_everything_in_a_home_is_seen_and_in_reach(name: str) -> None:
    assert inspect(name).reachable >= REQUIRED


def test_parents_and_controlled_objects_exist() -> None:
    for name in SAMPLE + HOMES:
        scene = load_scene(name)
        ids = {o.id for o in scene.objects}
        assert len(ids) == len(scene.objects)
        assert all(o.parent in ids or not o.parent for o in scene.objects)
        assert all(c in ids for o in scene.objects for c in o.controls)
