# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Running graphs for tests that cross packages."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(Path(__file__).resolve().parent))
START_TIMEOUT_S = 180.0


@pytest.fixture(scope="session", autouse=True)
def _environment() -> None:
    """What ./karma sets, for a pytest that was started by hand."""
    pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")
    os.environ.setdefault("KARMA_ROOT", str(ROOT))
    from karma.environment import prepare_environment

    prepare_environment()


@pytest.fixture
def eventually() -> Callable[..., bool]:
    """Wait for a condition, long enough for any machine."""

    def wait(condition: Callable[[], object], seconds: float = 60.0) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if condition():
                return True
            time.sleep(0.1)
        return bool(condition())

    return wait


@pytest.fixture
def free_domain() -> Iterator[int]:
    """A domain that nobody uses now, and that a graph can claim; its last port is held, so that no other test takes it.

    `./karma test` runs tests side by side.
    """
    from karma_ros.domain import MOST_PARTICIPANTS, claim_domain, discovery_port

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        with claim_domain(None) as domain:
            held.bind(("127.0.0.1", discovery_port(domain, MOST_PARTICIPANTS - 1)))
        yield domain


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """The whole graph in a kitchen, active, with an empty memory, in a domain of its own."""
    from karma.graph import GraphArguments
    from karma.supervision import running_graph

    folder = tmp_path_factory.mktemp("graph")
    arguments = GraphArguments(scene="FloorPlan1", database=str(folder / "memory.sqlite3"))
    with running_graph(arguments, log_folder=folder / "log") as running:
        running.wait_active(START_TIMEOUT_S)
        yield running


@pytest.fixture
def client(graph) -> Iterator[object]:
    """A client of the running graph."""
    from karma_ros.client import GraphClient

    with GraphClient(name="karma_test", domain_id=graph.domain_id) as connected:
        yield connected
