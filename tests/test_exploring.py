# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The running graph explores a kitchen frontier by frontier, and knows what the simulator's own exploring shows."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import SceneNode, SkillCall
from karma_interfaces.srv import GetFrontiers, GetSceneGraph
from karma_ros.result_codes import code_name

pytestmark = [pytest.mark.ros, pytest.mark.slow]


def known(client: Any) -> dict[int, set[str]]:
    """Return the ids that perception knows, by layer."""
    nodes = client.call(GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request()).graph.nodes
    return {layer: {n.id for n in nodes if n.layer == layer} for layer in (SceneNode.AREA, SceneNode.OBJECT)}


def explore_by_frontiers(client: Any) -> Any:
    value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value="frontiers")
    request = SetParameters.Request(parameters=[Parameter(name="exploring", value=value)])
    assert client.call(SetParameters, "planner/set_parameters", request).results[0].successful
    goal = ExecuteInstruction.Goal(instruction="Explore the home.", ignore_memory=True)
    return client.run_action(ExecuteInstruction, "execute_instruction", goal, timeout=300.0)


def test_a_kitchen_is_explored_frontier_by_frontier(client, eventually) -> None:
    assert eventually(
        lambda: client.call(GetFrontiers, "scene_graph/get_frontiers", GetFrontiers.Request()).frontiers
    )  # of the first picture
    nearest = client.call(GetFrontiers, "scene_graph/get_frontiers", GetFrontiers.Request(limit=1))
    assert code_name(nearest.result) == "SUCCESS"
    assert (len(nearest.frontiers), nearest.header.frame_id, nearest.scene) == (1, "map", "FloorPlan1")
    elsewhere = client.call(GetFrontiers, "scene_graph/get_frontiers", GetFrontiers.Request(scene="home1"))
    assert code_name(elsewhere.result) == "NOT_FOUND"

    report = explore_by_frontiers(client)
    assert code_name(report.result) == "SUCCESS", report.result.message
    looks = [outcome.call for outcome in report.skills if outcome.call.skill == "Explore"]
    assert 1 <= len(looks) <= 12
    assert all(len(call.positions) == 1 for call in looks)
    left = client.call(GetFrontiers, "scene_graph/get_frontiers", GetFrontiers.Request()).frontiers
    assert len(left) <= 2  # none, or what can't be seen better
    explored = known(client)

    goal = ExecuteSkill.Goal(call=SkillCall(skill="Explore"))
    client.run_action(ExecuteSkill, "execute_skill", goal, timeout=300.0)
    assert eventually(
        lambda: not client.call(GetFrontiers, "scene_graph/get_frontiers", GetFrontiers.Request()).waiting
    )
    everything = known(client)
    for layer in everything:
        share = len(explored[layer] & everything[layer]) / len(everything[layer])
        assert share >= 0.9, f"layer {layer}: {sorted(everything[layer] - explored[layer])} were not found"
