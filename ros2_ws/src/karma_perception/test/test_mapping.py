# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import dataclasses

import numpy as np
import pytest
from raycast import pose, room, shoot, thing

from karma_perception.objects.detection import Detections, InstanceImageDetector
from karma_perception.objects.instances import ExtractionOptions, observe_objects
from karma_perception.objects.mapping import ObjectMap
from karma_perception.objects.point_clouds import Open3DError, open3d

TABLE = thing("DiningTable", (2.5, 1.5, 0.4), (1.0, 1.6, 0.8))
APPLE = thing("Apple", (2.3, 1.3, 0.85), (0.1, 0.1, 0.1), movable=True)
SHELL = room(0, 0, 5, 3)


class Watcher:
    """Feeds views of a world to a map."""

    def __init__(self, *, identified=True, boxes=None):
        self.map = ObjectMap()
        self.boxes = boxes or {}
        self.stamp = 0.0
        self.identified = identified

    def look(self, world, x=1.0, y=1.5, yaw=0.0, times=1, **options):
        for _ in range(times):
            self._look(world, x, y, yaw, options)

    def _look(self, world, x, y, yaw, options):
        self.stamp += 0.1
        frame = shoot([*SHELL, *world], pose(x, y, yaw), stamp=self.stamp, identified=self.identified, **options)
        found = InstanceImageDetector().detect(frame)
        found = Detections(found.mask, found.instances, identified=self.identified, boxes=self.boxes)
        self.map.update(frame, found, observe_objects(frame, found, ExtractionOptions()))

    def __getitem__(self, name):
        return self.map.objects[name]


def moved(solid, x, y, z):
    return thing(solid.category, (x, y, z), np.subtract(solid.high, solid.low), movable=solid.movable, name=solid.id)


def test_an_object_is_where_its_box_is():
    w = Watcher()
    w.look([TABLE, APPLE])
    assert set(w.map.objects) == {TABLE.id, APPLE.id}
    assert np.linalg.norm(w[APPLE.id].center - APPLE.center) < 0.03
    assert w[APPLE.id].movable
    assert not w[TABLE.id].movable
    assert w[TABLE.id].volume == pytest.approx(1.28, rel=0.2)


@pytest.mark.parametrize("boxes", [{}, {1: (0, 0, 1, 1)}])
def test_strays_behind_a_thing_are_dropped_where_masks_are_made_from_boxes(boxes):
    open3d_or_skip()
    w = Watcher(boxes=boxes)
    w.look([TABLE])
    strays = np.array([[TABLE.high[0] + 0.4, TABLE.center[1] + 0.1 * i, 0.3] for i in range(4)])
    w[TABLE.id].voxels.insert(strays)
    for yaw in (-6, -2, 2, 6):
        w.look([TABLE], yaw=yaw)
    stretched = w[TABLE.id].high[0] > TABLE.high[0] + 0.3
    assert stretched != bool(boxes)


def open3d_or_skip():
    try:
        open3d()
    except Open3DError as error:
        pytest.skip(str(error))


def test_a_partial_view_does_not_shrink_a_known_box():
    w = Watcher()
    for yaw in (-20, 0, 20):
        w.look([TABLE], yaw=yaw)
    before = w[TABLE.id].size
    w.look([TABLE], x=1.4, y=0.4, yaw=-20)
    assert np.all(w[TABLE.id].size > before - 0.03)


def test_views_from_all_sides_complete_the_box():
    w = Watcher()
    for x, y, yaw in ((0.8, 1.5, 0), (2.5, 0.3, 90), (4.5, 1.5, 180), (2.5, 2.8, -90)):
        w.look([TABLE], x=x, y=y, yaw=yaw)
    np.testing.assert_allclose(w[TABLE.id].low, TABLE.low, atol=0.06)
    np.testing.assert_allclose(w[TABLE.id].high, TABLE.high, atol=0.04)


@pytest.mark.parametrize("shift", [(0.5, 0.4), (0.06, 0.0), (0.0, -0.08)])
def test_a_movable_object_that_moved_keeps_its_identity_and_loses_its_old_points(shift):
    w = Watcher()
    w.look([TABLE, APPLE])
    there = moved(APPLE, APPLE.center[0] + shift[0], APPLE.center[1] + shift[1], 0.85)
    assert not w.look([TABLE, there])
    assert np.linalg.norm(w[APPLE.id].center - there.center) < 0.035
    assert np.all(w[APPLE.id].size < 0.14)


