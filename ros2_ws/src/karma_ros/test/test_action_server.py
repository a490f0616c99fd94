# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A goal's id that is used again ends no action server."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

import rclpy
from rclpy.executors import SingleThreadedExecutor

from karma_interfaces.action import ExecuteSkill
from karma_ros.action_server import SafeActionServer

pytestmark = pytest.mark.ros


def test_an_id_that_is_not_wholly_forgotten_is_refused_and_the_server_goes_on(robot1: None) -> None:
    node, asking = rclpy.create_node("serving"), rclpy.create_node("asking")

    def execute(handle: Any) -> Any:
        handle.succeed()
        return ExecuteSkill.Result()

    server = SafeActionServer(node, ExecuteSkill, "act", execute, result_timeout=3600)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    executor.add_node(asking)
    kind = ExecuteSkill.Impl.SendGoalService
    client = asking.create_client(kind, "act/_action/send_goal")
    assert client.wait_for_service(60.0)

    def accepted(first: int) -> bool:
        goal = kind.Request()
        goal.goal_id.uuid[0] = first
        future = client.call_async(goal)
        executor.spin_until_future_complete(future, 60.0)
        return bool(future.result().accepted)

    assert accepted(0)
    ended = server._result_futures[bytes(16)]
    executor.spin_until_future_complete(ended, 60.0)
    [goal] = server._goal_handles.values()
    goal.destroy()  # rcl knows it no more; what Python keeps of it goes later
    assert not accepted(0)
    assert accepted(1)
    server.destroy()
    executor.shutdown()
    for one in (node, asking):
        one.destroy_node()
