# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What Prometheus reads of a graph, and what a collector of logs reads: with nodes in the test's process."""

from __future__ import annotations

import io
import json
import time
import urllib.request
from collections.abc import Callable

import pytest

pytest.importorskip("rclpy")

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from prometheus_client.parser import text_string_to_metric_families

from karma.json_log import write_log
from karma.metrics import served
from karma_ros.client import GraphClient
from karma_ros.diagnostics_watch import DiagnosticsWatch

pytestmark = pytest.mark.ros


def eventually(done: Callable[[], bool]) -> None:
    until = time.monotonic() + 60.0
    while not done():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_diagnostics_are_gauges_on_this_machines_own_address(domain: int) -> None:
    def said(name: str, level: bytes = DiagnosticStatus.OK, **values: object) -> DiagnosticStatus:
        figures = [KeyValue(key=key.replace("_of_", " of "), value=str(value)) for key, value in values.items()]
        return DiagnosticStatus(name=name, level=level, message="m", values=figures)

    told = DiagnosticArray(
        status=[
            said("robot1/lifecycle_manager: memory_server", state="active"),
            said("robot1/lifecycle_manager: planner", DiagnosticStatus.WARN, state="inactive"),
            said("robot1/memory_server: memory", DiagnosticStatus.ERROR, events=7, Bytes_of_journal=1.5, policy="lru"),
            said("robot2/memory_server: memory", events=8),
        ]
    )
    with (
        GraphClient(name="graph", namespace="robot1", domain_id=domain) as graph,
        GraphClient(name="watch", namespace="robot1", domain_id=domain) as client,
    ):
        watch = DiagnosticsWatch(client)
        publisher = graph.node.create_publisher(DiagnosticArray, "/diagnostics", 10)

        def heard() -> bool:
            publisher.publish(told)
            return bool(watch.parts())

        eventually(heard)
        with served(watch, 0) as url:
            assert url.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(url) as answer:
                text = answer.read().decode()
    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples == {
        ("karma_node_active", "memory_server"): 1.0,
        ("karma_node_active", "planner"): 0.0,
        ("karma_node_level", "memory", "memory_server"): 2.0,
        ("karma_events", "memory_server"): 7.0,
        ("karma_bytes_of_journal", "memory_server"): 1.5,
    }


def test_what_nodes_log_is_a_line_of_json_each_whatever_is_in_it(domain: int) -> None:
    file = io.StringIO()
    with (
        GraphClient(name="talker", domain_id=domain) as talker,
        GraphClient(name="listener", domain_id=domain) as client,
    ):
        talker.node.get_logger().warning('no "mug"\nin the sink: \\ é')  # before anybody listens
        write_log(client, file)
        eventually(lambda: "mug" in file.getvalue())
    (line,) = [json.loads(line) for line in file.getvalue().splitlines() if "mug" in line]
    assert (line["level"], line["node"], line["message"]) == ("WARN", "talker", 'no "mug"\nin the sink: \\ é')
    assert abs(line["time"] - time.time()) < 300
