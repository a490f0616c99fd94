# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What planner/state tells of real instructions, to those who subscribed before them and to those who come later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from home_graph import NODES, PATIENCE_S, Home
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import InstanceLabels, PlannerState, Result

pytestmark = [pytest.mark.ros, pytest.mark.slow]

QOS = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture
def home(tmp_path: Path, free_domain: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain))
    home = Home(tmp_path, free_domain)
    try:
        for name in NODES:
            home.start(name, *(("frame_rate:=2.0",) if name == "sim_bridge" else ()))
        yield home
    finally:
        home.close()


def listen(home: Home) -> tuple[list[PlannerState], Any]:
    heard: list[PlannerState] = []
    return heard, home.client.node.create_subscription(PlannerState, "planner/state", heard.append, QOS)


def skills(calls: list[Any]) -> tuple[str, ...]:
    return tuple(call.skill for call in calls)


def test_an_instruction_is_followed_from_its_beginning_to_its_end(
    home: Home, eventually: Callable[[Callable[[], object]], bool]
) -> None:
    assert home.do("find the fridge")[0] == "SUCCESS"
    heard, subscription = listen(home)
    assert eventually(lambda: heard), "nobody told a newcomer what is"
    assert heard[0].instruction[0].instruction == "find the fridge"
    assert heard[0].instruction[0].ended
    # Where somebody reads the camera, a skill takes as long as its views: longer than between two states.
    camera = home.client.node.create_subscription(InstanceLabels, "camera/instance_labels", lambda _: None, 1)
    home.trigger("pause")
    ordered = home.order("put the mug in the fridge", user="ann")
    assert eventually(lambda: heard[-1].instruction and heard[-1].instruction[0].waits)
    state = heard[-1]
    waiting = state.instruction[0]
    assert state.paused
    assert waiting.user == "ann"
    assert waiting.stage == ExecuteInstruction.Feedback.PLAN
    assert len(waiting.goals) == 1
    assert waiting.goal == 0
    assert waiting.plan
    assert not any((waiting.done, waiting.current, waiting.ended))
    planned = skills(waiting.plan)
    assert planned[-3:] == ("OpenObject", "PutObject", "CloseObject")
    home.order("find the toaster")
    assert eventually(lambda: list(heard[-1].waiting) == ["find the toaster"])
    home.trigger("resume")
    result = ordered.result(PATIENCE_S)
    assert eventually(lambda: heard[-1].instruction[0].instruction == "find the toaster")
    assert eventually(lambda: heard[-1].instruction[0].ended)

    told = [message.instruction[0] for message in heard if message.instruction[0].id == waiting.id]
    ended = told[-1]
    assert ended.ended
    assert ended.result.code == result.result.code == Result.SUCCESS
    assert list(ended.goals) == list(result.goals)
    assert ended.goal == 1
    assert skills([done.call for done in ended.done]) == skills([done.call for done in result.skills])
    did = iter(skills([done.call for done in ended.done]))
    assert all(skill in did for skill in planned), planned  # in this order, with what finding it took in between
    assert not any(done.seen for done in ended.done)
    assert not any((ended.plan, ended.current))
    assert [one.ended for one in told] == sorted(one.ended for one in told)
    acting = [one for one in told if one.current]
    assert acting
    for one in acting:
        before, after = len(one.done), len(one.plan)
        assert one.current[0].skill == ended.done[before].call.skill
        assert after < len(ended.done) - before

    late, other = listen(home)
    assert eventually(lambda: late and late[-1] == heard[-1])

    for one in (subscription, other, camera):
        home.client.node.destroy_subscription(one)
    assert home.do("find the sink")[0] == "SUCCESS"  # nobody hears
    latest, _ = listen(home)
    assert eventually(lambda: latest)
    assert latest[0].instruction[0].instruction == "find the sink"
    assert latest[0].instruction[0].ended
