# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The same graph on AI2-THOR: its real client, and a stand-in for Unity."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")
pytest.importorskip("ai2thor.controller", reason="./karma test installs it")

from unity_stand_in import EXECUTABLE

from karma.graph import GraphArguments
from karma.supervision import running_graph
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result
from karma_interfaces.srv import GetMemoryStats, GetSceneGraph, MoveObject
from karma_ros.client import GraphClient

pytestmark = [pytest.mark.ros, pytest.mark.slow]

START_S = 180.0
PATIENCE_S = 600.0


def test_what_was_seen_on_the_way_is_remembered_and_what_a_person_moved_is_found_again(tmp_path: Path) -> None:
    arguments = GraphArguments(
        backend="ai2thor", scene="FloorPlan1", build=str(EXECUTABLE), database=str(tmp_path / "memory.sqlite3")
    )
    with running_graph(arguments, log_folder=tmp_path / "log") as graph:
        graph.wait_active(START_S)
        with GraphClient(name="karma_test", domain_id=graph.domain_id) as client:

            def told(instruction: str) -> ExecuteInstruction.Result:
                goal = ExecuteInstruction.Goal(instruction=instruction)
                result = client.run_action(ExecuteInstruction, "execute_instruction", goal, timeout=PATIENCE_S)
                assert result.result.code == Result.SUCCESS, result.result.message
                return result

            def truth(category: str) -> tuple[str, str]:
                nodes = client.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request()).graph.nodes
                categories = {node.id: node.category for node in nodes}
                (node,) = (node for node in nodes if node.category == category)
                return node.relation, categories.get(node.receptacle, "")

            assert told("Explore the home.").explore_steps > 0
            assert told("Put the apple in the bowl.").explore_steps == 0
            assert truth("Apple") == ("in", "Bowl")
            assert client.call(GetMemoryStats, "memory/stats", GetMemoryStats.Request()).stats.objects > 10
            moved = client.call(
                MoveObject, "sim/move_object", MoveObject.Request(object="Apple", receptacle="SinkBasin")
            )
            assert moved.result.code == Result.SUCCESS, moved.result.message
            told("Bring me the apple.")
            assert truth("Apple") == ("held", "")
