# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma stop` with a planner, in a thread of the test's process, that ends its instructions in several ways."""

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

import karma.client
from karma.client import GraphClient
from karma.command import stop
from karma.supervision import claim_domain
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result as ResultMsg

pytestmark = pytest.mark.ros
PATIENCE_S = 60.0


class Planner:
    """An action that goes on until it is cancelled and `ends`, and then ends as the instruction's words say."""

    def __init__(self, domain: int) -> None:
        self.domain = domain
        self.ends = threading.Event()
        self.ends.set()
        self.cancelled = threading.Event()
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("planner", context=self._context)
        self._action = ActionServer(
            self._node,
            ExecuteInstruction,
            "execute_instruction",
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
        getattr(goal, goal.request.instruction)()
        return ExecuteInstruction.Result(result=ResultMsg(message="whether it stands still is not known"))

    def stop(self, *arguments: str) -> Result:
        return CliRunner().invoke(stop.command, arguments, env={"ROS_DOMAIN_ID": str(self.domain)})

    def close(self) -> None:
        self._closed.set()
        self._spinning.join()
        self._executor.shutdown()
        self._action.destroy()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)


@pytest.fixture
def planner() -> Iterator[Planner]:
    with claim_domain(None) as domain:
        made = Planner(domain)
        yield made
        made.close()


@pytest.fixture
def client(planner: Planner) -> Iterator[GraphClient]:
    with GraphClient(name="karma_test", domain_id=planner.domain) as made:
        yield made


def begin(client: GraphClient, ending: str) -> None:
    action = client.connected(ExecuteInstruction, "execute_instruction", PATIENCE_S)
    taken = threading.Event()
    client.send_goal(action, ExecuteInstruction.Goal(instruction=ending)).add_done_callback(lambda _: taken.set())
    assert taken.wait(PATIENCE_S)


def test_where_nothing_runs_it_says_so(planner: Planner) -> None:
    said = planner.stop()
    assert (said.exit_code, said.output) == (0, "Nothing was running.\n")


def test_it_waits_for_the_end_of_all_that_was_running(planner: Planner, client: GraphClient) -> None:
    for _ in range(2):
        begin(client, "canceled")
    said = planner.stop("--timeout", str(PATIENCE_S))
    assert (said.exit_code, said.output) == (0, "Stopping 2 instructions.\nStopped.\n")


def test_what_did_not_end_because_it_was_stopped_is_told(planner: Planner, client: GraphClient) -> None:
    begin(client, "abort")
    said = planner.stop("--timeout", str(PATIENCE_S))
    assert said.exit_code == 1
    assert "not because it was stopped: whether it stands still is not known" in said.output


def test_what_does_not_end_is_told_and_so_it_is_by_the_next_one(
    planner: Planner, client: GraphClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(karma.client, "GRACE_S", PATIENCE_S)
    planner.ends.clear()
    begin(client, "canceled")
    for _ in range(2):
        said = planner.stop("--timeout", "0.5")
        assert said.exit_code == 1
        assert "Stopping 1 instruction.\n" in said.output
        assert "asked, but it has not ended after 0.5 s" in said.output
        assert "Stopped" not in said.output


def test_ctrl_c_ends_the_waiting_only(planner: Planner, client: GraphClient) -> None:
    planner.ends.clear()
    begin(client, "canceled")
    command = [sys.executable, "-m", "karma.command", "stop", "--timeout", "600"]
    environment = {**os.environ, "ROS_DOMAIN_ID": str(planner.domain)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "Stopping 1 instruction.\n"
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, told[0]) == (130, ""), told
    assert planner.cancelled.is_set()
