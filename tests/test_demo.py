# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration as a person runs it, and what it does when a node dies on stage."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[1]
KEYS = {
    *("instruction", "success", "code", "message", "skills", "explore_steps", "explore_steps_without_memory"),
    *("sim_time_s", "recalled", "seconds", "llm"),
}


def test_demo_survives_the_death_of_its_planner(tmp_path: Path, eventually: Callable[..., bool]) -> None:
    file, log = tmp_path / "out.json", tmp_path / "demo.log"
    command = [str(ROOT / "karma"), "demo", "--headless", "--json", str(file), "--out", str(tmp_path / "out")]
    with log.open("wb") as output:
        demo = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        assert eventually(lambda: "✓ Explore the home." in log.read_text(), 600), log.read_text()
        nodes = _descendants(demo.pid)
        (planner,) = [pid for pid, command in nodes.items() if "__node:=planner" in command]
        os.kill(planner, signal.SIGKILL)
        assert demo.wait(1200) == 0, log.read_text()
    finally:
        demo.kill()
        demo.wait()
    report = json.loads(file.read_text())
    assert all(set(instruction) == KEYS for instruction in report["instructions"])
    assert all(instruction["success"] for instruction in report["instructions"])
    assert all(instruction["seconds"] > 0 and instruction["llm"] == {} for instruction in report["instructions"])
    assert report["summary"]["explore_steps"] < report["summary"]["explore_steps_without_memory"]
    assert {picture.name for picture in (tmp_path / "out").glob("*.png")} == {
        *("scene_graph.png", "camera.png", "short_term_memory.png")
    }
    assert eventually(lambda: not _left(nodes)), _left(nodes)


def _command(pid: int) -> str:
    """Return the command line of a process; "" when it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _left(processes: dict[int, str]) -> dict[int, str]:
    """Return those that still run; another may have got the id of one that has ended."""
    return {pid: command for pid, command in processes.items() if command and _command(pid) == command}


def _descendants(ancestor: int) -> dict[int, str]:
    """Return the command lines of all processes below one, by process id."""
    parents, commands = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        try:
            parents[pid] = int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        commands[pid] = _command(pid)

    def below(pid: int) -> bool:
        return pid == ancestor or (pid in parents and below(parents[pid]))

    return {pid: command for pid, command in commands.items() if below(pid) and pid != ancestor}
