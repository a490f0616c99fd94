# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from sim_bridge.household import recorded
from sim_bridge.household.recorded import RecordingsMissingError, floor_plans, recording


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    recording.cache_clear()
    yield tmp_path / "karma" / "floor_plans"
    recording.cache_clear()


def test_there_are_thirty_rooms_of_each_kind() -> None:
    names = floor_plans()
    assert len(names) == 120
    assert names[0] == "FloorPlan1"
    assert names[-1] == "FloorPlan430"


def test_ai2thor_coordinates_become_x_z_y() -> None:
    apple = next(o for o in recording("FloorPlan1").objects if o.category == "Apple")
    assert apple.id == "Apple|-00.47|+01.15|+00.48"
    assert apple.box.center == pytest.approx((-0.47, 0.48, 1.15), abs=0.05)


@pytest.mark.parametrize("name", ["FloorPlan3", "FloorPlan221"])
def test_the_floor_is_at_zero_where_it_was_recorded_higher(name: str) -> None:
    floor = next(o for o in recording(name).objects if o.category == "Floor")
    assert floor.box.high[2] == pytest.approx(0, abs=1e-4)
    assert min(o.box.low[2] for o in recording(name).objects if o.category != "Floor") == pytest.approx(0, abs=0.01)


def test_a_yaw_is_a_quarter_turn_less_the_recorded_one() -> None:
    raw = recorded._compact_object(
        {
            **dict.fromkeys([*recorded._AFFORDANCES, *recorded.STATE_OF.values()], False),
            "objectId": "Mug|1",
            "objectType": "Mug",
            "axisAlignedBoundingBox": {"center": {"x": 1, "y": 2, "z": 3}, "size": {"x": 0.1, "y": 0.2, "z": 0.3}},
            "rotation": {"x": 0, "y": 90, "z": 0},
            "parentReceptacles": None,
            "controlledObjects": None,
            "temperature": "RoomTemp",
            "fillLiquid": None,
        },
        ground=0.5,
    )
    assert raw["yaw"] == pytest.approx(0.0)
    assert raw["center"] == [1, 3, 1.5]
    assert raw["size"] == [0.1, 0.3, 0.2]


def test_knobs_know_their_burners() -> None:
    objects = {o.id: o for o in recording("FloorPlan1").objects}
    knobs = [o for o in objects.values() if o.category == "StoveKnob"]
    assert knobs
    assert all(objects[c].category == "StoveBurner" for k in knobs for c in k.controls)


@pytest.mark.parametrize("name", ["FloorPlan1", "FloorPlan5", "FloorPlan215", "FloorPlan330", "FloorPlan402"])
def test_nothing_rests_on_itself_however_indirectly(name: str) -> None:
    parents = {o.id: o.parent for o in recording(name).objects}
    for start in parents:
        way = [start]
        while parents[way[-1]]:
            way.append(parents[way[-1]])
            assert len(way) <= len(parents)


def test_a_thing_on_a_sofa_is_not_on_the_floor_below() -> None:
    objects = {o.id: o for o in recording("FloorPlan212").objects}
    remote = next(o for o in objects.values() if o.category == "RemoteControl")
    assert objects[remote.parent].category == "Sofa"


def test_a_second_load_reads_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = recording("FloorPlan401")
    assert (cache / "FloorPlan401.json").is_file()
    recording.cache_clear()
    monkeypatch.setattr(recorded, "_compact", lambda *_: pytest.fail("the recording was read again"))
    assert recording("FloorPlan401") == first


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"source": 1}'])
def test_a_damaged_cache_is_rebuilt(cache: Path, damage: str) -> None:
    first = recording("FloorPlan401")
    recording.cache_clear()
    (cache / "FloorPlan401.json").write_text(damage)
    assert recording("FloorPlan401") == first
    assert json.loads((cache / "FloorPlan401.json").read_text())["room"]["kind"] == "Bathroom"


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    recording.cache_clear()
    assert recording("FloorPlan402").kind == "Bathroom"
    recording.cache_clear()


def test_missing_packages_are_named_with_the_command_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    recording.cache_clear()
    monkeypatch.setattr(recorded.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(RecordingsMissingError, match=r"pip install --no-deps procthor==0\.0\.1\.dev2"):
        recording("FloorPlan1")


def test_an_unknown_floor_plan_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="FloorPlan31"):
        recording("FloorPlan31")


def test_sizes_and_positions_are_finite_and_positive() -> None:
    for name in floor_plans()[::10]:
        for o in recording(name).objects:
            assert all(math.isfinite(v) for v in o.box.center)
            assert all(v > 0 for v in o.box.size)


def test_furniture_is_shut_in_nowhere_though_ai2thor_lists_a_floor_in_a_cupboard() -> None:
    for name in floor_plans():
        objects = {o.id: o for o in recording(name).objects}
        for o in objects.values():
            if not o.movable and o.parent:
                assert "openable" not in objects[o.parent].affordances, f"{name}: {o.id} in {o.parent}"
