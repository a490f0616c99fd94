# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Two robots with one memory: what one has seen, the other need not look for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from karma.client import GraphClient
from karma.graph import GraphArguments
from karma.result_codes import code_name
from karma.supervision import RunningGraph, running_graph
from karma_interfaces.action import ExecuteInstruction

pytestmark = [pytest.mark.ros, pytest.mark.slow]

SCENE = "FloorPlan1"
START_S = 180.0


def instruct(graph: RunningGraph, text: str) -> Any:
    with GraphClient(name="karma_test", namespace=graph.namespace, domain_id=graph.domain_id) as client:
        goal = ExecuteInstruction.Goal(instruction=text)
        result = client.run_action(ExecuteInstruction, "execute_instruction", goal, connect_timeout=60.0)
    assert code_name(result.result) == "SUCCESS", result.result.message
    return result


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
