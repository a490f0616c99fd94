# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions, services and topics of a table as clients of a node (ROS side).

Used from one thread that may block, while an executor serves the answers.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from karma_ros.action_client import SafeActionClient
from sim_bridge.robot.calls import Call
from sim_bridge.robot.ports import Answer, Ending, Pending
from sim_bridge.robot.ros_messages import field, interface, message, request_type

_ENDINGS = {
    GoalStatus.STATUS_SUCCEEDED: Ending.DONE,
    GoalStatus.STATUS_ABORTED: Ending.ABORTED,
    GoalStatus.STATUS_CANCELED: Ending.CANCELED,
}


class Clients:
    """A client for each action and service, and a publisher for each topic, that a table calls."""

    def __init__(self, node: Node, calls: list[Call]) -> None:
        self._node = node
        self._made: dict[tuple[str, str, str], Any] = {}
        for call in calls:
            key = (call.kind, call.name, call.type)
            if key not in self._made:
                self._made[key] = self._client(call)

    def _client(self, call: Call) -> Any:
        kind = interface(call.type)
        if call.action is not None:
            return SafeActionClient(self._node, kind, call.name)
        if call.service is not None:
            return self._node.create_client(kind, call.name)
        return self._node.create_publisher(kind, call.name, 10)

    def _of(self, call: Call) -> Any:
        return self._made[call.kind, call.name, call.type]

    def ready(self, call: Call) -> bool:
        """Whether somebody is there to take a call."""
        client = self._of(call)
        if call.action is not None:
            return bool(client.server_is_ready())
        if call.service is not None:
            return bool(client.service_is_ready())
        return bool(client.get_subscription_count() > 0)

    def begin(self, call: Call, request: Mapping[str, Any]) -> Pending:
        """Send a call. ValueError where the request does not fit its type."""
        client, made = self._of(call), message(request_type(call), request)
        _stamp(made, self._node)
        if call.action is not None:
            return _Goal(client, made, interface(call.type))
        if call.service is not None:
            return _Request(client, made)
        client.publish(made)
        return _Published()

    def cancel_all(self, call: Call) -> Callable[[float], int | None]:
        """Ask an action's server to cancel all its goals, whoever sent them; what is returned waits for its answer."""
        everything = UUID()  # zeros, and no stamp: action_msgs/CancelGoal
        accepted = interface(call.type).Impl.SendGoalService.Response(accepted=True)
        asked = ClientGoalHandle(self._of(call), everything, accepted).cancel_goal_async()
        answered = threading.Event()
        asked.add_done_callback(lambda _: answered.set())
        return lambda wait: len(asked.result().goals_canceling) if answered.wait(wait) else None


def _stamp(made: Any, node: Node) -> None:
    """Put the time into the headers that have none."""
    for name in made.get_fields_and_field_types():
        inner = getattr(made, name)
        if name == "header" and not (inner.stamp.sec or inner.stamp.nanosec):
            inner.stamp = node.get_clock().now().to_msg()
        elif hasattr(inner, "header"):
            _stamp(inner, node)


class _Goal:
    """A goal of an action. The id is chosen here, so that it is known before the goal is accepted."""

    def __init__(self, client: SafeActionClient, goal: Any, kind: Any) -> None:
        self._client = client
        self._kind = kind
        self._id = UUID(uuid=list(uuid.uuid4().bytes))
        self._heard = time.monotonic()
        self._changed = threading.Condition()
        self._handle: Any = None
        self._answer: Answer | None = None
        self._unwanted = False
        sent = client.send_goal_async(goal, feedback_callback=self._feedback, goal_uuid=self._id)
        sent.add_done_callback(self._told)

    def _feedback(self, _: Any) -> None:
        self._heard = time.monotonic()

    def _told(self, future: Future) -> None:
        handle = future.result()
        self._heard = time.monotonic()
        with self._changed:
            if handle is None or not handle.accepted:
                self._answer = Answer(Ending.REJECTED)
            else:
                self._handle = handle
            self._changed.notify_all()
        if self._handle is not None:
            self._handle.get_result_async().add_done_callback(self._ended)
            if self._unwanted:
                self._handle.cancel_goal_async()

    def _ended(self, future: Future) -> None:
        response = future.result()
        if response.status == GoalStatus.STATUS_UNKNOWN and not self.accepted:
            return  # the server does not know the goal yet: it is cancelled when it is accepted
        with self._changed:
            ending = _ENDINGS.get(response.status, Ending.ABORTED)
            self._answer = Answer(ending, partial(_field, response.result))
            self._changed.notify_all()

    def poll(self, wait: float) -> Answer | None:
        with self._changed:
            self._changed.wait_for(lambda: self._answer is not None, wait)
            return self._answer

    @property
    def alive(self) -> bool:
        return bool(self._client.server_is_ready())

    @property
    def silence(self) -> float:
        return time.monotonic() - self._heard

    @property
    def accepted(self) -> bool:
        return self._handle is not None or self._answer is not None

    def cancel(self, wait: float) -> bool:
        with self._changed:
            self._unwanted = True  # a goal that is accepted only now is cancelled then
            handle, ended = self._handle, self._answer is not None
        if handle is not None and not ended:
            handle.cancel_goal_async()
        elif not ended:  # it may have been accepted, and the answer lost
            handle = ClientGoalHandle(self._client, self._id, self._kind.Impl.SendGoalService.Response(accepted=True))
            handle.cancel_goal_async()
            handle.get_result_async().add_done_callback(self._ended)
        return self.poll(wait) is not None


class _Request:
    """A request of a service; there is no taking it back."""

    accepted = True

    def __init__(self, client: Any, request: Any) -> None:
        self._client = client
        self._began = time.monotonic()
        self._answered = threading.Event()
        self._future = client.call_async(request)
        self._future.add_done_callback(lambda _: self._answered.set())

    def poll(self, wait: float) -> Answer | None:
        if not self._answered.wait(wait):
            return None
        return Answer(Ending.DONE, partial(_field, self._future.result()))

    @property
    def alive(self) -> bool:
        return bool(self._client.service_is_ready())

    @property
    def silence(self) -> float:
        return time.monotonic() - self._began

    def cancel(self, wait: float) -> bool:
        self._client.remove_pending_request(self._future)
        return self._answered.is_set()


class _Published:
    """A message that has been published: nobody answers."""

    alive, silence, accepted = True, 0.0, True

    def poll(self, wait: float) -> Answer | None:
        return Answer(Ending.DONE)

    def cancel(self, wait: float) -> bool:
        return True


def _field(made: Any, path: str) -> Any:
    try:
        return field(made, path)
    except LookupError:
        return None
