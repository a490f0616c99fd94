# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the clients do with a goal; test_planner_node.py has them at work."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("karma_interfaces.action", reason="needs karma_interfaces to be built")

from action_msgs.msg import GoalStatus
from rclpy.task import Future

from karma_interfaces.action import ExecuteSkill
from planner_node.ros_clients import RosRobot, _Heard
from planner_node.skills import SkillCall


class Counting(Future):
    """Counts who waits for it."""

    callbacks = 0

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self.callbacks += 1
        super().add_done_callback(callback)


def test_a_long_skill_is_waited_for_by_one_callback() -> None:
    result, looks = Counting(), 0

    def cancelled() -> bool:
        nonlocal looks
        looks += 1
        if looks == 5:
            status = GoalStatus.STATUS_SUCCEEDED
            result.set_result(SimpleNamespace(status=status, result=ExecuteSkill.Result()))
        return False

    robot = RosRobot.__new__(RosRobot)
    robot._skill_timeout = 60.0
    robot._follow(SkillCall("Explore"), SimpleNamespace(get_result_async=lambda: result), _Heard(), cancelled)
    assert (looks, result.callbacks) == (5, 1)
