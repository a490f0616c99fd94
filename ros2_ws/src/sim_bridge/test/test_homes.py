# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools

import pytest

from sim_bridge.household.free_space import connected_cells, covered
from sim_bridge.household.homes import HomeError, build_home, home_names, load_home
from sim_bridge.household.model import Box
from sim_bridge.household.recorded import recording


@pytest.mark.parametrize("name", home_names())
def test_a_home_has_every_kind_of_room(name: str) -> None:
    assert {r.kind for r in load_home(name).rooms} == {"Kitchen", "LivingRoom", "Bedroom", "Bathroom"}


def test_one_home_has_two_floors_and_stairs() -> None:
    tall = [h for h in map(load_home, home_names()) if {r.storey for r in h.rooms} == {0, 1}]
    assert tall
    for home in tall:
        stairs = [d for d in home.doorways if d.stairs]
        assert stairs
        assert all(d.cells[0][2] == 0 and d.cells[-1][2] == 1 for d in stairs)


@pytest.mark.parametrize("name", home_names())
def test_rooms_of_a_storey_do_not_overlap(name: str) -> None:
    for a, b in itertools.combinations(load_home(name).rooms, 2):
        apart = any(a.high[k] < b.low[k] or b.high[k] < a.low[k] for k in (0, 1))
        assert apart or a.storey != b.storey


@pytest.mark.parametrize("name", home_names())
def test_doorways_pass_through_no_furniture(name: str) -> None:
    home = load_home(name)
    for doorway in home.doorways:
        for i, j, storey in doorway.cells:
            z = storey * home.storey_height
            boxes = [
                Box((*o.box.center[:2], o.box.center[2] - z), o.box.size) for o in home.objects if o.category != "Floor"
            ]
            assert not covered((i, j), boxes, half=0.1)


def test_ids_carry_the_room_and_upstairs_is_three_metres_higher() -> None:
    home = load_home("home5")
    assert all(o.id.startswith(f"{o.room}/") for o in home.objects)
    room = next(r for r in home.rooms if r.storey == 1)
    upstairs = next(o for o in home.objects if o.room == room.name and o.category == "Bed")
    original = next(o for o in recording(room.floor_plan).objects if f"{room.name}/{o.id}" == upstairs.id)
    assert upstairs.box.center[2] == pytest.approx(original.box.center[2] + 3.0)


def test_the_same_description_gives_the_same_home() -> None:
    description = {
        "kitchen": {"floor_plan": "FloorPlan1"},
        "bath": {"floor_plan": "FloorPlan413", "beside": "kitchen", "side": "north"},
    }
    with pytest.raises(HomeError, match="no passage"):
        build_home("h", description)
    description["bath"]["floor_plan"] = "FloorPlan414"
    assert vars(build_home("h", description)) == vars(build_home("h", description))


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({"a": {"floor_plan": "FloorPlan99"}}, "no floor plan"),
        ({"a": {"floor_plan": "FloorPlan1", "beside": "b", "side": "east"}}, "must name one room further up"),
        ({"a": {"floor_plan": "FloorPlan1"}, "b": {"floor_plan": "FloorPlan2"}}, "must name one room further up"),
        (
            {"a": {"floor_plan": "FloorPlan1"}, "b": {"floor_plan": "FloorPlan2", "beside": "a", "side": "up"}},
            "side must be",
        ),
        ({"a": "FloorPlan1"}, "give floor_plan"),
        ({"a": {"floor": "FloorPlan1"}}, "give floor_plan"),
    ],
)
def test_a_wrong_description_is_explained(description: dict[str, object], message: str) -> None:
    with pytest.raises(HomeError, match=message):
        build_home("h", description)


@pytest.mark.parametrize("name", ["FloorPlan29", "FloorPlan208", "FloorPlan327"])
def test_pieces_of_free_space_are_joined_without_losing_any(name: str) -> None:
    rec = recording(name)
    joined = connected_cells(rec)
    assert rec.cells < joined
    assert len(joined) - len(rec.cells) <= 4
