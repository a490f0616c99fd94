# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma stop` with a bridge and a planner, in threads of the test's process, that end goals in several ways."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")

import rclpy
from click.testing import CliRunner, Result
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.signals import SignalHandlerOptions

import karma_ros.client
from karma import stopping
from karma.command import stop
from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import Result as ResultMsg
from karma_interfaces.msg import SkillCall, SkillOutcome
from karma_ros.client import GraphClient

pytestmark = pytest.mark.ros
PATIENCE_S = 60.0


class Double:
    """An action whose goals go on until they are cancelled and `ends`, and then end as their words say."""

    def __init__(self, domain: int, name: str) -> None:
        self.domain = domain
        self.name = name
        self.ends = threading.Event()
        self.ends.set()
        self.cancelled = threading.Event()
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node(name, context=self._context)
        self._action = ActionServer(
            self._node,
            ExecuteSkill if name == "execute_skill" else ExecuteInstruction,
            name,
            self._execute,
            cancel_callback=self._cancel,
            callback_group=ReentrantCallbackGroup(),
        )
        self._closed = threading.Event()
        self._executor = MultiThreadedExecutor(4, context=self._context)
        self._executor.add_node(self._node)
        self._spinning = threading.Thread(target=self._spin)
        self._spinning.start()

    def _spin(self) -> None:
        while not self._closed.is_set():
            self._executor.spin_once(timeout_sec=0.1)

    def _cancel(self, goal: Any) -> CancelResponse:
        self.cancelled.set()
        return CancelResponse.ACCEPT

    def _execute(self, goal: Any) -> Any:
        while not (self._closed.is_set() or (goal.is_cancel_requested and self.ends.is_set())):
            self._closed.wait(0.05)
        said = ResultMsg(code=ResultMsg.TIMEOUT, message="whether it stands still is not known")
        if self.name == "execute_skill":
            getattr(goal, goal.request.call.skill)()
            return ExecuteSkill.Result(outcome=SkillOutcome(result=said))
        getattr(goal, goal.request.instruction)()
        return ExecuteInstruction.Result(result=said)

    def begin(self, client: GraphClient, ending: str) -> None:
        kind, goal = (
            (ExecuteSkill, ExecuteSkill.Goal(call=SkillCall(skill=ending)))
            if self.name == "execute_skill"
            else (ExecuteInstruction, ExecuteInstruction.Goal(instruction=ending))
        )
        action = client.connected(kind, self.name, PATIENCE_S)
        taken = threading.Event()
        action.send_goal_async(goal).add_done_callback(lambda _: taken.set())
        assert taken.wait(PATIENCE_S)

    def hang(self) -> None:
        """Answer no more, though it is still there."""
        self._closed.set()
        self._spinning.join()

    def close(self) -> None:
        self.hang()
        self._executor.shutdown()
        self._action.destroy()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)


def stopped(domain: int, *arguments: str) -> Result:
    return CliRunner().invoke(stop.command, arguments, env={"ROS_DOMAIN_ID": str(domain)})


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "ANSWER_S", PATIENCE_S)


@pytest.fixture
def planner(domain: int) -> Iterator[Double]:
    made = Double(domain, "execute_instruction")
    yield made
    made.close()


@pytest.fixture
def bridge(domain: int) -> Iterator[Double]:
    made = Double(domain, "execute_skill")
    yield made
    made.close()


@pytest.fixture
def client(domain: int) -> Iterator[GraphClient]:
    with GraphClient(name="karma_test", domain_id=domain) as made:
        yield made


def test_where_nothing_runs_it_says_so(bridge: Double, planner: Double) -> None:
    said = stopped(planner.domain)
    assert (said.exit_code, said.output) == (0, "Nothing was running.\n")


