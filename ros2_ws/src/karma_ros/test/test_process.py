# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The process of a node ends as it should, and says by its status how."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

NOTED = """
import os, signal
from karma_ros.process import noted_signals
signals = noted_signals()
print(list(signals))
for number in (signal.SIGTERM, signal.SIGINT):
    os.kill(os.getpid(), number)
print([signal.Signals(number).name for number in signals])
"""

RUNNING = """
import ctypes, os, signal, sys, threading, time
from karma_ros import watchdog
from karma_ros.lifecycle import ManagedNode
from karma_ros.process import LONGEST_WAIT_S, StartError, run

class Runner(ManagedNode):
    def __init__(self):
        super().__init__("runner", ())
        if what == "start": raise StartError("no legs")
        self.answered = threading.Event()
        self.timer = self.create_timer(0.01, self.begin)
    def begin(self):
        if what == "defect": self.defect = True
        elif what == "hang": ctypes.PyDLL(None).sleep(600)  # no other thread has its turn
        elif what == "exception": raise ZeroDivisionError("no ground")
        elif self.active: os.kill(os.getpid(), getattr(signal, what, signal.SIGINT))
        else: self.trigger_configure(); self.trigger_activate()
    def configure(self):
        if what == "slow": ctypes.PyDLL(None).sleep(6)
    def deactivate(self):
        if what in ("halt", "rest") and self.timer.is_canceled(): return
        if what in ("halt", "rest"):
            self.timer.cancel()  # nothing else happens, so that nobody looks
            time.sleep(0.5)
            if what == "halt": raise ZeroDivisionError("no brakes")
            self.rested = time.monotonic()
        if what.startswith("SIG") and not self.answered.is_set():
            # Comes while the node comes to rest, where there is a thread for it.
            timer = self.create_timer(0.01, self.answered.set, callback_group=self.housekeeping)
            print("told" if threads == 1 or self.answered.wait(60) else "silent")
            self.destroy_timer(timer)
    def close(self):
        super().close()
        if what == "rest": print("late" if time.monotonic() - self.rested > LONGEST_WAIT_S / 2 else "in time")

what, threads = sys.argv[1], int(sys.argv[2])
watchdog.HANGS_S = 3.0 if what in ("hang", "slow") else 60.0
sys.exit(run(Runner, threads=threads))
"""


def test_a_node_is_told_of_signals_and_goes_on() -> None:
    done = subprocess.run([sys.executable, "-c", NOTED], capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout.splitlines(), done.stderr) == (["[]", "['SIGTERM', 'SIGINT']"], "")


@pytest.mark.ros
@pytest.mark.parametrize(
    ("what", "threads", "status", "said"),
    [
        (signal.SIGINT.name, 1, 0, ""),
        (signal.SIGTERM.name, 4, 0, ""),
        ("defect", 1, 1, ""),
        ("exception", 4, 1, "no ground"),
        ("hang", 1, 1, "in begin"),
        ("slow", 1, 0, ""),
        ("hang", 4, 1, "in begin"),
        ("halt", 1, 1, "no brakes"),
        ("halt", 4, 1, "no brakes"),
        ("rest", 1, 0, ""),
        ("rest", 4, 0, ""),
        ("start", 1, 2, "can't start: no legs"),
    ],
)
def test_a_node_ends_with_a_status_that_says_why(what: str, threads: int, status: int, said: str, robot1: None) -> None:
    command = [sys.executable, "-c", RUNNING, what, str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert "never retrieved" not in done.stderr
    if not status:
        assert ("told" in done.stdout) is what.startswith("SIG")
        assert "Traceback" not in done.stderr
    assert ("in time" in done.stdout) is (what == "rest")  # without the wait that is for noticing defects