def test_furniture_seen_piece_by_piece_is_one_box():
    counter = thing("CounterTop", (2.5, 0.3, 0.45), (4.6, 0.6, 0.9))
    w = Watcher()
    for x in (0.6, 1.8, 3.2, 4.4):
        w.look([counter], x=x, y=1.6, yaw=-90)
    np.testing.assert_allclose(w[counter.id].size[0], 4.6, atol=0.12)


def test_an_object_that_is_gone_loses_confidence_and_then_vanishes():
    w = Watcher()
    w.look([TABLE, APPLE])
    confidences = []
    while APPLE.id in w.map.objects:
        w.look([TABLE])
        confidences.append(w[APPLE.id].confidence if APPLE.id in w.map.objects else 0.0)
        assert len(confidences) < 10
    assert len(confidences) > 2
    assert confidences == sorted(confidences, reverse=True)
    assert TABLE.id in w.map.objects


def test_an_object_that_is_missed_now_and_then_stays():
    w = Watcher()
    w.look([TABLE, APPLE])
    for i in range(12):
        w.look([TABLE, APPLE], missed=[APPLE.id] if i % 3 == 2 else [])
    assert w[APPLE.id].confidence > 0.5


def test_an_object_that_is_hidden_is_not_missed():
    wall = thing("ShelvingUnit", (1.8, 1.5, 0.9), (0.2, 3.0, 1.8))
    w = Watcher()
    w.look([TABLE, APPLE])
    for _ in range(10):
        assert not w.look([TABLE, APPLE, wall])
    assert w[APPLE.id].confidence == pytest.approx(1.0)


def test_what_is_in_a_closed_fridge_is_remembered():
    egg = thing("Egg", (2.4, 1.5, 0.9), (0.08, 0.08, 0.08), movable=True)
    back = thing("Fridge", (2.9, 1.5, 0.9), (0.1, 0.8, 1.8), isOpen="true")
    shut = thing("Fridge", (2.5, 1.5, 0.9), (0.8, 0.8, 1.8), isOpen="false")
    w = Watcher()
    w.look([back, egg])
    for _ in range(10):
        assert not w.look([shut, egg])
    assert np.linalg.norm(w[egg.id].center - egg.center) < 0.05
    assert w["Fridge|1"].states == {"isOpen": "false"}


def test_what_was_put_near_the_door_of_a_closed_fridge_is_remembered_too():
    plate = thing("Plate", (2.15, 1.5, 0.7), (0.3, 0.3, 0.05), movable=True)
    opened = thing("Fridge", (2.9, 1.5, 0.9), (0.1, 0.8, 1.8), isOpen="true")
    shut = thing("Fridge", (2.5, 1.5, 0.9), (0.8, 0.8, 1.8), isOpen="false")
    w = Watcher()
    w.look([opened, plate])
    for _ in range(10):
        assert not w.look([shut])
    assert plate.id in w.map.objects
    for _ in range(10):
        w.look([opened])
    assert plate.id not in w.map.objects


def test_an_object_out_of_view_is_not_missed():
    w = Watcher()
    w.look([TABLE, APPLE])
    for _ in range(10):
        assert not w.look([TABLE], yaw=180)
    assert w[APPLE.id].confidence == pytest.approx(1.0)


def test_a_held_object_goes_with_the_robot_even_out_of_view():
    w = Watcher()
    w.look([TABLE, APPLE])
    w.look([TABLE], x=1.0, y=1.5, yaw=180, held=APPLE.id)
    assert w[APPLE.id].held
    assert np.linalg.norm(w[APPLE.id].center[:2] - (1.0, 1.5)) < 0.6
    for _ in range(8):
        assert not w.look([TABLE], held=APPLE.id)
    put = moved(APPLE, 2.6, 1.8, 0.85)
    w.look([TABLE, put])
    assert not w[APPLE.id].held
    assert np.linalg.norm(w[APPLE.id].center - put.center) < 0.03


def test_a_few_pixels_are_enough_not_to_be_missed():
    w = Watcher()
    w.look([TABLE, APPLE])
    for _ in range(10):
        assert not w.look([TABLE, APPLE], x=0.2, yaw=12)
    assert w[APPLE.id].misses == 0