def test_it_waits_for_the_end_of_all_that_was_running(bridge: Double, planner: Double, client: GraphClient) -> None:
    for _ in range(2):
        planner.begin(client, "canceled")
    said = stopped(planner.domain, "--timeout", str(PATIENCE_S))
    assert (said.exit_code, said.output) == (0, "Stopping 2 instructions.\nStopped.\n")


def test_a_skill_that_nobody_follows_any_more_is_stopped_too(
    bridge: Double, planner: Double, client: GraphClient
) -> None:
    bridge.begin(client, "canceled")
    said = stopped(planner.domain, "--timeout", str(PATIENCE_S))
    assert bridge.cancelled.is_set()
    assert (said.exit_code, said.output) == (0, "Stopping 1 skill.\nStopped.\n")


def test_a_skill_is_stopped_though_the_planner_does_not_answer(
    bridge: Double, planner: Double, client: GraphClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge.begin(client, "canceled")
    planner.hang()
    monkeypatch.setattr(stopping, "ANSWER_S", PATIENCE_S / 4)
    said = stopped(planner.domain, "--timeout", str(PATIENCE_S))
    assert bridge.cancelled.is_set()
    assert said.exit_code == 1
    assert "Stopping 1 skill.\n" in said.output
    assert "the planner does not answer" in said.output
    assert "The robot's bridge has nothing under way any more." in said.output


@pytest.mark.parametrize("ran", [True, False])
def test_a_bridge_that_does_not_answer_is_told(
    bridge: Double, planner: Double, client: GraphClient, monkeypatch: pytest.MonkeyPatch, ran: bool
) -> None:
    if ran:
        planner.begin(client, "canceled")
    bridge.hang()
    monkeypatch.setattr(stopping, "ANSWER_S", PATIENCE_S / 4)
    said = stopped(planner.domain, "--timeout", str(PATIENCE_S))
    assert said.exit_code == 1
    assert planner.cancelled.is_set() is ran
    assert "The robot may go on with what it was doing; if it moves, press its emergency stop" in said.output
    assert "Stopped" not in said.output
    assert "Nothing was running" not in said.output


def test_where_there_is_no_graph_it_says_so(domain: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "ANSWER_S", 0.5)
    said = stopped(domain)
    assert said.exit_code == 1
    assert "is the graph running? (./karma up)" in said.output
    assert "does not answer" not in said.output


@pytest.mark.parametrize("name", ["bridge", "planner"])
def test_what_did_not_end_because_it_was_stopped_is_told(
    name: str, bridge: Double, planner: Double, client: GraphClient
) -> None:
    {"bridge": bridge, "planner": planner}[name].begin(client, "abort")
    said = stopped(planner.domain, "--timeout", str(PATIENCE_S))
    assert said.exit_code == 1
    assert "not because it was stopped: whether it stands still is not known" in said.output


def test_what_does_not_end_is_told_and_so_it_is_by_the_next_one(
    bridge: Double, planner: Double, client: GraphClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(karma_ros.client, "GRACE_S", PATIENCE_S)
    bridge.begin(client, "canceled")
    planner.ends.clear()
    planner.begin(client, "canceled")
    for _ in range(2):
        said = stopped(planner.domain, "--timeout", "0.5")
        assert said.exit_code == 1
        assert "Stopping 1 instruction.\n" in said.output
        assert "the instruction was asked to end, but has not after 0.5 s" in said.output
        assert "Stopped" not in said.output


def test_ctrl_c_ends_the_waiting_only(bridge: Double, planner: Double, client: GraphClient) -> None:
    planner.ends.clear()
    planner.begin(client, "canceled")
    patient = f"from karma import stopping; stopping.ANSWER_S = {PATIENCE_S}"
    patient += "; from karma.command import __main__; __main__.run()"
    command = [sys.executable, "-c", patient, "stop", "--timeout", "600"]
    environment = {**os.environ, "ROS_DOMAIN_ID": str(planner.domain)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "Stopping 1 instruction.\n"
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, told[0]) == (130, ""), told
    assert planner.cancelled.is_set()
