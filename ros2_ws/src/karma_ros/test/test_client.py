# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The client of a graph when answers are lost or come early, with a server in a thread of the test's process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy")

import rclpy
from action_msgs.msg import GoalStatusArray
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.executors import MultiThreadedExecutor
from rclpy.service import Service
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

import karma_ros.client
from karma_interfaces.action import ExecuteSkill
from karma_interfaces.msg import Result, SkillCall
from karma_interfaces.srv import Recall
from karma_ros.action_client import SafeActionClient
from karma_ros.client import GraphClient, GraphError
from karma_ros.domain import claim_domain

pytestmark = pytest.mark.ros


class Server:
    """A node with an action and a service that are done at once."""

    def __init__(self, domain: int) -> None:
        self.asked: list[str] = []
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node("server", context=self._context)
        self.node.create_service(Trigger, "trigger", self._trigger)
        self.action = ActionServer(self.node, ExecuteSkill, "execute_skill", self._execute)
        self._closed = threading.Event()
        self._executor = MultiThreadedExecutor(2, context=self._context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self) -> None:
        while not self._closed.is_set():
            self._executor.spin_once(timeout_sec=0.1)

    def _trigger(self, request: Any, response: Any) -> Any:
        self.asked.append("trigger")
        response.success = True
        return response

    def _execute(self, goal: Any) -> Any:
        self.asked.append(goal.request.call.skill)
        goal.publish_feedback(ExecuteSkill.Feedback(step="on the way"))
        goal.succeed()
        return ExecuteSkill.Result()

    def close(self) -> None:
        self._closed.set()
        self._thread.join()
        self._executor.shutdown()
        self.action.destroy()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self._context)


@pytest.fixture
def domain() -> Iterator[int]:
    with claim_domain(None) as claimed:
        yield claimed


@pytest.fixture
def server(domain: int) -> Iterator[Server]:
    made = Server(domain)
    yield made
    made.close()


@pytest.fixture
def client(server: Server, domain: int) -> Iterator[GraphClient]:
    with GraphClient(name="karma_test", domain_id=domain) as made:
        yield made


def run(client: GraphClient) -> None:
    goal = ExecuteSkill.Goal(call=SkillCall(skill="Wait"))
    client.run_action(ExecuteSkill, "execute_skill", goal, on_feedback=lambda _: None, connect_timeout=60.0)


