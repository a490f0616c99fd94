# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was wrong is done otherwise, and the next time it is right at once, in the running graph."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from home_graph import PATIENCE_S, Home

from karma_interfaces.srv import Feedback
from karma_ros.result_codes import code_name

pytestmark = [pytest.mark.ros, pytest.mark.slow]

TEXT = "turn on the lamp"


def test_a_mistake_is_not_made_again(tmp_path: Path, free_domain: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain))
    home = Home(tmp_path, free_domain, scene="FloorPlan218")
    try:
        for name in ("memory_server", "sim_bridge", "planner"):
            home.start(name)

        def do(retry_of: str = "") -> tuple[str, str]:
            """Carry it out; return its id and what was switched on last, or gone to: both lamps are on already."""
            result = home.order(TEXT, retry_of=retry_of).result(PATIENCE_S)
            assert code_name(result.result) == "SUCCESS", result.result
            return result.instruction_id, result.goals[0] + " " + result.skills[-1].call.target.category

        def say(about: str, verdict: int) -> None:
            request = Feedback.Request(instruction_id=about, verdict=verdict)
            assert code_name(home.client.call(Feedback, "feedback", request, timeout=PATIENCE_S).result) == "SUCCESS"

        first, lamp = do()
        assert lamp.endswith("DeskLamp")
        say(first, Feedback.Request.WRONG)
        second, lamp = do(retry_of=first)
        assert lamp.endswith("FloorLamp")
        say(second, Feedback.Request.RIGHT)
        home.stop("memory_server", signal.SIGKILL)
        home.stop("planner")
        for name in ("memory_server", "planner"):
            home.start(name)
        home.order("go to the sofa").result(PATIENCE_S)  # "the lamp" is not the one that was spoken of last any more
        result = home.order(TEXT).result(PATIENCE_S)
        assert '"lamp" means FloorLamp' in result.result.message
        assert [r.guideline[0].category for r in result.recalled if r.kind == "guideline"] == ["FloorLamp"]
    finally:
        home.close()
