# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C on a graph, in a terminal: all that it started ends in the time that it has, and nobody says anything red."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from ctrl_c import ACTIVE, STARTING, after, commands, press, promised

pytestmark = [pytest.mark.ros, pytest.mark.slow]


@pytest.mark.parametrize("name", ["up", "together"])
@pytest.mark.parametrize("early", [False, True], ids=["active", "starting"])
def test_ctrl_c_ends_a_graph_cleanly(name: str, early: bool, tmp_path: Path, free_domain: int) -> None:
    """`./karma up` ends its nodes in turn, launch all at once: 50 of 50 with tests/ctrl_c.py, which this is two of."""
    ended = press(
        commands("FloorPlan1", tmp_path / "memory.sqlite3")[name],
        domain=free_domain,
        within=promised(name),
        folder=tmp_path,
        ready=after(STARTING, 1.0) if early else after(ACTIVE, 0.3),
    )
    assert ended.clean, f"{ended.status}, left: {ended.orphans}, red: {ended.red}, said:\n{ended.said}"


LAST_WORDS = """
import os, time
try:
    print("process started", flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    os.write(1, b"[INFO] all is well\\n" * 1000 + b"The following exception was never retrieved: no brakes\\n")
    os._exit(0)
"""


def test_what_is_said_last_is_heard(tmp_path: Path, free_domain: int) -> None:
    command = [sys.executable, "-c", LAST_WORDS]
    ended = press(command, domain=free_domain, within=60.0, folder=tmp_path, ready=after(STARTING, 0.0))
    assert (ended.status, ended.orphans) == (0, [])
    assert ended.red == ["The following exception was never retrieved: no brakes"]