def test_a_service_whose_answer_is_lost_is_asked_again(
    client: GraphClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = Service.send_response

    def lose_the_first(self: Service, response: Any, header: Any) -> None:
        if self.srv_name.strip("/") != "trigger" or server.asked != ["trigger"]:
            send(self, response, header)

    monkeypatch.setattr(Service, "send_response", lose_the_first)
    assert client.call(Trigger, "trigger", Trigger.Request(), timeout=60.0).success
    assert len(server.asked) >= 2


def test_a_server_that_is_too_busy_for_a_repetition_is_waited_for(client: GraphClient, server: Server) -> None:
    asked: list[None] = []
    asked_again = threading.Event()

    def recall(_: Any, response: Any) -> Any:
        asked.append(None)
        if len(asked) > 1:
            if len(asked) > 2:
                asked_again.set()
            response.result = Result(code=Result.UNAVAILABLE, message="others are being answered")
        elif asked_again.wait(60.0):
            response.result = Result(code=Result.SUCCESS)
        return response

    server.node.create_service(Recall, "recall", recall, callback_group=ReentrantCallbackGroup())
    try:
        answer = client.call(Recall, "recall", Recall.Request(), timeout=60.0, repeat=0.2)
    finally:
        asked_again.set()
    assert answer.result.code == Result.SUCCESS


def test_a_server_that_refuses_the_only_request_has_answered(client: GraphClient, server: Server) -> None:
    def recall(_: Any, response: Any) -> Any:
        response.result = Result(code=Result.UNAVAILABLE, message="not active")
        return response

    server.node.create_service(Recall, "recall", recall)
    answer = client.call(Recall, "recall", Recall.Request(), timeout=60.0, repeat=60.0)
    assert answer.result.message == "not active"


def test_a_goal_is_sent_when_the_server_has_been_heard_and_only_once(
    client: GraphClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = ActionServer._execute_cancel_request

    async def lose_the_first(self: ActionServer, request: Any) -> None:
        server.asked.append("cancel")
        if server.asked != ["cancel"]:
            await answer(self, request)

    monkeypatch.setattr(ActionServer, "_execute_cancel_request", lose_the_first)
    run(client)
    assert server.asked[:2] == ["cancel", "cancel"]
    assert server.asked.count("Wait") == 1


def test_an_answer_to_a_goal_that_comes_at_once_is_not_lost(client: GraphClient, server: Server) -> None:
    class Slow(dict[bytes, Any]):
        """Where rclpy keeps the callbacks of feedback, between the futures that it makes of one goal."""

        def __setitem__(self, key: bytes, value: Any) -> None:
            time.sleep(0.5)
            super().__setitem__(key, value)

    client.action(ExecuteSkill, "execute_skill")._feedback_callbacks = Slow()
    run(client)
    assert server.asked == ["Wait"]


def test_what_another_thread_destroys_while_it_is_gathered_to_be_waited_for_does_not_end_the_client(
    client: GraphClient, server: Server
) -> None:
    subscription = client.node.create_subscription(GoalStatusArray, "anything", lambda _: None, 10)
    event = subscription.event_handlers[0]
    gathered = threading.Event()

    def destroyed_by_now(_: Any) -> None:
        gathered.set()
        del event.add_to_wait_set
        raise InvalidHandle("cannot use Destroyable because destruction was requested")

    event.add_to_wait_set = destroyed_by_now
    assert client.call(Trigger, "trigger", Trigger.Request(), timeout=60.0).success
    assert gathered.is_set()
    assert client._thread.is_alive()


def wait_for_cancel(server: Server) -> tuple[threading.Event, threading.Event]:
    """Have goals go on until they are canceled; return what says that one has begun, and that it is canceled."""
    begun, cancelled = threading.Event(), threading.Event()

    def until_cancelled(goal: Any) -> Any:
        begun.set()
        end = time.monotonic() + 60.0
        while not goal.is_cancel_requested:
            assert time.monotonic() < end
            time.sleep(0.01)
        cancelled.set()
        goal.canceled()
        return ExecuteSkill.Result()

    server.action.register_execute_callback(until_cancelled)
    server.action.register_cancel_callback(lambda _: CancelResponse.ACCEPT)
    return begun, cancelled


def test_ctrl_c_while_a_goal_is_being_sent_cancels_it(
    client: GraphClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, cancelled = wait_for_cancel(server)

    def interrupted(*_: Any, **__: Any) -> None:
        assert begun.wait(60.0)
        raise KeyboardInterrupt

    send = SafeActionClient.send_goal_async

    def send_and_be_interrupted(*arguments: Any) -> Any:
        monkeypatch.setattr(karma_ros.client, "_wait", interrupted)
        return send(*arguments)

    monkeypatch.setattr(SafeActionClient, "send_goal_async", send_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(client)
    assert cancelled.is_set()


def test_closing_cancels_a_goal_that_is_waited_for_in_another_thread(client: GraphClient, server: Server) -> None:
    begun, cancelled = wait_for_cancel(server)
    told = []

    def act() -> None:
        try:
            run(client)
        except GraphError as error:
            told.append(str(error))

    acting = threading.Thread(target=act)
    acting.start()
    assert begun.wait(60.0)
    client.close()
    acting.join(30.0)
    assert told == ["the client is closed"]
    assert cancelled.wait(10.0)


def test_closing_ends_calls_that_wait_in_other_threads() -> None:
    client = GraphClient(name="closing_test")
    told = []

    def call() -> None:
        try:
            client.call(Trigger, "nobody/offers_this", Trigger.Request(), timeout=60.0)
        except GraphError as error:
            told.append(str(error))

    waiting = threading.Thread(target=call)
    waiting.start()
    deadline = time.monotonic() + 60.0
    while not client._waiting:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    began = time.monotonic()
    client.close()
    waiting.join(30)
    assert told == ["the client is closed"]
    assert time.monotonic() - began < 20
    for service in ("nobody/offers_this", "another"):
        with pytest.raises(GraphError, match="the client is closed"):
            client.call(Trigger, service, Trigger.Request())


def test_a_parameter_of_no_type_does_not_deafen_a_client() -> None:
    with claim_domain(None) as domain, GraphClient(name="one", domain_id=domain) as one:
        with GraphClient(name="two", domain_id=domain) as two:
            request = SetParameters.Request(parameters=[Parameter(name="a", value=ParameterValue(type=99))])
            for _ in range(2):
                [result] = two.call(SetParameters, "one/set_parameters", request, timeout=60.0).results
                assert not result.successful
        assert one._thread.is_alive()


def test_a_wait_looks_up_often_at_first_and_then_ten_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now, pauses = [0.0], []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(karma_ros.client, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    karma_ros.client._wait(lambda: now[0] >= 10.0, 20.0, "late")
    assert (pauses[0], pauses[-1]) == (karma_ros.client.SOONEST_S, karma_ros.client.POLL_S)
    assert pauses == sorted(pauses)
    with pytest.raises(GraphError, match="late"):
        karma_ros.client._wait(lambda: False, 21.0, "late")
    assert now[0] == pytest.approx(21.0, abs=karma_ros.client.POLL_S)
