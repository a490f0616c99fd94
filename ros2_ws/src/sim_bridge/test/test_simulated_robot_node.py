# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the simulated robot tells while it stands and drives, as a process of its own."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

rclpy = pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("nav2_msgs.action", reason="needs the interfaces of Nav2")
pytest.importorskip("control_msgs.action", reason="needs control_msgs")
pytest.importorskip("procthor", reason="needs the recorded rooms")

from nav2_msgs.action import NavigateToPose  # noqa: E402
from nav2_msgs.msg import SpeedLimit  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402

pytestmark = pytest.mark.ros

DOMAIN = int(os.environ.get("KARMA_TEST_DOMAIN_ID", 101 - os.getpid() % 100))
PATIENCE = 60.0
LIMIT = 0.3


@pytest.fixture
def driving() -> Iterator[tuple[SingleThreadedExecutor, object]]:
    command = [sys.executable, "-m", "sim_bridge.simulated_robot_node", "--ros-args"]
    command += ["-p", "scene:=FloorPlan1", "-p", "publish_images:=false", "-p", "idle_rate:=0.001"]
    environment = {**os.environ, "ROS_DOMAIN_ID": str(DOMAIN), "PYTHONPATH": os.pathsep.join(sys.path)}
    context = Context()
    rclpy.init(context=context, args=[], domain_id=DOMAIN)
    node = rclpy.create_node("tester", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    with subprocess.Popen(command, env=environment) as process:
        try:
            yield executor, node
        finally:
            process.terminate()
            process.wait(PATIENCE)
            executor.shutdown()
            node.destroy_node()
            rclpy.shutdown(context=context)


def test_a_base_that_stands_still_tells_where_however_seldom_a_picture_is_made(
    driving: tuple[SingleThreadedExecutor, object],
) -> None:
    executor, node = driving
    told: dict[tuple[int, int], tuple[float, float]] = {}

    def note(odometry: Odometry) -> None:
        stamp, at = odometry.header.stamp, odometry.pose.pose.position
        told[stamp.sec, stamp.nanosec] = at.x, at.y

    node.create_subscription(Odometry, "odom", note, 100)
    until = time.monotonic() + PATIENCE
    while len(told) < 3 and time.monotonic() < until:
        executor.spin_once(timeout_sec=0.2)
    assert len(told) >= 3
    assert len(set(told.values())) == 1


def test_odometry_goes_on_smoothly_at_the_speed_that_was_told(driving: tuple[SingleThreadedExecutor, object]) -> None:
    executor, node = driving
    told: list[tuple[float, float, float]] = []

    def note(odometry: Odometry) -> None:
        stamp, at = odometry.header.stamp, odometry.pose.pose.position
        told.append((stamp.sec + 1e-9 * stamp.nanosec, at.x, at.y))

    node.create_subscription(Odometry, "odom", note, 100)
    limit = node.create_publisher(SpeedLimit, "speed_limit", 10)
    client = ActionClient(node, NavigateToPose, "navigate_to_pose")
    assert client.wait_for_server(PATIENCE)
    until = time.monotonic() + PATIENCE
    while not (told and limit.get_subscription_count()) and time.monotonic() < until:
        executor.spin_once(timeout_sec=0.2)
    limit.publish(SpeedLimit(speed_limit=LIMIT))
    for _ in range(10):
        executor.spin_once(timeout_sec=0.1)
    started, (_, x, y) = len(told), told[-1]
    goal = NavigateToPose.Goal()
    goal.pose.header.frame_id = "map"
    goal.pose.pose.position.x, goal.pose.pose.position.y = x, y - 1.5
    goal.pose.pose.orientation.w = 1.0
    sent = client.send_goal_async(goal)
    executor.spin_until_future_complete(sent, PATIENCE)
    assert sent.result().accepted
    ended = sent.result().get_result_async()
    executor.spin_until_future_complete(ended, PATIENCE)
    assert ended.result().result.error_code == 0, ended.result().result.error_msg
    way = told[started:]
    driven = [(b[0] - a[0], math.dist(a[1:], b[1:])) for a, b in pairwise(way)]
    assert sum(step for _, step in driven) > 1.0
    # On a busy machine much time may pass between two messages; then it may have come far.
    assert all(step < max(0.15, 1.2 * LIMIT * passed) for passed, step in driven), "it hops from cell to cell"
    for k, (then, *was) in enumerate(way):
        for now, *at in way[k + 1 :]:
            if now - then >= 1.0:
                assert math.dist(was, at) / (now - then) <= 1.2 * LIMIT
                break
