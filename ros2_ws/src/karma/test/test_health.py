# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""./karma health, with a graph's diagnostics from a thread of the test's process."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")

from click.testing import CliRunner, Result
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rich.console import Console
from std_srvs.srv import Trigger

from karma.command import health
from karma_ros.client import GraphClient
from karma_ros.diagnostics_watch import DiagnosticsWatch
from karma_ros.domain import claim_domain

pytestmark = pytest.mark.ros
FULL = "no room for /home/it.sqlite3; free some space and try again"


class Graph:
    """A manager that says that all is active, and a memory server that says what it is told to."""

    def __init__(self, domain: int) -> None:
        self.client = GraphClient(name="lifecycle_manager", domain_id=domain)
        self.level, self.message, self.active = DiagnosticStatus.OK, "7 events", True
        self._publisher = self.client.node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self.client.node.create_service(Trigger, "lifecycle_manager/is_active", self._answer)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._tell)
        self._thread.start()

    def _answer(self, _: Any, response: Any) -> Any:
        response.success = self.active
        response.message = "all nodes are active" if self.active else "memory_server is not configured"
        return response

    def _tell(self) -> None:
        while not self._closed.wait(0.05):
            figures = [KeyValue(key="events", value="7"), KeyValue(key="free_bytes", value="2500000")]
            memory = DiagnosticStatus(
                name="memory_server: memory", level=self.level, message=self.message, values=figures
            )
            states = [KeyValue(key="state", value="active")]
            manager = DiagnosticStatus(name="lifecycle_manager: memory_server", message="active", values=states)
            self._publisher.publish(DiagnosticArray(status=[manager, memory]))

    def close(self) -> None:
        self._closed.set()
        self._thread.join()
        self.client.close()


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    with claim_domain(None) as domain:
        monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
        made = Graph(domain)
        yield made
        made.close()


def asked() -> Result:
    return CliRunner().invoke(health.command, [], standalone_mode=False)


def said(level: bytes, graph: Graph, message: str) -> Result:
    graph.level, graph.message = level, message
    return asked()


def test_what_is_wrong_is_told_with_what_to_do_and_an_error_is_the_status(graph: Graph) -> None:
    well = said(DiagnosticStatus.OK, graph, "7 events")
    assert (well.return_value, well.output) == (0, "all nodes are active\n")
    warned = said(DiagnosticStatus.WARN, graph, "only 2 MB are free")
    assert (warned.return_value, warned.stderr) == (0, "warning: memory_server: only 2 MB are free\n")
    wrong = said(DiagnosticStatus.ERROR, graph, FULL)
    assert (wrong.return_value, wrong.stderr) == (1, f"error: memory_server: {FULL}\n")
    graph.active = False
    assert "memory_server is not configured" in str(asked().exception)


def test_one_screen_shows_nodes_what_is_wrong_and_figures(graph: Graph) -> None:
    def shown() -> str:
        console = Console(file=io.StringIO(), width=120)
        console.print(health.screen(watch))
        return str(console.file.getvalue())  # type: ignore[attr-defined]

    watch = DiagnosticsWatch(graph.client)
    assert "is the graph running?" in shown()
    graph.level, graph.message = DiagnosticStatus.ERROR, FULL
    eventually(lambda: FULL in shown())
    lines = [" ".join(line.split("│")).split() for line in shown().splitlines()]
    assert ["memory_server", "active", *FULL.split()] in lines
    assert ["free", "on", "its", "disk", "2.5", "MB"] in lines
    assert ["last", "instruction", "none", "yet"] in lines or ["last", "instruction", "–"] in lines


def eventually(done: Callable[[], bool]) -> None:
    until = time.monotonic() + 60.0
    while not done():
        assert time.monotonic() < until
        time.sleep(0.05)
