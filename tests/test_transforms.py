# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Perception finds the camera by the transforms of its own robot, in a namespace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("tf2_msgs.msg", reason="needs tf2_msgs: ./karma test builds what is used of it")

from karma.graph import GraphArguments
from karma.supervision import running_graph
from karma_interfaces.msg import Result
from karma_interfaces.srv import GetSceneGraph
from karma_ros.client import GraphClient

pytestmark = [pytest.mark.ros, pytest.mark.slow]

START_TIMEOUT_S = 180.0


def test_a_robot_in_a_namespace_maps_by_its_own_transforms(tmp_path: Path, eventually: Callable[..., bool]) -> None:
    arguments = GraphArguments(
        scene="FloorPlan1",
        namespace="robot1",
        database=str(tmp_path / "memory.sqlite3"),
        parameters=("perception.pose_source=transforms", "sim_bridge.image_width=160", "sim_bridge.image_height=120"),
    )
    with (
        running_graph(arguments, log_folder=tmp_path / "log") as graph,
        GraphClient(name="karma_test", namespace="robot1", domain_id=graph.domain_id) as client,
    ):
        graph.wait_active(START_TIMEOUT_S)

        def objects() -> int:
            answer = client.call(GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request(), timeout=30.0)
            return len(answer.graph.nodes) if answer.result.code == Result.SUCCESS else 0

        assert eventually(objects)
        for topic in ("tf", "tf_static"):
            (publisher,) = client.node.get_publishers_info_by_topic(f"/robot1/{topic}")
            (subscription,) = client.node.get_subscriptions_info_by_topic(f"/robot1/{topic}")
            assert (publisher.node_name, subscription.node_name) == ("sim_bridge", "perception")
            assert not client.node.get_publishers_info_by_topic(f"/{topic}")
