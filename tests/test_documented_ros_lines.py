# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The `ros2` lines of the pages, executed as they are written, from where a reader stands who follows the page.

With ros2cli and launch on the PATH these do it, in a graph of their own; elsewhere `stand_ins/ros2`, which finds what
the arguments name as they do.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_lines import BLOCK, PAGES, ROOT

STAND_INS = Path(__file__).resolve().parent / "stand_ins"
REAL = shutil.which("ros2") is not None
INLINE = re.compile(r"`(ros2 (?:launch|run) [^`]+)`")
MENTIONED = re.compile(r"ros2 run tf2_tools |ros2 run sim_bridge simulated_robot$")
"""Not KARMA's own, and a node that is spoken of."""
SHELL = "./karma shell"
NODES, ALONE = 5, 2
"""Of a graph, at least; of a memory alone."""
STUCK_S = 120.0
"""Seconds after which a launch that does not end is killed."""


@dataclass(frozen=True)
class Line:
    """A line that a page tells people to type, after those that it told them before."""

    page: str
    before: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.page}: {self.text}"


def lines() -> Iterator[Line]:
    for page in PAGES:
        before: list[str] = []
        end = 0
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for found in BLOCK.finditer(text):
            if text[end : found.start()].strip():
                before = []  # another block: a reader begins in the checkout
            end = found.end()
            typed = re.sub(r"\s+# .*", "", found[1])
            if typed.startswith("ros2 "):
                yield Line(page.name, tuple(before), typed)
            before.append(typed)
        for typed in INLINE.findall(text):
            if not MENTIONED.match(typed):
                yield Line(page.name, (SHELL,), typed)


LINES = list(lines())
LAUNCHES = [
    line for line in LINES if line.text.startswith("ros2 launch ") and not re.search(r"=/(home/ann|data)/", line.text)
]
"""Without those with a reader's own files."""


@dataclass(frozen=True)
class Standing:
    """Where a reader stands, and in which environment."""

    folder: Path
    environment: Mapping[str, str]


@pytest.fixture(scope="module")
def in_shell(tmp_path_factory: pytest.TempPathFactory) -> Standing:
    """What `./karma shell` leads to, from the checkout."""
    told = tmp_path_factory.mktemp("shell") / "told.json"
    program = told.with_name("sh")
    program.write_text(
        f"#!{sys.executable}\nimport json, os\njson.dump([os.getcwd(), dict(os.environ)], open({str(told)!r}, 'w'))\n"
    )
    program.chmod(0o755)
    environment = os.environ | {"SHELL": str(program), "KARMA_ROOT": str(ROOT)}
    subprocess.run([sys.executable, "-m", "karma.command", "shell"], cwd=ROOT, env=environment, check=True)
    folder, variables = json.loads(told.read_text())
    return Standing(Path(folder), variables)


def follow(line: Line, in_shell: Standing) -> Standing:
    """Where one stands who has typed what comes before a line."""
    sourced = {"AMENT_PREFIX_PATH": "", "PYTHONPATH": ""}
    at = Standing(ROOT, os.environ | sourced)
    for typed in line.before:
        if typed == SHELL:
            at = in_shell
        elif typed.startswith("cd "):
            at = Standing(at.folder / typed[3:], at.environment)
        elif "./karma " in typed:
            assert (at.folder / "karma").is_file(), f"{line.page}: {typed!r}, but one stands in {at.folder}"
    return at


@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.skipif(REAL, reason="done with the real ros2")
def test_a_line_of_a_page_finds_what_it_names(line: Line, in_shell: Standing, tmp_path: Path) -> None:
    at = follow(line, in_shell)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ros2").symlink_to(STAND_INS / "ros2")
    path = os.pathsep.join([str(tmp_path / "bin"), str(Path(sys.executable).parent), at.environment["PATH"]])
    done = subprocess.run(
        ["bash", "-c", line.text], cwd=at.folder, env={**at.environment, "PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, f"in {at.folder}: {done.stdout}{done.stderr}"


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.skipif(not REAL, reason="needs ros2cli and launch, which the wheels have not")
@pytest.mark.parametrize("line", LAUNCHES, ids=str)
def test_a_launch_of_a_page_starts_its_nodes(line: Line, in_shell: Standing, free_domain: int, tmp_path: Path) -> None:
    at = follow(line, in_shell)
    environment = {**at.environment, "ROS_DOMAIN_ID": str(free_domain), "HOME": str(tmp_path)}
    process = subprocess.Popen(
        ["bash", "-c", f"exec {line.text}"],
        cwd=at.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    nodes = ALONE if "only:=memory" in line.text else NODES
    stuck = threading.Timer(STUCK_S, os.killpg, (process.pid, signal.SIGKILL))
    stuck.start()
    output = ""
    try:
        for printed in process.stdout:
            output += printed
            if "process started with pid" in printed and output.count("process started with pid") == nodes:
                process.send_signal(signal.SIGINT)
    finally:
        stuck.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    started = output.count("process started with pid")
    assert started >= nodes or "--show-args" in line.text, output
    assert "malformed" not in output


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.skipif(not REAL, reason="needs ros2cli, which the wheels have not")
@pytest.mark.parametrize("line", [line for line in LINES if re.match(r"ros2 (service|action) ", line.text)], ids=str)
def test_a_call_of_a_page_is_answered(line: Line, in_shell: Standing, graph) -> None:
    at = follow(line, in_shell)
    environment = {**at.environment, "ROS_DOMAIN_ID": str(graph.domain_id)}
    command = ["timeout", "120", "bash", "-c", line.text]
    done = subprocess.run(command, cwd=at.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^(response:|Result:)", done.stdout, re.MULTILINE), done.stdout
    assert done.stdout.count("\n") < 1000
