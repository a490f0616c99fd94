# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Rooms of floor plans and of houses."""

from __future__ import annotations

import pytest

from sim_bridge.ai2thor.rooms import room_at, room_of_floor_plan, rooms_of_house
from sim_bridge.backend import Target
from sim_bridge.targets import rooms_named

BOUNDS = {"center": {"x": 1.0, "y": 1.0, "z": 2.0}, "size": {"x": 4.0, "y": 2.0, "z": 6.0}}


@pytest.mark.parametrize(
    ("scene", "kind"),
    [
        ("FloorPlan30", "Kitchen"),
        ("FloorPlan201", "LivingRoom"),
        ("FloorPlan330", "Bedroom"),
        ("FloorPlan401", "Bathroom"),
    ],
)
def test_a_floor_plans_number_tells_its_kind(scene: str, kind: str) -> None:
    room = room_of_floor_plan(scene, BOUNDS)
    assert (room.name, room.kind, room.low, room.high) == (scene, kind, (-1.0, -1.0), (3.0, 5.0))


def test_other_scenes_have_a_room_of_no_kind() -> None:
    assert room_of_floor_plan("FloorPlan_Train1_1", BOUNDS).kind == ""


def test_a_house_has_its_rooms_with_the_outlines_of_their_floors() -> None:
    ell = [(0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)]
    square = [(2, 2), (4, 2), (4, 4), (2, 4)]
    house = {
        "rooms": [
            {"roomType": "Bedroom", "floorPolygon": [{"x": x, "y": 0, "z": z} for x, z in outline]}
            for outline in (ell, square)
        ]
    }
    first, second = rooms_of_house(house)
    assert (first.name, second.name) == ("Bedroom", "Bedroom2")
    assert room_at((first, second), (1.0, 3.0)) == first
    assert room_at((first, second), (3.0, 3.0)) == second
    assert rooms_named((first, second), Target(id="bedroom 2")) == (second,)
    assert rooms_named((first, second), Target(category="bedroom")) == (first,)
