# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a robot stands for a thing, where it puts one down, what it knows of perception's map, and frames."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from sim_bridge.backend import Pose2D, SeenObject, Target
from sim_bridge.robot.approach import across, holding_point, nearest_point, resting_place, stands
from sim_bridge.robot.perceived import Layer, Node, Perceived
from sim_bridge.robot.table import Drive
from sim_bridge.robot.transforms import TransformTree

DRIVE = Drive.model_validate(
    {"navigate": {"action": "a", "type": "nav2_msgs/action/NavigateToPose"}, "stand_off": 0.6, "reach": 1.2}
)
COUNTER = SeenObject("CounterTop|1", "CounterTop", (0.0, 0.0, 0.45), (4.0, 0.6, 0.9), movable=False)
APPLE = SeenObject("Apple|1", "Apple", (1.0, 0.1, 0.95), (0.1, 0.1, 0.1), movable=True, receptacle=COUNTER.id)


def perceived(*nodes: Node) -> Perceived:
    made = Perceived()
    made.apply(stamp=1.0, sequence=1, full=True, nodes=nodes, removed=())
    return made


def area(name: str, x: float, y: float) -> Node:
    return Node(SeenObject(name, "Area", (x, y, 0.0), (0.0, 0.0, 0.0), movable=False), Layer.AREA)


def test_it_stands_before_the_furniture_on_the_side_with_floor_and_faces_the_thing() -> None:
    here = perceived(Node(COUNTER), Node(APPLE), area("area_1", 1.0, -1.0), area("area_2", -1.0, -1.0))
    places = stands(APPLE, Pose2D(-1.0, -1.0, 0.0), here, DRIVE)
    first = places[0]
    assert first.y <= -0.3 - DRIVE.radius + 1e-9, "south of the counter, where floor was seen"
    assert across(APPLE, first.x, first.y) <= DRIVE.reach - 0.2 + 1e-9
    assert first.yaw == pytest.approx(math.atan2(0.1 - first.y, 1.0 - first.x))
    assert len(places) <= DRIVE.tries
    apart = [math.dist((a.x, a.y), (b.x, b.y)) for a in places for b in places if a is not b]
    assert min(apart) >= 0.5


def test_where_the_robot_stands_well_already_comes_first() -> None:
    here = perceived(Node(APPLE))
    assert (stands(APPLE, Pose2D(1.0, -0.8, 2.0), here, DRIVE)[0].x, -0.8) == (1.0, -0.8)


def test_what_is_held_comes_to_rest_free_and_in_reach() -> None:
    held = SeenObject("Mug|1", "Mug", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1), movable=True)
    in_the_middle = Node(SeenObject("Pan|1", "Pan", (0.0, 0.0, 1.0), (0.5, 0.5, 0.1), movable=True))
    x, y, z = resting_place(held, Node(COUNTER), [in_the_middle], Pose2D(0.0, -0.8, 0.0), 1.2)
    assert z == pytest.approx(0.9), "its top"
    assert max(abs(x) - 0.25 - 0.05, abs(y) - 0.25 - 0.05) >= 0.0, "not on the pan"
    assert math.dist((x, y), (0.0, -0.8)) <= 1.2
    drawer = Node(COUNTER, support_heights=(0.3,))
    assert resting_place(held, drawer, [], Pose2D(0.0, -0.8, 0.0), 1.2)[2] == 0.3


def test_what_is_put_into_a_fridge_does_not_come_to_rest_at_its_ceiling() -> None:
    held = SeenObject("Mug|1", "Mug", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1), movable=True)
    fridge = SeenObject(
        "Fridge|1", "Fridge", (0.0, 0.0, 1.0), (0.7, 0.7, 2.0), movable=False, states={"isOpen": "true"}
    )
    heights = (0.01, 0.8, 1.3, 1.99)
    assert resting_place(held, Node(fridge, support_heights=heights), [], Pose2D(0.0, -0.8, 0.0), 1.2)[2] == 1.3
    table = replace(fridge, states={})
    assert resting_place(held, Node(table, support_heights=heights), [], Pose2D(0.0, -0.8, 0.0), 1.2)[2] == 1.99


def test_distances_to_boxes() -> None:
    assert across(COUNTER, 0.0, -1.3) == pytest.approx(1.0)
    assert across(COUNTER, 0.5, 0.1) == 0.0
    assert nearest_point(COUNTER, 3.0, -1.0) == pytest.approx((2.0, -0.3, 0.45))


