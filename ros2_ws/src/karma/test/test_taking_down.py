# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes that are there and don't answer have one deadline together when they are taken down."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("rclpy")

import rclpy
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node

from karma.lifecycle_manager_node import STATE_TIMEOUT_S, LifecycleManager
from karma_ros.domain import claim_domain

pytestmark = pytest.mark.ros

DEAF = [f"deaf{number}" for number in range(8)]
DEADLINE_S = 1.0


@pytest.fixture
def manager() -> Iterator[LifecycleManager]:
    """A manager of eight nodes whose services are there, and which nobody spins."""
    with claim_domain(None) as domain:
        names = f"node_names:=[{', '.join(DEAF)}]"
        rclpy.init(args=["--ros-args", "-p", names, "-p", f"take_down_timeout:={DEADLINE_S}"], domain_id=domain)
        nodes = [Node(name, use_global_arguments=False) for name in DEAF]
        for node in nodes:
            node.create_service(GetState, f"{node.get_name()}/get_state", lambda request, response: response)
            node.create_service(ChangeState, f"{node.get_name()}/change_state", lambda request, response: response)
        manager = LifecycleManager()
        executor = MultiThreadedExecutor()
        executor.add_node(manager)
        thread = threading.Thread(target=executor.spin)
        thread.start()
        yield manager
        executor.shutdown()
        thread.join()
        for node in (manager, *nodes):
            node.destroy_node()
        rclpy.try_shutdown()


def test_nodes_that_do_not_answer_have_one_deadline_for_all(manager: LifecycleManager) -> None:
    clients = [client for pair in manager._lifecycle_clients.values() for client in pair]
    assert all(client.wait_for_service(60.0) for client in clients)
    began = time.monotonic()
    manager.run(lambda: True)
    taken = time.monotonic() - began
    assert taken < DEADLINE_S + 2 * STATE_TIMEOUT_S < len(DEAF) * STATE_TIMEOUT_S
