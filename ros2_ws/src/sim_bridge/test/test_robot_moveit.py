# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the table for an arm by MoveIt has MoveIt do: where the hand comes, which way it points, what failures mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from robot_fakes import APPLE, DRIVE, TABLE, TABLE_TOP, FakeInterfaces, answer

from sim_bridge.backend import Code, Outcome, Skill, Target, execute
from sim_bridge.robot.backend import RobotBackend
from sim_bridge.robot.table import Table, find_table, read_table

SPHERE = 2
"""shape_msgs/SolidPrimitive's."""
GRASP, PUT = Skill("PickupObject", Target(APPLE.id)), Skill("PutObject", receptacle=Target(TABLE_TOP.id))
Goal = Mapping[str, Any]


class Arm:
    """The bundled table on a robot that stands at the table with the apple; MoveIt does what it is asked for."""

    def __init__(self) -> None:
        data = yaml.safe_load(find_table("moveit_arm").read_text(encoding="utf-8"))
        navigate = {**data["drive"]["navigate"], "timeout": 0.6}
        data["drive"] |= {"navigate": navigate, "settle": DRIVE["settle"], "reach": 1.2}
        apart = {"pose": TABLE["pose"], "emergency_stop": [], "battery": None, "camera": None, "speed": 20.0}
        self.ros = FakeInterfaces()
        self.ros.looks = lambda: self.ros.see(APPLE, TABLE_TOP)
        self.ros.answers["move_action"] = lambda _: answer(**{"error_code.val": 1})
        self.ros.answers["gripper_controller/gripper_cmd"] = lambda _: answer(stalled=True)
        self.backend = RobotBackend(
            Table.model_validate({**data, **apart}), self.ros, scene="home", tell=lambda text: None
        )
        assert self.do(Skill("GoToObject", Target(APPLE.id))).code is Code.SUCCESS

    def do(self, skill: Skill) -> Outcome:
        self.ros.sent.clear()
        return execute(self.backend, skill)

    @property
    def sent(self) -> list[tuple[str, Goal]]:
        return [(name, request) for name, request in self.ros.sent if name != "navigate_to_pose"]

    @property
    def goals(self) -> list[Goal]:
        """What was asked of MoveIt: the constraints of each goal."""
        return [request["request"]["goal_constraints"][0] for name, request in self.sent if name == "move_action"]


def hand(goal: Goal) -> tuple[float, ...]:
    """Return where a goal brings the hand, in its own axes when it is level: the region's middle less the offset."""
    (constraint,) = goal["position_constraints"]
    (pose,), (shape,) = (
        constraint["constraint_region"]["primitive_poses"],
        constraint["constraint_region"]["primitives"],
    )
    assert (shape["type"], constraint["header"]["frame_id"]) == (SPHERE, "map")
    offset = constraint.get("target_point_offset", {})
    return tuple(round(pose["position"][axis] - offset.get(axis, 0.0), 3) for axis in "xyz")


def test_a_thing_is_taken_by_its_middle_from_in_front_and_lifted() -> None:
    arm = Arm()
    done = arm.do(GRASP)
    assert done.code is Code.SUCCESS, done.message
    assert [name for name, _ in arm.sent] == [
        *("gripper_controller/gripper_cmd", "move_action", "move_action"),
        *("gripper_controller/gripper_cmd", "move_action"),
    ]
    x, y, z = APPLE.center  # the robot stands west of it, so that the hand's axes are the map's
    assert [hand(goal) for goal in arm.goals] == [(x - 0.12, y, z), (x, y, z), (x, y, z + 0.1)]
    for goal in arm.goals:
        (level,) = goal["orientation_constraints"]
        assert level["header"] == {"frame_id": "base_link"}, "the way that the base looks, which faces the thing"
        assert math.hypot(*(level["orientation"].get(part, 0.0) for part in "xyzw")) == pytest.approx(1.0)
        assert all(level[f"absolute_{axis}_axis_tolerance"] > 0 for axis in "xyz"), "MoveIt takes 0 for exactly so"
        assert level["link_name"] == goal["position_constraints"][0]["link_name"]


def test_what_is_held_by_its_middle_is_put_down_on_its_bottom() -> None:
    arm = Arm()
    arm.do(GRASP)
    done = arm.do(PUT)
    assert done.code is Code.SUCCESS, done.message
    above, down, back = map(hand, arm.goals)
    top = TABLE_TOP.center[2] + TABLE_TOP.size[2] / 2
    assert down[2] == pytest.approx(top + APPLE.size[2] / 2), "half its height above the table"
    assert above == pytest.approx((*down[:2], down[2] + 0.1))
    assert back == pytest.approx((down[0] - 0.12, *down[1:]))
    assert [name for name, _ in arm.sent].index("gripper_controller/gripper_cmd") == 2, "opened when it stands"


def test_the_arm_is_stowed_before_the_base_moves() -> None:
    arm = Arm()
    arm.do(Skill("Navigate", Target(position=(-1.0, 0.0, 0.0))))
    (first, request), *_ = arm.ros.sent
    assert first == "move_action"
    (constraints,) = request["request"]["goal_constraints"]
    assert constraints.keys() == {"joint_constraints"}


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (-1, Code.PRECONDITION_FAILURE),
        (-31, Code.PRECONDITION_FAILURE),
        (-12, Code.PRECONDITION_FAILURE),
        (-4, Code.EXECUTION_FAILURE),
        (-21, Code.UNAVAILABLE),
        (99999, Code.EXECUTION_FAILURE),
    ],
)
def test_moveits_codes_are_read(code: int, meaning: Code) -> None:
    arm = Arm()
    arm.ros.answers["move_action"] = lambda _: answer(**{"error_code.val": code, "error_code.message": "no way"})
    done = arm.do(GRASP)
    assert (done.code, "no way" in done.message) == (meaning, True), done
    assert len(arm.goals) == 1, "and nothing more is tried"


@pytest.mark.parametrize(
    ("name", "package"), [("moveit_arm", "moveit_msgs"), ("turtlebot4", "irobot_create_msgs"), ("spot", "spot_msgs")]
)
def test_a_table_fits_the_messages_where_they_are_installed(name: str, package: str) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed here")
    from sim_bridge.robot.ros_types import check_types

    check_types(read_table(find_table(name)))
