# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said reaches the planner, and what that says the transcript; with a planner in this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")

import rclpy
from rclpy.action import ActionServer, GoalResponse
from rclpy.executors import MultiThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from viewing import ended, running, state

from karma.client import GraphClient, GraphError
from karma.supervision import claim_domain
from karma.view.known import Live
from karma.view.robot import Robot
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import PlannerState, Result
from karma_interfaces.srv import Answer, Feedback

pytestmark = pytest.mark.ros


class Planner:
    """Answers as the planner does, and refuses every goal."""

    def __init__(self, domain: int) -> None:
        self.code = Result.SUCCESS
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("planner", context=self._context)
        self._node.create_service(Answer, "answer", self._on_request)
        self._node.create_service(Feedback, "feedback", self._on_request)
        self._action = ActionServer(
            self._node,
            ExecuteInstruction,
            "execute_instruction",
            lambda handle: ExecuteInstruction.Result(),
            goal_callback=lambda goal: GoalResponse.REJECT,
        )
        qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.states = self._node.create_publisher(PlannerState, "planner/state", qos)
        self._executor = MultiThreadedExecutor(2, context=self._context)
        self._executor.add_node(self._node)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self) -> None:
        while not self._closed.is_set():
            self._executor.spin_once(timeout_sec=0.1)

    def _on_request(self, request: Any, response: Any) -> Any:
        response.result = Result(code=self.code, message=f"heard {request.user}")
        return response

    def close(self) -> None:
        self._closed.set()
        self._thread.join()
        self._executor.shutdown()
        self._action.destroy()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)


@pytest.fixture
def domain() -> Iterator[int]:
    with claim_domain(None) as claimed:
        yield claimed


@pytest.fixture
def planner(domain: int) -> Iterator[Planner]:
    made = Planner(domain)
    yield made
    made.close()


@pytest.fixture
def robot(planner: Planner, domain: int) -> Iterator[Robot]:
    with GraphClient(name="view", domain_id=domain) as client:
        yield Robot(client, Live())


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_is_said_is_kept_for_all_and_when_they_look_away(planner: Planner, robot: Robot) -> None:
    planner.states.publish(state(running(user="Anna", question_id="q1", question="Which mug?")))
    robot.look()
    until(lambda: len(robot.transcript.said) == 2)
    robot.answer("q1", "the red one", user="Anna")
    planner.states.publish(state(ended(message="I brought it.", user="Anna")))
    until(lambda: len(robot.transcript.said) == 4)
    assert robot.feedback("i1", "Thanks", verdict=Feedback.Request.RIGHT, user="Anna") == "heard Anna"
    robot.look_away()
    assert robot.transcript.state is None
    assert [(one.what, one.text) for one in robot.transcript.said] == [
        ("instruction", "Bring me the mug."),
        ("question", "Which mug?"),
        ("answer", "the red one"),
        ("result", "I brought it."),
        ("feedback", "That was right. Thanks"),
    ]


def test_an_answer_that_is_not_taken_was_not_said(planner: Planner, robot: Robot) -> None:
    planner.code = Result.NOT_FOUND
    with pytest.raises(GraphError, match="heard Ben"):
        robot.answer("q1", "the red one", user="Ben")
    assert robot.transcript.said == ()


def test_who_gives_an_instruction_hears_that_it_is_not_taken(planner: Planner, robot: Robot) -> None:
    results: list[Any] = []
    robot.instruct("Tidy up.", on_result=results.append)
    until(lambda: bool(results))
    assert results[0].result.code == Result.UNAVAILABLE
    assert "takes no instructions now" in results[0].result.message


def test_what_is_no_instruction_cannot_be_cancelled(robot: Robot) -> None:
    with pytest.raises(GraphError, match="'no id' is not the id of an instruction"):
        robot.cancel("no id")
