# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What nobody can read as a parameter is refused, and the node goes on."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

import rclpy
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.executors import SingleThreadedExecutor

from karma_ros.lifecycle import ManagedNode
from karma_ros.parameters import Parameter as Declared

pytestmark = pytest.mark.ros


def test_values_of_no_type_are_refused_by_a_node_that_goes_on(robot1: None) -> None:
    node = ManagedNode("speaker", [Declared("volume", 0.5, "How loud.")])
    asking = rclpy.create_node("asking")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    executor.add_node(asking)

    def answer(kind: Any, name: str, *messages: Parameter) -> Any:
        client = asking.create_client(kind, f"speaker/{name}")
        assert client.wait_for_service(60.0)
        future = client.call_async(kind.Request(parameters=messages))
        executor.spin_until_future_complete(future, 60.0)
        return future.result()

    nothing = Parameter(name="volume", value=ParameterValue(type=99))
    loud = Parameter(name="volume", value=ParameterValue(type=3, double_value=0.75))
    first, second = answer(SetParameters, "set_parameters", nothing, loud).results
    assert (first.successful, second.successful) == (False, True)
    assert "99" in first.reason
    assert node.value("volume") == 0.75
    assert not answer(SetParametersAtomically, "set_parameters_atomically", nothing).result.successful
    executor.shutdown()
    asking.destroy_node()
    node.close()
    node.destroy_node()
