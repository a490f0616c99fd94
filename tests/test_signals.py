# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every node ends by itself at a signal, whenever that comes: no traceback, status 0."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from std_srvs.srv import Trigger

from karma_ros.client import GraphClient

pytestmark = [pytest.mark.ros, pytest.mark.slow]

NODES = {
    "memory_server": ("karma_memory.memory_node", "database:={folder}/{namespace}.sqlite3"),
    "sim_bridge": ("sim_bridge.bridge_node", "scene:=FloorPlan1"),
    "perception": ("karma_perception.perception_node", "refresh_period:=1.0"),
    "planner": ("planner_node.planner_node", "llm:=offline"),
    "lifecycle_manager": ("karma.lifecycle_manager_node", "node_names:=[nobody]"),
}
SIGNALS = {"interrupted": (signal.SIGINT, 0.0), "terminated": (signal.SIGTERM, 0.3)}
"""Namespace → the signal, and the seconds that it comes after configuring was asked for."""
END_S = 60.0


@pytest.mark.parametrize("name", NODES)
def test_a_signal_while_a_node_is_being_configured_ends_it_cleanly(
    name: str, tmp_path: Path, free_domain: int, eventually: Callable[..., bool]
) -> None:
    module, parameter = NODES[name]
    processes = {}
    for namespace in SIGNALS:
        ros = ["--ros-args", "-r", f"__ns:=/{namespace}", "-p", parameter.format(folder=tmp_path, namespace=namespace)]
        processes[namespace] = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", module, *ros],
            env={**os.environ, "ROS_DOMAIN_ID": str(free_domain)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    try:
        for namespace, (number, after) in SIGNALS.items():
            with GraphClient(name="karma_test", namespace=namespace, domain_id=free_domain) as client:
                if name == "lifecycle_manager":  # it has no life cycle itself
                    service = client.node.create_client(Trigger, f"{name}/is_active")
                    assert eventually(service.service_is_ready)
                else:
                    service = client.node.create_client(ChangeState, f"{name}/change_state")
                    assert eventually(service.service_is_ready)
                    configure = Transition(id=Transition.TRANSITION_CONFIGURE)
                    service.call_async(ChangeState.Request(transition=configure))
                time.sleep(after)
                processes[namespace].send_signal(number)
                said, _ = processes[namespace].communicate(timeout=END_S)
                assert processes[namespace].returncode == 0, said
                assert "Traceback" not in said, said
    finally:
        for process in processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGABRT)  # it says where it hangs
                print(process.communicate()[0])