def test_without_identities_the_same_things_stay_the_same():
    second = thing("Apple", (2.3, 1.9, 0.85), (0.1, 0.1, 0.1), movable=True, name="Apple|2")
    w = Watcher(identified=False)
    w.look([TABLE, APPLE, second])
    assert set(w.map.objects) == {"DiningTable_1", "Apple_1", "Apple_2"}
    before = {name: o.center for name, o in w.map.objects.items()}
    for yaw in (-10, 10, 0):
        w.look([TABLE, APPLE, second], yaw=yaw)
    assert set(w.map.objects) == set(before)
    assert all(np.linalg.norm(w[name].center - before[name]) < 0.05 for name in ("Apple_1", "Apple_2"))


def test_without_identities_neighbours_of_a_class_stay_apart_though_one_is_out_of_view():
    left = thing("Cabinet", (2.5, 0.6, 0.45), (0.6, 0.8, 0.9), name="Cabinet|left")
    right = thing("Cabinet", (2.5, 1.41, 0.45), (0.6, 0.8, 0.9), name="Cabinet|right")
    w = Watcher(identified=False)
    w.look([left, right], y=0.4, yaw=-40)
    w.look([left, right], y=1.9, yaw=20)
    w.look([left, right])
    assert set(w.map.objects) == {"Cabinet_1", "Cabinet_2"}
    centers = sorted(o.center[1] for o in w.map.objects.values())
    assert centers == pytest.approx([0.6, 1.41], abs=0.08)


def test_without_identities_a_held_object_goes_with_the_robot_and_is_known_where_it_is_put():
    put = moved(APPLE, 2.6, 1.8, 0.85)
    w = Watcher(identified=False)
    for _ in range(3):
        w.look([TABLE, APPLE])
    w.look([TABLE], held="something")
    assert w["Apple_1"].held
    w.look([TABLE], yaw=180, held="something")
    assert np.linalg.norm(w["Apple_1"].center[:2] - (1.0, 1.5)) < 0.6
    for _ in range(3):
        w.look([TABLE, put])
    assert set(w.map.objects) == {"DiningTable_1", "Apple_1"}
    assert not w["Apple_1"].held
    assert np.linalg.norm(w["Apple_1"].center - put.center) < 0.03


def test_without_identities_what_the_gripper_holds_is_no_new_object_though_nobody_knows_where_it_came_from():
    w = Watcher(identified=False)
    w.look([TABLE])
    for i in range(4):
        held = thing("Mug", (1.5 + 0.2 * i, 1.4, 1.0), (0.1, 0.1, 0.1), movable=True)
        w.look([TABLE, held], x=1.0 + 0.2 * i, held="something")
    assert set(w.map.objects) == {"DiningTable_1"}


def test_what_stands_at_the_door_of_a_fridge_is_remembered_though_nobody_says_whether_it_is_shut():
    plate = thing("Plate", (2.15, 1.5, 0.7), (0.3, 0.3, 0.05), movable=True)
    opened = thing("Fridge", (2.9, 1.5, 0.9), (0.1, 0.8, 1.8))
    shut = thing("Fridge", (2.5, 1.5, 0.9), (0.8, 0.8, 1.8))
    w = Watcher(identified=False)
    w.look([opened, plate])
    for _ in range(10):
        w.look([shut])
    assert "Plate_1" in w.map.objects
    for _ in range(10):
        w.look([opened])
    assert "Plate_1" not in w.map.objects


