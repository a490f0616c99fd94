# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Stopping a robot: every skill and every instruction is canceled, and what became of it is told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.qos import qos_profile_action_status_default
from unique_identifier_msgs.msg import UUID

import karma_ros.client
from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import Result
from karma_ros.client import GraphClient, GraphError

TIMEOUT_S = 15.0
"""The planner itself gives a skill up that has not ended 10 s after it was asked to, and says so."""
ANSWER_S = 5.0
"""How long the bridge and the planner may take to be found and to answer; while they work, they do at once."""


def stop_all(
    client: GraphClient, timeout: float = TIMEOUT_S, say: Callable[[str], None] = lambda line: None
) -> tuple[int, list[str], list[str]]:
    """Cancel what the robot does and every instruction; return how many ran, what went wrong, and what did not.

    Asks the robot's bridge and the planner, both at once: neither waits for one that hangs. `timeout`: seconds until
    what was running has ended; `say` gets a line where something is being stopped. What is returned is for people.
    GraphError where neither is there.
    """
    threads = ThreadPoolExecutor()
    try:
        found = [
            done.result() for done in as_completed(threads.submit(_stop, client, one, timeout, say) for one in _SERVERS)
        ]
    finally:
        threads.shutdown(wait=False)  # after Ctrl-C they end with the client
    troubles = [trouble for _, _, of_one in found for trouble in of_one]
    well = [f"{one.who.capitalize()} has nothing under way any more." for one, _, of_one in found if not of_one]
    return sum(ran for _, ran, _ in found), troubles, well


@dataclass(frozen=True)
class _Server:
    """An action of which all goals are canceled."""

    type: Any
    name: str
    goal: str
    who: str
    silence: str
    """What is to be known where it does not answer."""
    result: Callable[[Any], Any]
    """Returns the karma_interfaces/Result in the action's."""

    @property
    def cancel(self) -> str:
        """Name of the service that cancels."""
        return f"{self.name}/_action/cancel_goal"

    @property
    def get_result(self) -> tuple[Any, str]:
        """Type and name of the service that tells how a goal ended."""
        return self.type.Impl.GetResultService, f"{self.name}/_action/get_result"


_SERVERS = (
    _Server(
        type=ExecuteSkill,
        name="execute_skill",
        goal="skill",
        who="the robot's bridge",
        silence="the robot's bridge does not answer. The robot may go on with what it was doing; if it moves, press "
        "its emergency stop. ./karma health says which node does not answer.",
        result=lambda done: done.outcome.result,
    ),
    _Server(
        type=ExecuteInstruction,
        name="execute_instruction",
        goal="instruction",
        who="the planner",
        silence="the planner does not answer: it may have died, and its instructions with it, or go on with them "
        "later. ./karma health says whether it is active.",
        result=lambda done: done.result,
    ),
)


def _stop(
    client: GraphClient, server: _Server, timeout: float, say: Callable[[str], None]
) -> tuple[_Server, int, list[str]]:
    """Cancel all goals of a server and wait for their ends; return it, how many ran, and what is to be known of them.

    GraphError where none of the servers is there.
    """
    try:
        stopping = _cancel_all(client, server)
    except GraphError:
        if not any(client.service(CancelGoal, one.cancel).service_is_ready() for one in _SERVERS):
            raise
        return server, 0, [server.silence]
    if stopping:
        say(f"Stopping {len(stopping)} {server.goal}{'s' * (len(stopping) != 1)}.")
    until = time.monotonic() + timeout
    troubles = {_trouble(client, server, goal_id, timeout, until): None for goal_id in stopping}
    return server, len(stopping), [*filter(None, troubles)]


def _cancel_all(client: GraphClient, server: _Server) -> frozenset[bytes]:
    """Cancel every goal; return the ids of those that are being stopped, by this or by an earlier request."""
    stopping: frozenset[bytes] = frozenset()
    heard = threading.Event()

    def hear(told: GoalStatusArray) -> None:
        nonlocal stopping
        canceling = [goal.goal_info for goal in told.status_list if goal.status == GoalStatus.STATUS_CANCELING]
        stopping = frozenset(bytes(goal.goal_id.uuid) for goal in canceling)
        heard.set()

    status = f"{server.name}/_action/status"
    hearing = client.node.create_subscription(GoalStatusArray, status, hear, qos_profile_action_status_default)
    try:
        client.service(*server.get_result)  # before the other: when that answers, the server knows this one
        everything = CancelGoal.Request()  # neither an id nor a time: all of them
        response = client.call(CancelGoal, server.cancel, everything, timeout=ANSWER_S)
        now = frozenset(bytes(goal.goal_id.uuid) for goal in response.goals_canceling)
        if not now:
            heard.wait(karma_ros.client.GRACE_S)  # nothing is heard where no goal was ever given
    finally:
        client.node.destroy_subscription(hearing)
    return now | stopping


def _trouble(client: GraphClient, server: _Server, goal_id: bytes, timeout: float, until: float) -> str:
    """Wait for the end of a goal that is being stopped; return what is to be known of it, empty if it has.

    `timeout`: seconds that it was given, `until`: their end by time.monotonic().
    """
    service_type, name = server.get_result
    request = service_type.Request(goal_id=UUID(uuid=list(goal_id)))
    try:
        ended = client.call(service_type, name, request, timeout=max(until - time.monotonic(), 0.0))
    except GraphError:
        return (
            f"the {server.goal} was asked to end, but has not after {timeout:g} s: ./karma health says whether a node "
            "does not answer. If the robot moves, press its emergency stop."
        )
    if ended.status == GoalStatus.STATUS_UNKNOWN:
        return f"{server.who} was restarted meanwhile, and does not know whether the robot stopped"
    result = server.result(ended.result)
    if ended.status == GoalStatus.STATUS_ABORTED and result.code != Result.CANCELED:
        return f"the {server.goal} ended, but not because it was stopped: {result.message}"
    return ""
