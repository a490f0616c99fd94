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
from action_msgs.srv import CancelGoal
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.executors import MultiThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from viewing import ended, running, state

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import PlannerState, Result
from karma_interfaces.srv import Answer, Feedback
from karma_ros.client import REPEAT_S, GraphClient, GraphError
from karma_ros.domain import claim_domain
from karma_view.known import Live
from karma_view.ros.robot import Robot
from planner_node.ros.status import QOS

pytestmark = pytest.mark.ros


class Planner:
    """Answers as the planner does, and refuses every goal, or carries it out until it is cancelled."""

    def __init__(self, domain: int) -> None:
        self.code = Result.SUCCESS
        self.takes = False
        self.takes_s = 0.0
        """How long an answer takes."""
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.hangs, self.hanging = False, threading.Event()
        self.heard: list[Any] = []
        """Requests and goals."""
        self.canceled = threading.Event()
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("planner", context=self._context)
        self._node.create_service(Answer, "answer", self._on_request)
        self._node.create_service(Feedback, "feedback", self._on_request)
        self._action = ActionServer(
            self._node,
            ExecuteInstruction,
            "execute_instruction",
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )
        self.states = self._node.create_publisher(PlannerState, "planner/state", QOS)
        self._executor = MultiThreadedExecutor(2, context=self._context)
        self._executor.add_node(self._node)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self) -> None:
        while not self._closed.is_set():
            if self.hangs:
                self.hanging.set()
                time.sleep(0.02)
            else:
                self._executor.spin_once(timeout_sec=0.1)

    def _on_goal(self, goal: Any) -> GoalResponse:
        self.heard.append(goal)
        self.may_answer.wait(30)
        return GoalResponse.ACCEPT if self.takes else GoalResponse.REJECT

    def _execute(self, handle: Any) -> Any:
        end = time.monotonic() + 10
        while not handle.is_cancel_requested and time.monotonic() < end:
            time.sleep(0.02)
        if handle.is_cancel_requested:
            handle.canceled()
            self.canceled.set()
        else:
            handle.abort()
        return ExecuteInstruction.Result(result=Result(code=Result.CANCELED))

    def _on_request(self, request: Any, response: Any) -> Any:
        self.heard.append(request)
        self.may_answer.wait(30)
        time.sleep(self.takes_s)
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


def test_the_ends_of_instructions_that_follow_each_other_at_once_are_all_heard_by_a_busy_page(
    planner: Planner, robot: Robot
) -> None:
    robot.look()
    planner.states.publish(state(running(id="i0")))
    until(lambda: len(robot.transcript.said) == 1)
    assert robot._hearing is not None
    with robot._hearing._taking:
        for number in range(4):
            planner.states.publish(state(ended(id=f"i{number}", message=f"done {number}")))
        time.sleep(0.5)  # for all of them to come; what comes later is heard anyhow
    until(lambda: sum(one.what == "result" for one in robot.transcript.said) == 4)
    robot.look_away()


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


def test_without_a_planner_nothing_is_done_now_or_later(domain: int) -> None:
    with GraphClient(name="view", domain_id=domain) as client:
        robot = Robot(client, Live())
        id_of_one = "6f1c2b5e-0a2d-4c8f-9d0e-1f2a3b4c5d6e"
        for do in (
            lambda: robot.instruct("Tidy up.", on_result=lambda result: None),
            robot.pause,
            robot.resume,
            robot.stop,
            lambda: robot.cancel(id_of_one),
            lambda: robot.answer("q1", "the red one"),
            lambda: robot.move("Mug_1", "Table_1"),
        ):
            began = time.monotonic()
            with pytest.raises(GraphError, match="nobody offers"):
                do()
            assert time.monotonic() - began < 9  # and not the ten seconds in which others look for a graph
        made = Planner(domain)
        try:
            client.connected(ExecuteInstruction, "execute_instruction")  # which has the planner know it, and answer
            assert robot.stop() == 0
            assert made.heard == []
        finally:
            made.close()


def test_what_stops_all_stops_the_robot_though_the_planner_is_dead(domain: int) -> None:
    with (
        GraphClient(name="bridge", domain_id=domain) as bridge,
        GraphClient(name="view", domain_id=domain) as client,
    ):
        stopped = threading.Event()

        def cancel(request: Any, response: Any) -> Any:
            if not any(request.goal_info.goal_id.uuid):
                stopped.set()
            return response

        bridge.node.create_service(CancelGoal, "execute_skill/_action/cancel_goal", cancel)
        robot = Robot(client, Live())
        robot.look()
        until(client.service(CancelGoal, "execute_skill/_action/cancel_goal").service_is_ready)
        with pytest.raises(GraphError, match="nobody offers"):
            robot.stop()
        assert stopped.wait(30)
        robot.look_away()


def test_what_is_on_its_way_when_somebody_stops_the_robot_is_not_given(planner: Planner, robot: Robot) -> None:
    until(lambda: robot._client.connected(ExecuteInstruction, "execute_instruction") is not None)
    planner.takes, planner.hangs = True, True
    assert planner.hanging.wait(30)
    failed: list[str] = []

    def give() -> None:
        try:
            robot.instruct("Tidy up.", on_result=lambda result: None)
        except GraphError as error:
            failed.append(str(error))

    giving = threading.Thread(target=give)
    giving.start()
    until(lambda: bool(robot._given))

    def go_on() -> None:
        until(lambda: not robot._given)  # it was dropped
        planner.hangs = False

    going_on = threading.Thread(target=go_on)
    going_on.start()
    assert robot.stop() == 1
    going_on.join(30)
    giving.join(30)
    assert failed == ["somebody stopped the robot meanwhile, so it was not given"]
    assert planner.heard == []


def test_what_comes_to_the_planner_after_the_stop_is_cancelled(planner: Planner, robot: Robot) -> None:
    planner.takes = True
    planner.may_answer.clear()
    results: list[Any] = []
    robot.instruct("Tidy up.", on_result=results.append)
    until(lambda: bool(planner.heard))
    assert len(robot.drop()) == 1
    planner.may_answer.set()
    assert planner.canceled.wait(30)
    until(lambda: bool(results))
    assert results[0].result.code == Result.CANCELED


def test_who_changes_something_is_patient_and_asks_once(planner: Planner, robot: Robot) -> None:
    planner.takes_s = REPEAT_S + 0.5
    robot.feedback("i1", "Thanks", user="Anna")
    assert len(planner.heard) == 1


def test_what_has_no_answer_may_have_been_done(planner: Planner, robot: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karma_view.ros.robot.TIMEOUT_S", 0.3)
    planner.may_answer.clear()
    with pytest.raises(GraphError, match="did not answer within 0 s; whether it was done is not known"):
        robot.answer("q1", "the red one")
    planner.may_answer.set()
    assert robot.transcript.said == ()
