# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that end with the one that started them, whenever it is killed."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from process_table import runs

SCRIPT = """
import os, subprocess, sys, time
from karma.supervision.tied import tied, tied_environment
process = subprocess.Popen(tied(sys.argv[1:]), env=tied_environment(os.environ))
print(process.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def slow_setpriv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine so busy that the parent can die before the kernel has been asked for anything."""
    slow = tmp_path / "setpriv"
    slow.write_text(f'#!/bin/sh\nsleep 0.5\nexec {shutil.which("setpriv")} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")


def ends_with_its_parent(marker: Path, *, started: bool) -> None:
    command = ["/bin/sh", "-c", f"touch {marker}; exec sleep 600"]
    parent = subprocess.Popen([sys.executable, "-c", SCRIPT, *command], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    deadline = time.monotonic() + 60
    while started and not marker.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    while runs(pid):
        assert time.monotonic() < deadline, f"{pid} outlived its parent"
        time.sleep(0.01)


def test_a_process_ends_with_its_parent(tmp_path: Path) -> None:
    marker = tmp_path / "started"
    ends_with_its_parent(marker, started=True)


def test_a_process_whose_parent_died_at_once_does_not_start(tmp_path: Path, slow_setpriv: None) -> None:
    marker = tmp_path / "started"
    ends_with_its_parent(marker, started=False)
    assert not marker.exists()