def test_a_target_is_found_by_id_then_near_its_position_then_near_the_robot() -> None:
    far = SeenObject("Apple|2", "Apple", (-3.0, 0.0, 0.9), (0.1, 0.1, 0.1), movable=True)
    here = perceived(Node(APPLE, last_seen=5.0), Node(far, last_seen=9.0))

    def found(target: Target, since: float = 0.0) -> str:
        node = here.find(target, (0.0, 0.0), since)
        return node.id if node is not None else ""

    assert found(Target("Apple|2")) == "Apple|2"
    assert found(Target(category="apple")) == "Apple|1"
    assert found(Target(category="Apple", position=(-2.5, 0.0, 0.9))) == "Apple|2"
    assert found(Target(category="Apple", position=(9.0, 9.0, 0.9))) == ""
    assert found(Target("Apple|1"), since=6.0) == "", "not seen lately"
    assert found(Target("kitchen/Apple|77")) == "Apple|1", "another id for one of its kind"


def test_a_missed_change_is_noticed_and_everything_asked_for_puts_it_right() -> None:
    here = Perceived()
    change = {"stamp": 1.0, "nodes": (), "removed": ()}
    assert not here.apply(sequence=3, full=False, **change)  # type: ignore[arg-type]
    assert here.apply(stamp=3.0, sequence=3, full=True, nodes=[Node(APPLE)], removed=())
    assert here.apply(stamp=4.0, sequence=4, full=False, nodes=[Node(COUNTER)], removed=[APPLE.id])
    assert [node.id for node in here] == [COUNTER.id]
    assert here.apply(sequence=4, full=False, **change), "heard before"  # type: ignore[arg-type]
    assert not here.apply(sequence=6, full=False, **change)  # type: ignore[arg-type]
    assert here.stamp == 4.0


def test_transforms_are_chained_and_get_old() -> None:
    now = [10.0]
    tree = TransformTree(lambda: now[0])
    ahead, turned = np.eye(4), np.eye(4)
    ahead[0, 3] = 1.0
    turned[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]
    tree.put("map", "odom", turned, underway=0.5)
    now[0] = 11.0
    tree.put("/odom", "base", ahead)
    tree.put("base", "camera", ahead, fixed=True, underway=9e9)
    now[0] = 12.0
    found = tree.between("map", "camera")
    assert found is not None
    assert found[0][:3, 3].tolist() == pytest.approx([0.0, 2.0, 0.0])
    steps = [(step.value, step.age, step.underway) for step in found[1]]
    assert steps == [("camera", 0.0, None), ("base", 1.0, None), ("odom", 2.0, 0.5)]
    assert tree.between("map", "hand") is None
    assert tree.between("camera", "map") is None, "only up the tree"
    tree.put("camera", "map", np.eye(4))
    assert tree.between("elsewhere", "camera") is None, "a loop ends"


def test_a_hand_takes_hold_off_the_ends_of_the_near_side() -> None:
    drawer = SeenObject("Drawer|1", "Drawer", (0.0, 0.0, 0.8), (0.4, 0.5, 0.1), movable=False)
    assert holding_point(drawer, 2.0, 1.0) == pytest.approx((0.2, 0.05, 0.8)), "0.2 m off where the next one begins"
    assert holding_point(drawer, 0.1, -2.0) == pytest.approx((0.0, -0.25, 0.8)), "the side is not so wide"
    assert holding_point(COUNTER, 3.0, -2.5) == pytest.approx((1.8, -0.3, 0.45)), "long ones where they are near"
    assert holding_point(APPLE, 1.0, -1.0) == pytest.approx((1.0, 0.05, 0.95))


def test_who_waits_for_perceptions_map_is_woken_by_a_change() -> None:
    here = perceived(Node(APPLE))
    changes, telling = (
        here.changes,
        threading.Timer(0.05, lambda: here.apply(stamp=2.0, sequence=2, full=False, nodes=[], removed=())),
    )
    began = time.monotonic()
    telling.start()
    here.wait(changes, 30.0)
    assert time.monotonic() - began < 20.0
    assert (here.changes, here.stamp) == (changes + 1, 2.0)
    here.wait(changes, 30.0)  # it came already
    assert time.monotonic() - began < 20.0
