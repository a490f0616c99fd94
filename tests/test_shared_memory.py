# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Two robots with one memory: what one has seen, the other need not look for."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from karma.graph import GraphArguments
from karma.supervision import RunningGraph, running_graph
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import SceneNode
from karma_interfaces.srv import GetSceneGraph
from karma_ros.client import GraphClient
from karma_ros.result_codes import code_name

pytestmark = [pytest.mark.ros, pytest.mark.slow]

SCENE = "FloorPlan1"
START_S = 180.0
SETTLE_S = 60.0
NEAR_M = 0.6
"""Two areas that are less apart are one; it is where the robot that reported last says."""


def instruct(graph: RunningGraph, text: str) -> Any:
    with GraphClient(name="karma_test", namespace=graph.namespace, domain_id=graph.domain_id) as client:
        goal = ExecuteInstruction.Goal(instruction=text)
        result = client.run_action(ExecuteInstruction, "execute_instruction", goal, connect_timeout=60.0)
    assert code_name(result.result) == "SUCCESS", result.result.message
    return result


def areas(graph: RunningGraph, service: str) -> list[Any]:
    """Return the area nodes of a scene graph."""
    with GraphClient(name="karma_test", namespace=graph.namespace, domain_id=graph.domain_id) as client:
        response = client.call(GetSceneGraph, service, GetSceneGraph.Request(), timeout=60.0)
    return [node for node in response.graph.nodes if node.layer == SceneNode.AREA]


def lacking(first: RunningGraph, second: RunningGraph) -> list[tuple[str, str]]:
    """Return the areas of both robots where the memory, which is the first one's, has none."""
    known = [area.pose.position for area in areas(first, "memory/get_scene_graph")]
    return [
        (robot.namespace, area.id)
        for robot in (first, second)
        for area in areas(robot, "scene_graph/get_full")
        if not any(math.hypot(area.pose.position.x - at.x, area.pose.position.y - at.y) < NEAR_M for at in known)
    ]


def test_what_one_robot_has_seen_another_need_not_look_for(tmp_path: Path) -> None:
    first = GraphArguments(scene=SCENE, namespace="robot1", robots="robot2", database=str(tmp_path / "memory.sqlite3"))
    second = GraphArguments(scene=SCENE, namespace="robot2", memory="robot1")
    with running_graph(first, log_folder=tmp_path / "robot1") as one:
        one.wait_active(START_S)
        with running_graph(second, log_folder=tmp_path / "robot2", domain_id=one.domain_id) as two:
            two.wait_active(START_S)
            assert set(two.names) == {"sim_bridge", "perception", "planner", "lifecycle_manager"}
            assert instruct(one, "explore the home").explore_steps > 0
            fetched = instruct(two, "put the potato in the microwave")
            assert fetched.explore_steps == 0
            assert any("potato" in recollection.text.lower() for recollection in fetched.recalled)
            # Each numbers the areas as it finds them: those of one must not take the place of the other's.
            deadline = time.monotonic() + SETTLE_S
            while (left := lacking(one, two)) and time.monotonic() < deadline:
                time.sleep(1.0)
            assert not left
