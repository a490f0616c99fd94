# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction refers to that was said or done before it, in the running graph with a real memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from home_graph import NODES, Home

pytestmark = [pytest.mark.ros, pytest.mark.slow]


@pytest.fixture
def home(tmp_path: Path, free_domain: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain))
    home = Home(tmp_path, free_domain)
    try:
        for name in NODES:
            home.start(name, *(("publish_images:=false", "frame_rate:=0.0") if name == "sim_bridge" else ()))
        yield home
    finally:
        home.close()


def place(home: Home, category: str) -> str:
    """Return the id of what a thing is on or in."""
    return str(home.truth(category).receptacle)


def is_open(home: Home, category: str) -> bool:
    return {state.key: state.value for state in home.truth(category).states}["isOpen"] == "true"


def succeeds(home: Home, text: str) -> str:
    code, message, _ = home.do(text)
    assert code == "SUCCESS", (text, message)
    return message


def test_it_there_and_undo_mean_what_was_done_before(home: Home) -> None:
    stood = place(home, "Mug")
    succeeds(home, "put the mug in the fridge")
    fridge = place(home, "Mug")
    assert fridge.split("|")[0] == "Fridge"
    succeeds(home, "put the tomato there, too")
    assert place(home, "Tomato") == fridge
    succeeds(home, "put the mug in the fridge")
    succeeds(home, "Actually, put it in the sink.")
    assert place(home, "Mug").split("|")[0] == "Sink"
    assert place(home, "Tomato") == fridge
    succeeds(home, "undo that")
    assert place(home, "Mug") == fridge != stood

    succeeds(home, "open the microwave")
    assert is_open(home, "Microwave")
    succeeds(home, "Undo.")
    assert not is_open(home, "Microwave")

    succeeds(home, "slice the bread")
    code, message, skills = home.do("undo that")
    assert (code, skills) == ("PRECONDITION_FAILURE", [])
    assert "what is sliced stays sliced" in message
