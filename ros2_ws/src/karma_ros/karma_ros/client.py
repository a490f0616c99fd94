# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Blocking calls on a running graph, every one bounded, for the command line and the demo."""

from __future__ import annotations

import atexit
import math
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from karma_interfaces.msg import Result
from karma_ros.action_client import SafeActionClient
from karma_ros.executor import PatientSingleThreadedExecutor
from karma_ros.interrupts import deferred
from karma_ros.parameter_service import SafeParameterService

POLL_S = 0.1
"""How often a waiting call looks up at least, so that Ctrl-C and a vanished server are noticed."""
SOONEST_S, LATER = 0.001, 0.1
"""How soon it looks up first, and by what share of the time that it has waited an answer may be noticed late."""

LAST_S = 0.5
"""The last words of a server may come a little after it is seen to be gone."""

ABANDON_S = 5.0
"""How long an abandoned goal may take to be cancelled."""

REPEAT_S = 3.0
"""A request without an answer for so long is sent again."""

GRACE_S = 1.0
"""In which a server that is there is discovered, where a thing is done now or not at all."""

TAKE_S = 30.0
"""How long a server may take to accept a goal."""

HINT = "is the graph running? (./karma up)"


class GraphError(RuntimeError):
    """The graph did not answer; the message says what to do."""


