# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.md, typed as it is written. The model of the last step is a stand-in that speaks OpenAI's protocol."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest
from command_lines import ROOT

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")
pytest.importorskip("nav2_msgs", reason="./karma test builds what is used of it")

from ollama_server import MODEL, OllamaServer
from up_command import START_S, Up

pytestmark = [pytest.mark.ros, pytest.mark.slow]

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
HOME, RECORDING, ROBOT, AGENT = (
    [re.sub("^ {4}", "", block, flags=re.MULTILINE) for block in re.findall(r"(?:^ {4}\S.*\n)+", step, re.MULTILINE)]
    for step in PAGE.split("\n## ")[1:]
)
"""Blocks of code, step by step."""
BLOCK_S = 400.0


@pytest.fixture
def checkout(tmp_path: Path, free_domain: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a reader stands."""
    for name in ("karma", "examples", "ros2_ws"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain))
    return tmp_path


Running = Callable[[str], AbstractContextManager[None]]


@pytest.fixture
def running(checkout: Path, free_domain: int, eventually: Callable[..., bool]) -> Running:
    """Run what the page starts in one terminal, until Ctrl-C."""
    return contextmanager(partial(_running, checkout, free_domain, eventually))


def _running(checkout: Path, domain: int, eventually: Callable[..., bool], line: str) -> Iterator[None]:
    graph = Up(checkout, domain, line.split())
    try:
        assert eventually(graph.ready, START_S), graph.log.read_text()
        yield
    finally:
        graph.interrupt()


def entered(block: str, checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-e", "-c", block], cwd=checkout, capture_output=True, text=True, timeout=BLOCK_S, check=False
    )


def typed(block: str, checkout: Path) -> None:
    """Type a block in the other terminal, and compare what is printed with what the page says."""
    done = entered(block, checkout)
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    said = [re.escape(line[2:]).replace("…", ".*") for line in block.splitlines() if line.startswith("# ")]
    assert re.search("(?s:.*)".join(said), done.stdout), f"{block}\n{done.stdout}"


def test_the_tutorial_goes_as_it_says(checkout: Path, running: Running, eventually: Callable[..., bool]) -> None:
    home, orders, again = HOME
    with running(home):
        typed(orders, checkout)
    with running(home):
        typed(again, checkout)
        [record] = RECORDING
        typed(record, checkout)
    assert (checkout / "tutorial_map" / "scene_graph.png").stat().st_size
    assert json.loads((checkout / "tutorial_map" / "scene_graph.json").read_text(encoding="utf-8"))["nodes"]
    robot, use, own = ROBOT
    tools, agent = AGENT
    typed(tools, checkout)
    model = OllamaServer(json.dumps({"name": "where_is", "arguments": {"thing": "fridge"}}), "In the kitchen.")
    with running(robot), model.running():
        typed(use, checkout)
        # On a busy machine a picture can come later than the table allows: doctor says so, and a reader asks again.
        assert eventually(lambda: entered(own, checkout).returncode == 0, BLOCK_S), typed(own, checkout)
        typed(agent.replace("qwen2.5:7b", f"{MODEL} --url {model.host}/v1"), checkout)