def test_what_turns_up_long_after_a_cupboard_was_shut_was_taken_out_of_it_until_something_else_is_missing():
    opened = thing("Fridge", (2.9, 2.4, 0.9), (0.1, 0.8, 1.8))
    shut = thing("Fridge", (2.15, 2.4, 0.9), (0.1, 0.8, 1.8))
    shelf = thing("SideTable", (0.4, 1.5, 0.35), (0.5, 1.0, 0.7))
    inside = thing("Mug", (2.5, 2.4, 0.9), (0.1, 0.1, 0.1), movable=True)
    behind_the_robot = thing("Mug", (0.5, 1.5, 0.77), (0.13, 0.13, 0.13), movable=True)
    turned_up = moved(inside, 2.4, 1.1, 0.85)
    w = Watcher(identified=False)
    w.look([TABLE, opened, shelf, inside, behind_the_robot], yaw=20, times=3)
    w.look([TABLE, opened, shelf, inside, behind_the_robot], x=1.3, yaw=-10, times=3)
    w.look([TABLE, opened, shelf, inside, behind_the_robot], x=1.6, yaw=180, times=3)
    w.look([TABLE, shut, shelf], yaw=20)
    (fridge,) = (o for o in w.map.objects.values() if o.category == "Fridge" and o.center[0] < 2.5)
    fridge.voxels.insert(np.array([(2.9, 2.0 + 0.1 * i, 0.1 + 0.2 * j) for i in range(9) for j in range(9)]))
    w.look([TABLE, shut, shelf], yaw=20, times=3)
    mugs = {n for n in w.map.objects if n.startswith("Mug")}
    assert mugs == {"Mug_1", "Mug_2"}
    (in_fridge,) = (n for n in mugs if w[n].center[1] > 2.0)
    (on_shelf,) = mugs - {in_fridge}
    w.stamp += 1000.0
    w.look([TABLE, shut, shelf, turned_up], times=3)
    assert {n for n in w.map.objects if n.startswith("Mug")} == mugs
    assert np.linalg.norm(w[in_fridge].center - turned_up.center) < 0.05
    w.look([TABLE, shut, shelf, turned_up], x=1.6, yaw=180, times=8)
    assert {n for n in w.map.objects if n.startswith("Mug")} == mugs
    assert np.linalg.norm(w[on_shelf].center - turned_up.center) < 0.05
    assert np.linalg.norm(w[in_fridge].center - inside.center) < 0.05


@pytest.mark.parametrize("identified", [True, False])
@pytest.mark.parametrize(
    ("category", "states"), [("Laptop", {"isOpen": "false"}), ("Box", {"isOpen": "false"}), ("Box", {}), ("Mug", {})]
)
def test_what_was_taken_away_is_forgotten_though_it_can_be_shut_itself(identified, category, states):
    lying = thing(category, (2.3, 1.3, 0.85), (0.3, 0.3, 0.1), movable=True, **states)
    w = Watcher(identified=identified)
    w.look([TABLE, lying], times=5)
    w.look([TABLE], times=12)
    assert {o.category for o in w.map.objects.values()} == {"DiningTable"}


@pytest.mark.parametrize("category", ["Fridge", "Cabinet", "Sofa"])
def test_what_a_detector_saw_in_one_picture_only_is_forgotten(category):
    phantom = thing(category, (2.45, 1.5, 0.85), (0.3, 0.5, 0.1))
    w = Watcher(identified=False)
    w.look([TABLE, phantom])
    w.look([TABLE], times=12)
    assert {o.category for o in w.map.objects.values()} == {"DiningTable"}


def test_without_identities_a_moved_object_is_known_though_its_old_place_is_seen_empty_only_later():
    w = Watcher(identified=False)
    w.look([TABLE, APPLE], times=3)
    there = moved(APPLE, 0.3, 0.3, 0.5)
    w.look([TABLE, there], x=1.5, y=1.2, yaw=-145)
    assert set(w.map.objects) == {"DiningTable_1", "Apple_1", "Apple_2"}
    w.look([TABLE, there], times=2)
    assert set(w.map.objects) == {"DiningTable_1", "Apple_1"}
    assert np.linalg.norm(w["Apple_1"].center - there.center) < 0.05


def test_without_identities_what_had_vanished_is_known_where_it_turns_up():
    w = Watcher(identified=False)
    w.look([TABLE, APPLE], times=3)
    while "Apple_1" in w.map.objects:
        w.look([TABLE])
    w.look([TABLE, moved(APPLE, 2.8, 2.1, 0.85)])
    assert set(w.map.objects) == {"DiningTable_1", "Apple_1"}


def test_without_identities_one_that_the_detector_missed_once_is_not_another_that_is_discovered():
    other = moved(APPLE, 0.3, 0.3, 0.5)
    w = Watcher(identified=False)
    w.look([TABLE, APPLE], times=3)
    w.look([TABLE, APPLE, other], x=1.5, y=1.2, yaw=-145, times=3)
    w.look([TABLE, APPLE, other], missed=[APPLE.id])
    w.look([TABLE, APPLE, other])
    assert np.linalg.norm(w["Apple_1"].center - APPLE.center) < 0.05
    assert np.linalg.norm(w["Apple_2"].center - other.center) < 0.05


