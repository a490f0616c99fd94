# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot's base, camera and hand, which know places and no ids."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sim_bridge.backend import Code, Located, Pose2D, Skill, Target, execute
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.recorded import RecordingsMissingError, recording
from sim_bridge.household.visibility import CAMERA_HEIGHT
from sim_bridge.robot.approach import across, holding_point
from sim_bridge.robot.table import find_table, read_table
from sim_bridge.simulated_robot import hand
from sim_bridge.simulated_robot.base import (
    GOAL_OCCUPIED,
    GOAL_OUTSIDE_MAP,
    GOAL_TOLERANCE,
    NoWayError,
    between,
    drive,
    point_head,
)

APPLE, BOWL, FRIDGE = "Apple|-00.47|+01.15|+00.48", "Bowl|+00.27|+01.10|-00.75", "Fridge|-02.10|+00.00|+01.07"


@pytest.fixture
def home() -> HouseholdBackend:
    try:
        recording("FloorPlan1")
    except RecordingsMissingError as error:
        pytest.skip(str(error))
    return HouseholdBackend("FloorPlan1")


def stand_before(home: HouseholdBackend, name: str) -> None:
    done = execute(home, Skill("GoToObject", Target(name, position=home.world.boxes[name].center)))
    assert done.code is Code.SUCCESS, done.message


def test_the_base_drives_to_a_pose_or_says_why_not(home: HouseholdBackend) -> None:
    goal = Pose2D(1.1, -0.9, 1.0)
    for _ in drive(home, goal, lambda: 0.5):
        pass
    at = home.robot.pose
    assert math.dist((at.x, at.y), (goal.x, goal.y)) <= GOAL_TOLERANCE
    assert at.yaw == pytest.approx(1.0)
    fridge = home.world.boxes[FRIDGE].center
    for x, y, code in ((*fridge[:2], GOAL_OCCUPIED), (500.0, 0.0, GOAL_OUTSIDE_MAP)):
        with pytest.raises(NoWayError) as raised:
            drive(home, Pose2D(x, y, 0.0), lambda: 0.5)
        assert raised.value.code == code


def test_a_slower_limit_takes_longer(home: HouseholdBackend) -> None:
    start, times = home.robot.pose, []
    for speed in (1.0, 0.25):
        for goal in (Pose2D(1.0, -1.0, 0.0), start):
            began = home.robot.clock
            for _ in drive(home, goal, lambda limit=speed: limit):
                pass
        times.append(home.robot.clock - began)
    assert times[1] > 1.5 * times[0]


def test_a_limit_that_is_told_on_the_way_holds_from_the_next_stretch_on(home: HouseholdBackend) -> None:
    limits = iter([4.0, 0.25])
    limit, took, clock = 4.0, [], home.robot.clock
    for _ in drive(home, Pose2D(1.0, -1.0, 0.0), lambda: next(limits, 0.25)):
        took.append(home.robot.clock - clock)
        clock = home.robot.clock
    assert took[0] < limit * 0.1
    assert max(took[1:]) >= 1.0, "a cell of 0.25 m at 0.25 m/s"


def test_on_its_way_the_robot_and_its_camera_go_from_the_one_place_to_the_other(home: HouseholdBackend) -> None:
    was = home.locate()
    for _ in drive(home, Pose2D(1.0, -1.0, 2.5), lambda: 0.5):
        pass
    now = home.locate()
    for part, there in ((0.0, was), (1.0, now)):
        at = between(was, now, part)
        assert math.dist((at.robot.x, at.robot.y), (there.robot.x, there.robot.y)) < 1e-9
        assert at.robot.yaw == pytest.approx(there.robot.yaw)
        assert at.camera_pose == pytest.approx(there.camera_pose, abs=1e-9)
    half = between(was, now, 0.5)
    assert (half.robot.x, half.robot.y) == pytest.approx(
        ((was.robot.x + now.robot.x) / 2, (was.robot.y + now.robot.y) / 2)
    )
    assert half.robot.yaw == pytest.approx(1.25, abs=1e-6)
    assert half.camera_pose[:2, 3] == pytest.approx((half.robot.x, half.robot.y))


def test_the_dock_of_its_table_is_free_and_can_be_reached() -> None:
    home1 = HouseholdBackend("home1")
    x, y, _ = read_table(find_table("simulated")).places["dock"]
    for goal in (Pose2D(1.0, 0.0, 0.0), Pose2D(x, y, 0.0)):
        for _ in drive(home1, goal, lambda: 4.0):
            pass
    assert math.dist(home1.robot.position, (x, y)) < 0.2


def test_a_turn_goes_the_shorter_way() -> None:
    camera = np.eye(4)
    was, now = Located(Pose2D(0.0, 0.0, 3.0), camera), Located(Pose2D(0.0, 0.0, -3.0), camera)
    assert abs(between(was, now, 0.5).robot.yaw) == pytest.approx(math.pi)


