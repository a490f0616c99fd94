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
def dead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """On a machine so busy that the parent dies before the kernel has been asked for anything: once this file is there.

    Where it is not told in time, the kernel is asked all the same.
    """
    slow, dead = tmp_path / "setpriv", tmp_path / "dead"
    wait = f"n=0; while [ ! -e {dead} ] && [ $n -lt 3000 ]; do sleep 0.02; n=$((n + 1)); done"
    slow.write_text(f'#!/bin/sh\n{wait}\nexec {shutil.which("setpriv")} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return dead


def ends_with_its_parent(marker: Path, dead: Path | None = None) -> None:
    command = ["/bin/sh", "-c", f"touch {marker}; exec sleep 600"]
    parent = subprocess.Popen([sys.executable, "-c", SCRIPT, *command], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    deadline = time.monotonic() + 60
    while dead is None and not marker.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    if dead is not None:
        dead.touch()
    while runs(pid):
        assert time.monotonic() < deadline, f"{pid} outlived its parent"
        time.sleep(0.01)


def test_a_process_ends_with_its_parent(tmp_path: Path) -> None:
    marker = tmp_path / "started"
    ends_with_its_parent(marker)


def test_a_process_whose_parent_died_at_once_does_not_start(tmp_path: Path, dead: Path) -> None:
    marker = tmp_path / "started"
    ends_with_its_parent(marker, dead)
    assert not marker.exists()
