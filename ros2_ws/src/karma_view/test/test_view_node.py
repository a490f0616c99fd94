# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The page as a node of the graph."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("rclpy")

from karma_ros.domain import claim_domain

pytestmark = pytest.mark.ros

TOLD_TO_END = """
import signal, sys, threading
from karma_view import view_node
def end():
    sys.stdin.readline()
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
threading.Thread(target=end, daemon=True).start()
sys.argv += ["--ros-args", "-p", "port:=0"]
view_node.main()
"""


def test_it_ends_at_a_signal_whichever_of_its_threads_gets_it() -> None:
    with claim_domain(None) as domain:
        node = subprocess.Popen(
            [sys.executable, "-c", TOLD_TO_END],
            env=os.environ | {"ROS_DOMAIN_ID": str(domain)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert node.stdout is not None
            assert node.stdout.readline().startswith("view: http://127.0.0.1:")
            node.communicate("\n", timeout=60)
            assert node.returncode == 0
        finally:
            node.kill()
            node.wait()
