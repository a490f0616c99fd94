# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from sim_bridge.household.accessibility import inaccessible, within_reach
from sim_bridge.household.recorded import recording
from sim_bridge.household.rooms import room_scene


@pytest.mark.parametrize("name", ["FloorPlan324", "FloorPlan329", "FloorPlan402"])
def test_what_no_robot_gets_at_is_brought_within_reach(name: str) -> None:
    recorded = {o.id: o.box for o in recording(name).objects if o.movable}
    scene = room_scene(name)
    moved = [o for o in scene.objects if o.movable and o.box != recorded[o.id]]
    assert 1 <= len(moved) <= 2
    assert inaccessible(scene) == ()


@pytest.mark.parametrize("name", ["FloorPlan2", "FloorPlan230", "FloorPlan427"])
def test_what_can_be_got_at_stays_where_it_was_recorded(name: str) -> None:
    recorded = {o.id: o.box for o in recording(name).objects if o.movable}
    assert {o.id: o.box for o in room_scene(name).objects if o.movable} == recorded
    assert within_reach(room_scene(name)) is room_scene(name)