BOWL = thing("Bowl", (2.3, 1.1, 0.85), (0.13, 0.13, 0.13), movable=True, name="Bowl|small")
BASIN = thing("Bowl", (2.3, 1.7, 0.9), (0.18, 0.18, 0.2), movable=True, name="Bowl|large")


def test_without_identities_of_two_that_were_moved_each_is_known_by_its_size():
    w = Watcher(identified=False)
    w.look([TABLE, BOWL, BASIN], times=3)
    names = {n: o.volume for n, o in w.map.objects.items() if o.category == "Bowl"}
    w.look([TABLE, moved(BASIN, 2.8, 1.2, 0.9), moved(BOWL, 2.8, 1.9, 0.85)], times=5)
    small, large = sorted(names, key=names.__getitem__)
    assert set(w.map.objects) == {"DiningTable_1", small, large}
    assert w[small].center[1] == pytest.approx(1.9, abs=0.05)
    assert w[large].center[1] == pytest.approx(1.2, abs=0.05)


@pytest.mark.parametrize("missed", [(), (BOWL.id,)])
def test_without_identities_an_identity_that_passes_on_leaves_its_former_holder_on_the_map(missed):
    w = Watcher(identified=False)
    w.look([TABLE, BASIN], times=3)
    # A small bowl turns up as the large one is missed, and is taken for it until the large one turns up as well.
    other = moved(BOWL, 2.3, 1.1, 0.85)
    w.look([TABLE, other], times=3)
    assert set(w.map.objects) == {"DiningTable_1", "Bowl_1"}
    # That the detector then misses the small one makes no difference: the large one's looks are not forgotten for it.
    w.look([TABLE, other], missed=missed)
    w.look([TABLE, other, moved(BASIN, 2.8, 1.9, 0.9)], times=2)
    assert {n for n in w.map.objects if n.startswith("Bowl")} > {"Bowl_1"}
    assert w["Bowl_1"].center[1] == pytest.approx(1.9, abs=0.05)
    assert [o.center[1] for n, o in w.map.objects.items() if n not in ("Bowl_1", "DiningTable_1")] == pytest.approx(
        [1.1], abs=0.05
    )


def test_without_identities_a_flat_thing_that_is_gone_vanishes_though_nothing_is_seen_through():
    card = thing("CreditCard", (2.3, 1.5, 0.805), (0.1, 0.2, 0.01), movable=True)
    w = Watcher(identified=False)
    w.look([TABLE, card])
    for _ in range(12):
        w.look([TABLE])
    assert set(w.map.objects) == {"DiningTable_1"}


def test_two_objects_that_one_mask_shows_again_and_again_become_one():
    halves = [thing("Sofa", (2.5, y, 0.4), (0.8, 0.8, 0.8), name=f"Sofa|{y}") for y in (1.1, 1.9)]
    w = Watcher(identified=False)
    w.look(halves)
    assert set(w.map.objects) == {"Sofa_1", "Sofa_2"}
    for _ in range(4):
        w.look([thing("Sofa", (2.5, 1.5, 0.4), (0.8, 1.6, 0.8))])
    assert set(w.map.objects) == {"Sofa_1"}
    assert w["Sofa_1"].size[1] == pytest.approx(1.6, abs=0.1)


def test_two_objects_that_were_seen_from_near_are_not_made_one_from_afar():
    halves = [thing("Sofa", (4.5, y, 0.4), (0.8, 0.8, 0.8), name=f"Sofa|{y}") for y in (1.1, 1.9)]
    w = Watcher(identified=False)
    w.look(halves, x=3.0)
    w.look([thing("Sofa", (4.5, 1.5, 0.4), (0.8, 1.6, 0.8))], x=0.3, times=4)
    assert set(w.map.objects) == {"Sofa_1", "Sofa_2"}
    w.look([thing("Sofa", (4.5, 1.5, 0.4), (0.8, 1.6, 0.8))], x=3.0, times=4)
    assert set(w.map.objects) == {"Sofa_1"}


