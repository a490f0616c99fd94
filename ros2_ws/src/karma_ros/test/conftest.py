# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

DOMAIN = os.environ.get("KARMA_TEST_DOMAIN_ID", str(101 - os.getpid() % 100))


@pytest.fixture
def robot1(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nodes made here are in the namespace robot1."""
    rclpy = pytest.importorskip("rclpy", reason="needs ROS 2")
    monkeypatch.setenv("ROS_DOMAIN_ID", DOMAIN)
    if "ROS_AUTOMATIC_DISCOVERY_RANGE" not in os.environ:  # ./karma test has set it, with a profile to go with it
        monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init(args=["--ros-args", "-r", "__ns:=/robot1"])
    yield
    rclpy.shutdown()