def test_the_camera_is_raised_to_what_is_high_and_lowered_to_drive(home: HouseholdBackend) -> None:
    x, y = home.robot.position
    point_head(home, (x + 1.0, y, CAMERA_HEIGHT))
    assert home.robot.eye[2] > CAMERA_HEIGHT, "the top of a counter of that height is seen from above"
    assert home.robot.pitch < math.radians(-10.0)
    point_head(home, (x + 1.0, y, 1.9))
    assert home.robot.eye[2] == pytest.approx(1.9)
    assert home.robot.pitch == pytest.approx(0.0)
    point_head(home, (x + 1.0, y, 0.1))
    assert home.robot.eye[2] == pytest.approx(CAMERA_HEIGHT)
    assert home.robot.pitch == pytest.approx(-math.pi / 4)
    point_head(home, (x + 1.0, y, 1.8))
    drive(home, home.robot.pose, lambda: 0.5)
    assert home.robot.eye[2] == pytest.approx(CAMERA_HEIGHT)


def test_the_hand_takes_what_is_where_it_closes_and_nothing_elsewhere(home: HouseholdBackend) -> None:
    stand_before(home, APPLE)
    x, y, z = home.world.boxes[APPLE].center
    assert hand.grasp(home, (x, y, z + 0.5)).code is Code.NOT_FOUND
    assert not home.world.held
    assert hand.reaches(home, (x, y, z))
    assert not hand.reaches(home, (x + 5.0, y, z))
    assert hand.grasp(home, (x + 0.05, y, z)).code is Code.SUCCESS
    assert home.world.held == APPLE


def test_what_is_let_go_falls_into_what_is_below(home: HouseholdBackend) -> None:
    stand_before(home, APPLE)
    hand.grasp(home, home.world.boxes[APPLE].center)
    stand_before(home, BOWL)
    x, y, z = home.world.boxes[BOWL].center
    assert hand.release(home, (x, y, z + 3.0)).code is Code.PRECONDITION_FAILURE
    assert home.world.held == APPLE
    assert hand.release(home, (x, y, z + 0.1)).code is Code.SUCCESS
    assert home.world.parents[APPLE] == BOWL, "and not the counter below it"


@pytest.mark.parametrize("off", [-0.03, 0.03])
def test_what_is_put_onto_a_thin_counter_by_a_height_that_is_a_little_off_stays_there(
    home: HouseholdBackend, off: float
) -> None:
    stand_before(home, APPLE)
    counter = home.world.parents[APPLE]
    hand.grasp(home, home.world.boxes[APPLE].center)
    box = home.world.boxes[counter]
    assert box.size[2] < 0.03
    assert hand.release(home, (*box.center[:2], box.center[2] + off)).code is Code.SUCCESS
    assert home.world.parents[APPLE] == counter


def test_handles_are_pulled_once(home: HouseholdBackend) -> None:
    stand_before(home, FRIDGE)
    at = home.world.boxes[FRIDGE].center
    assert hand.pull(home, at, True).code is Code.SUCCESS
    assert hand.pull(home, at, True).code is Code.PRECONDITION_FAILURE
    assert hand.pull(home, at, False).code is Code.SUCCESS
    assert hand.press(home, at, True).code is Code.NOT_FOUND, "a fridge has no switch"


def test_of_drawers_side_by_side_and_one_above_the_other_the_one_that_is_meant_is_pulled(
    home: HouseholdBackend,
) -> None:
    """Wherever the robot stands within reach, and with boxes that are seen a little off."""
    for off in (-0.02, 0.02):
        seen = [replace(o, center=(o.center[0] + off, o.center[1] + off, o.center[2])) for o in home.ground_truth()]
        drawers = [o for o in seen if o.category == "Drawer"]
        assert len(drawers) > 5
        for drawer in drawers:
            for x, y, _ in home.grid.points.tolist():
                if across(drawer, x, y) <= 1.4:
                    assert hand.met(home, holding_point(drawer, x, y, seen), "openable") == drawer.id, (x, y)


def test_what_can_break_is_struck_and_what_is_held_is_thrown(home: HouseholdBackend) -> None:
    stand_before(home, BOWL)
    assert hand.throw(home).code is Code.PRECONDITION_FAILURE, "nothing is held"
    assert hand.strike(home, home.world.boxes[BOWL].center).code is Code.SUCCESS
    stand_before(home, APPLE)
    assert hand.strike(home, home.world.boxes[APPLE].center).code is Code.NOT_FOUND, "an apple does not break"
    hand.grasp(home, home.world.boxes[APPLE].center)
    assert hand.throw(home).code is Code.SUCCESS
    assert not home.world.held