def test_an_object_that_was_two_gives_up_what_lies_on_the_other_s_mask():
    w = Watcher(identified=False)
    w.look([thing("Cabinet", (2.5, 1.5, 0.45), (0.6, 1.6, 0.9))])
    halves = [thing("Cabinet", (2.5, y, 0.45), (0.6, 0.8, 0.9), name=f"Cabinet|{y}") for y in (1.1, 1.9)]
    for _ in range(3):
        w.look(halves)
    assert sorted(o.center[1] for o in w.map.objects.values()) == pytest.approx([1.1, 1.9], abs=0.06)


def test_without_identities_what_is_before_a_thing_does_not_make_it_vanish_from_afar():
    table = thing("DiningTable", (4.3, 1.5, 0.4), (1.0, 1.6, 0.8))
    apple = moved(APPLE, 4.3, 1.5, 0.85)
    box = thing("Box", (4.18, 1.5, 0.95), (0.06, 0.4, 0.3))
    w = Watcher(identified=False)
    w.look([table, apple], x=3.0, times=3)
    w.look([table, apple, box], x=0.9, times=8)
    assert np.linalg.norm(w["Apple_1"].center - apple.center) < 0.05
    w.look([table], x=3.0, times=8)
    assert "Apple_1" not in w.map.objects


def test_without_identities_a_moved_object_is_found_again_once_it_is_missed():
    w = Watcher(identified=False)
    w.look([TABLE, APPLE], times=3)
    w.look([TABLE])
    w.look([TABLE, moved(APPLE, 2.8, 2.1, 0.85)])
    assert set(w.map.objects) == {"DiningTable_1", "Apple_1"}
    assert np.linalg.norm(w["Apple_1"].center - (2.8, 2.1, 0.85)) < 0.03


def test_no_object_holds_more_voxels_than_allowed():
    w = Watcher()
    for i in range(12):
        w.look([TABLE, APPLE], x=0.8 + 0.05 * i, yaw=(i % 7) - 3)
    assert all(len(o.voxels) <= 1500 for o in w.map.objects.values())


def test_an_object_keeps_the_latest_states():
    w = Watcher()
    w.look([dataclasses.replace(APPLE, states={"isSliced": "false"})])
    w.look([dataclasses.replace(APPLE, states={"isSliced": "true"})])
    assert w[APPLE.id].states == {"isSliced": "true"}


def test_noisy_views_from_afar_do_not_blur_what_was_seen_from_near():
    random = np.random.default_rng(2)
    long_room = room(0, 0, 9, 3)
    w = Watcher()

    def look(x, sigma):
        w.stamp += 0.1
        frame = shoot([*long_room, TABLE], pose(x, 1.5, 180, pitch_deg=10), stamp=w.stamp)
        noise = sigma * random.standard_normal(frame.depth.shape)
        frame = dataclasses.replace(frame, depth=(frame.depth + noise * frame.depth**2).astype(np.float32))
        found = InstanceImageDetector().detect(frame)
        w.map.update(frame, found, observe_objects(frame, found, ExtractionOptions()))

    look(4.2, 0.0)
    before = w[TABLE.id].size
    for _ in range(5):
        look(8.5, 0.02)
    assert np.all(w[TABLE.id].size < before + 0.1)


def test_a_small_thing_seen_whole_from_near_forgets_its_blurred_points():
    random = np.random.default_rng(3)
    long_room = room(0, 0, 9, 3)
    phone = thing("CellPhone", (2.3, 1.5, 0.83), (0.08, 0.16, 0.06), movable=True)
    w = Watcher()

    def look(x):
        w.stamp += 0.1
        frame = shoot([*long_room, TABLE, phone], pose(x, 1.5, 180, pitch_deg=10), stamp=w.stamp)
        noise = 0.02 * random.standard_normal(frame.depth.shape) * frame.depth**2
        frame = dataclasses.replace(frame, depth=(frame.depth + noise).astype(np.float32))
        found = InstanceImageDetector().detect(frame)
        w.map.update(frame, found, observe_objects(frame, found, ExtractionOptions()))

    for _ in range(4):
        look(6.0)
    assert w[phone.id].size[0] > 0.3
    look(3.2)
    assert w[phone.id].size[0] < 0.15
