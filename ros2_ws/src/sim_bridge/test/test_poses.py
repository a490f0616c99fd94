# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest

from sim_bridge.backend import Code, Skill, Target, execute
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.poses import ObjectPose, holder, posed, thor_pose
from sim_bridge.household.recorded import floor_plans
from sim_bridge.household.rooms import room_scene


def test_what_holds_a_thing_is_found_as_it_was_recorded() -> None:
    right = wrong = 0
    for name in floor_plans()[::5]:
        scene = room_scene(name)
        for thing in scene.objects:
            if thing.movable and thing.parent:
                same = holder(thing, scene.objects) == thing.parent
                right, wrong = right + same, wrong + (not same)
    assert right / (right + wrong) >= 0.95


def test_only_the_things_with_a_pose_are_left_and_each_copy_has_an_id() -> None:
    scene = room_scene("FloorPlan1")
    table = next(o for o in scene.objects if o.category == "CounterTop")
    x, y, _ = table.box.center
    pose = ObjectPose("Apple", (x, y, table.box.high[2] + 0.05), 0.0)
    changed = posed(scene, [pose, pose])
    things = [o for o in changed.objects if o.movable]
    assert [t.category for t in things] == ["Apple", "Apple"]
    assert len({t.id for t in things}) == 2
    assert sum(not o.movable for o in changed.objects) == sum(not o.movable for o in scene.objects)


def test_posing_things_as_recorded_changes_nothing() -> None:
    scene = room_scene("FloorPlan1")
    originals = [o for o in scene.objects if o.movable]
    by_category = {o.category: o for o in originals}
    poses = []
    for o in by_category.values():
        x, up, forward = (float(v) for v in o.id.split("|")[1:4])
        poses.append(ObjectPose(o.category, (x, forward, up), o.yaw))
    first = {o.category: next(m for m in originals if m.category == o.category) for o in by_category.values()}
    for thing in posed(scene, poses).objects:
        if thing.movable and first[thing.category].id == thing.id:
            assert thing.box.center == pytest.approx(first[thing.category].box.center, abs=1e-9)
            assert thing.box.size == first[thing.category].box.size


def test_a_quarter_turn_turns_the_box() -> None:
    scene = room_scene("FloorPlan1")
    knife = next(o for o in scene.objects if o.category == "Knife")
    turned = next(
        o for o in posed(scene, [ObjectPose("Knife", (0.0, 0.0, 1.0), knife.yaw + math.pi / 2)]).objects if o.movable
    )
    assert turned.box.size == pytest.approx((knife.box.size[1], knife.box.size[0], knife.box.size[2]))


def test_ai2thor_coordinates_are_converted() -> None:
    pose = thor_pose("Glassbottle_1a2b", {"x": 1, "y": 2, "z": 3}, {"x": 0, "y": 90, "z": 0})
    assert (pose.category, pose.position) == ("Bottle", (1.0, 3.0, 2.0))
    assert pose.yaw == pytest.approx(0.0)


def test_toggles_and_dirt_are_applied() -> None:
    changed = posed(room_scene("FloorPlan301"), [], toggles={"DeskLamp": False}, dirty=True)
    assert all(not o.states["isToggled"] for o in changed.objects if o.category == "DeskLamp")
    assert all(o.states["isDirty"] for o in changed.objects if "isDirty" in o.states)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="has no Basketball"):
        posed(room_scene("FloorPlan1"), [ObjectPose("Basketball", (0.0, 0.0, 1.0), 0.0)])


def test_a_backend_runs_a_scene_of_ones_own_and_resets_to_it() -> None:
    scene = room_scene("FloorPlan1")
    fridge = next(o for o in scene.objects if o.category == "Fridge")
    backend = HouseholdBackend(posed(scene, [ObjectPose("Apple", fridge.box.center, 0.0)]))
    apple = next(iter(backend.world.of_category("Apple")))
    assert backend.world.parents[apple] == fridge.id
    go = execute(backend, Skill("GoToObject", Target(fridge.id, position=fridge.box.center)))
    assert go.code == Code.SUCCESS
    assert execute(backend, Skill("OpenObject", Target(fridge.id))).code == Code.SUCCESS
    assert execute(backend, Skill("Pick", Target(apple, position=fridge.box.center))).code == Code.SUCCESS
    backend.reset()
    assert backend.world.parents[apple] == fridge.id