class GraphClient:
    """One ROS node that calls the graph's services and actions.

    Callbacks run in a thread of its own, so that the caller may block. Not for calls from within a callback.
    """

    def __init__(self, *, name: str = "karma_client", namespace: str = "", domain_id: int | None = None) -> None:
        self._services: dict[str, Any] = {}
        self._actions: dict[str, SafeActionClient] = {}
        self._making = threading.Lock()
        self._closing = threading.Event()
        self._waiting = 0
        """Calls that wait, in whatever thread."""
        try:
            with deferred():  # loads messages' libraries; and what of rclpy is half made says so at the end
                self._context = Context()
                rclpy.init(context=self._context, domain_id=domain_id, signal_handler_options=SignalHandlerOptions.NO)
                self.node = Node(
                    name, namespace=namespace or None, context=self._context, start_parameter_services=False
                )
                SafeParameterService(self.node)
                self._executor = PatientSingleThreadedExecutor(context=self._context)
                self._executor.add_node(self.node)
                self._thread = threading.Thread(target=self._spin, name=name, daemon=True)
                self._thread.start()
                atexit.register(self.close)  # where Ctrl-C comes before `with`: a thread that spins aborts the exit
        except KeyboardInterrupt:
            self.close()
            raise

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except ExternalShutdownException:
            return
        except InvalidHandle:  # a task of a call that was given up comes when the context is gone
            if not self._closing.is_set():
                raise

    def __enter__(self) -> GraphClient:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Take the node off the graph. Calls that still wait in other threads end with a GraphError."""
        with deferred():
            if not self._context.ok():
                return
            self._closing.set()
            until = time.monotonic() + 1.0
            while self._waiting and time.monotonic() < until:
                time.sleep(POLL_S / 10)
            self._executor.shutdown(timeout_sec=2.0)
            rclpy.try_shutdown(context=self._context)  # wakes the thread, should the executor have missed it
            self._thread.join(timeout=5.0)
            if not self._thread.is_alive():  # what a thread still waits on must not be destroyed
                for action in self._actions.values():
                    action.destroy()
                self.node.destroy_node()
            atexit.unregister(self.close)

    def call(
        self,
        service_type: Any,
        name: str,
        request: Any,
        *,
        timeout: float = 30.0,
        repeat: float = REPEAT_S,
        grace: float = math.inf,
    ) -> Any:
        """Call a service and return its response.

        The request is sent again when no answer comes for `repeat` seconds, because Fast DDS drops an answer to a
        client that the server has not discovered yet: it must be one that may be carried out twice. That a server is
        too busy for a repetition is no answer while it works at what was asked before. Raises GraphError when nobody
        offers the service within `grace` seconds, or it doesn't answer within `timeout` seconds.
        """
        client = self.service(service_type, name)
        deadline = time.monotonic() + timeout
        found = min(deadline, time.monotonic() + grace)
        self._wait(client.service_is_ready, found, f"nobody offers the service {name!r}: {HINT}")
        return self._answer(client, name, request, deadline, timeout, repeat)

    def call_once(
        self, service_type: Any, name: str, request: Any, *, timeout: float = 30.0, grace: float = GRACE_S
    ) -> Any:
        """Call a service that is there now, with a request that must be carried out neither later nor twice.

        Raises GraphError when nobody offers the service within `grace` seconds, in which one that is there is
        discovered, or it doesn't answer within `timeout` seconds. `service`, called before, has the server know the
        client by then, so that no answer is dropped.
        """
        client = self.service(service_type, name)
        self._wait(client.service_is_ready, time.monotonic() + grace, f"nobody offers the service {name!r} now: {HINT}")
        try:
            return self._answer(client, name, request, time.monotonic() + timeout, timeout, math.inf)
        except GraphError as error:
            raise GraphError(f"{error}; whether it was done is not known") from error

    def service(self, service_type: Any, name: str) -> Any:
        """Return the client of a service. GraphError where this one is closed."""
        with self._making:
            self._check_open()
            if name not in self._services:
                with deferred():
                    self._services[name] = self.node.create_client(service_type, name)
        return self._services[name]

    def _answer(self, client: Any, name: str, request: Any, deadline: float, timeout: float, repeat: float) -> Any:
        asked: list[Any] = []
        again = 0.0

        def answered() -> bool:
            nonlocal again
            if time.monotonic() >= again:
                asked.append(client.call_async(request))
                again = time.monotonic() + repeat
            done = [future for future in asked if future.done()]
            return len(done) == len(asked) or any(not _refuses(future.result()) for future in done)

        try:
            self._wait(answered, deadline, f"the service {name!r} did not answer within {timeout:.0f} s")
        finally:
            for future in asked:
                client.remove_pending_request(future)
        return min((future.result() for future in asked if future.done()), key=_refuses)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Have `close` leave what is used in the block alone for a while."""
        with self._making:
            self._waiting += 1
        try:
            yield
        finally:
            with self._making:
                self._waiting -= 1

    def _wait(
        self,
        done: Callable[[], bool],
        deadline: float,
        error: str,
        *,
        while_true: Callable[[], bool] = lambda: True,
        otherwise: str = "",
    ) -> None:
        def goes_on() -> bool:
            return not self._closing.is_set() and while_true()

        with self._counted():
            try:
                _wait(done, deadline, error, while_true=goes_on, otherwise=otherwise)
            except GraphError:
                self._check_open()
                raise

    def action(self, action_type: Any, name: str) -> SafeActionClient:
        """Return the client of an action. GraphError where this one is closed."""
        with self._making:
            self._check_open()
            if name not in self._actions:
                with deferred():
                    self._actions[name] = SafeActionClient(self.node, action_type, name)
        return self._actions[name]

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise GraphError("the client is closed")

    def connected(
        self, action_type: Any, name: str, timeout: float = 10.0, introduction: float = TAKE_S
    ) -> SafeActionClient:
        """Return the client of an action when its server is there and knows it.

        GraphError where none is there within `timeout` seconds, or it doesn't answer in another `introduction` seconds.
        """
        client = self.action(action_type, name)
        self._wait(
            lambda: client.server_is_ready() and bool(self._servers(name)),
            time.monotonic() + timeout,
            f"nobody offers the action {name!r}: {HINT}",
        )
        self._introduce(name, introduction)
        return client

    def _introduce(self, action: str, timeout: float) -> None:
        """Return when the server of an action knows the action's client, so that no answer to that is dropped.

        A process discovers another's readers in the order in which they were made: one that answers the client that was
        made last knows the others. What is asked is to cancel a goal that nobody has sent.
        """
        nobody = CancelGoal.Request(goal_info=GoalInfo(goal_id=UUID(uuid=list(uuid.uuid4().bytes))))
        repeat = min(REPEAT_S, timeout / 3)
        self.call(CancelGoal, f"{action}/_action/cancel_goal", nobody, timeout=timeout, repeat=repeat)

    def run_action(
        self,
        action_type: Any,
        name: str,
        goal: Any,
        *,
        on_feedback: Callable[[Any], None] | None = None,
        timeout: float = 600.0,
        connect_timeout: float = 10.0,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:
        """Send a goal and return its result (the action's Result message), whatever it says.

        The goal is cancelled on Ctrl-C, at the time-out, and when it is not `wanted` any more. GraphError then, and
        when nobody offers the action within `connect_timeout` seconds, the goal is rejected or not taken, the client is
        closed, or the server dies or is restarted meanwhile.
        """
        client = self.connected(action_type, name, connect_timeout)
        deadline = time.monotonic() + timeout
        servers = self._servers(name)
        heard = None if on_feedback is None else lambda message: on_feedback(message.feedback)
        # From here on the robot may act, though Ctrl-C comes before anything has come back.
        sent: Future | None = None
        with self._counted():
            try:
                with deferred():
                    sent = client.send_goal_async(goal, heard)
                self._wait(sent.done, time.monotonic() + TAKE_S, f"{name!r} did not take the goal")
                result = _accepted(sent.result(), name).get_result_async()
                self._wait(
                    lambda: result.done() or not wanted(),
                    deadline,
                    f"{name!r} did not finish within {timeout:.0f} s",
                    while_true=lambda: bool(self._servers(name)) and self._servers(name) <= servers,
                    otherwise=f"the node that offers {name!r} died; what it was doing is lost",
                )
                if not result.done():
                    raise GraphError("it was canceled")  # noqa: TRY301 - as all that ends it early
            except (GraphError, KeyboardInterrupt):
                if sent is not None:
                    _abandon(sent)
                raise
            return result.result().result

    def _servers(self, action: str) -> frozenset[bytes]:
        """Return the identities of the processes that serve an action.

        A restarted one has another. One that was killed stays among them for a while.
        """
        topic = f"{action}/_action/feedback"
        return frozenset(bytes(info.endpoint_gid) for info in self.node.get_publishers_info_by_topic(topic))


def _refuses(response: Any) -> bool:
    """Whether a server says that it can't do now what it was asked for."""
    return isinstance(result := getattr(response, "result", None), Result) and result.code == Result.UNAVAILABLE


def _accepted(handle: Any, name: str) -> Any:
    if not handle.accepted:
        raise GraphError(f"{name!r} rejected the goal: it is busy or not active; try again when it is free")
    return handle


def _abandon(sent: Future) -> None:
    """Cancel a goal that is sent, if it is or will be accepted, and wait a while for its end."""
    stop = time.monotonic() + ABANDON_S
    while not sent.done() and time.monotonic() < stop:
        time.sleep(POLL_S)
    if sent.done() and (handle := sent.result()).accepted:
        ending = [handle.cancel_goal_async(), handle.get_result_async()]
        while not all(future.done() for future in ending) and time.monotonic() < stop:
            time.sleep(POLL_S)


def _wait(
    done: Callable[[], bool],
    deadline: float,
    error: str,
    *,
    while_true: Callable[[], bool] = lambda: True,
    otherwise: str = "",
) -> None:
    began = now = time.monotonic()
    lost_at = math.inf
    while True:
        with deferred():  # what rclpy has half made when Ctrl-C comes fails when it is given back
            if done():
                return
            lost_at = math.inf if while_true() else min(lost_at, now)
        if now - lost_at > LAST_S:
            raise GraphError(otherwise)
        now = time.monotonic()
        if now > deadline:
            raise GraphError(error)
        time.sleep(min(max(SOONEST_S, LATER * (now - began)), POLL_S if deadline - now > 1 else POLL_S / 10))
