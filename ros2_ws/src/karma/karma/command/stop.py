# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma stop`: every instruction is canceled, and what became of it is said."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import click

from karma.command.namespace import namespace_option
from karma.command.up import domain_id
from karma.interrupts import deferred

if TYPE_CHECKING:
    from karma.client import GraphClient

ACTION = "execute_instruction"
TIMEOUT_S = 15.0
"""The planner itself gives a skill up that has not ended 10 s after it was asked to, and says so."""


@click.command("stop")
@namespace_option()
@click.option(
    "--timeout", default=TIMEOUT_S, show_default=True, help="Seconds to wait until what was running has ended."
)
def command(namespace: str, timeout: float) -> int:
    """Cancel the running instruction at once, and those that wait. The robot stays where it is.

    Ends with status 0 when they have ended, 1 when one has not, or by something else than being stopped. Ctrl-C ends
    the waiting only.
    """
    with deferred():
        from karma.client import GraphClient, GraphError

    try:
        with GraphClient(name="karma_stop", namespace=namespace, domain_id=domain_id()) as client:
            stopping = _cancel_all(client)
            if not stopping:
                click.echo("Nothing was running.")
                return 0
            click.echo(f"Stopping {len(stopping)} instruction{'s' * (len(stopping) != 1)}.")
            until = time.monotonic() + timeout
            troubles = {_trouble(client, goal_id, timeout, until): None for goal_id in stopping}
    except GraphError as error:
        raise click.ClickException(str(error)) from error
    if told := "\n".join(filter(None, troubles)):
        raise click.ClickException(told)
    click.echo("Stopped.")
    return 0


def _cancel_all(client: GraphClient) -> frozenset[bytes]:
    """Cancel every instruction; return the ids of those that are being stopped, by this or by an earlier request."""
    from action_msgs.msg import GoalStatus, GoalStatusArray
    from action_msgs.srv import CancelGoal
    from rclpy.qos import qos_profile_action_status_default

    from karma.client import GRACE_S

    stopping: frozenset[bytes] = frozenset()
    heard = threading.Event()

    def hear(told: GoalStatusArray) -> None:
        nonlocal stopping
        canceling = [goal.goal_info for goal in told.status_list if goal.status == GoalStatus.STATUS_CANCELING]
        stopping = frozenset(bytes(goal.goal_id.uuid) for goal in canceling)
        heard.set()

    with deferred():
        status = f"{ACTION}/_action/status"
        client.node.create_subscription(GoalStatusArray, status, hear, qos_profile_action_status_default)
        client.service(*_result_service())  # before the other: when that answers, the planner knows this one
    everything = CancelGoal.Request()  # neither an id nor a time: all of them
    response = client.call(CancelGoal, f"{ACTION}/_action/cancel_goal", everything)
    now = frozenset(bytes(goal.goal_id.uuid) for goal in response.goals_canceling)
    if not now:
        heard.wait(GRACE_S)  # nothing is heard where no instruction was ever given
    return now | stopping


def _trouble(client: GraphClient, goal_id: bytes, timeout: float, until: float) -> str:
    """Wait for the end of an instruction that is being stopped; return what is to be known of it, empty if it has.

    `timeout`: seconds that it was given, `until`: their end by time.monotonic().
    """
    from action_msgs.msg import GoalStatus
    from unique_identifier_msgs.msg import UUID

    from karma.client import GraphError

    service_type, name = _result_service()
    request = service_type.Request(goal_id=UUID(uuid=list(goal_id)))
    try:
        ended = client.call(service_type, name, request, timeout=max(until - time.monotonic(), 0.0))
    except GraphError:
        return (
            f"asked, but it has not ended after {timeout:g} s: ./karma health says whether a node does not answer. If "
            "the robot moves, press its emergency stop."
        )
    if ended.status == GoalStatus.STATUS_UNKNOWN:
        return "the planner was restarted meanwhile, and does not know whether the robot stopped"
    if ended.status == GoalStatus.STATUS_ABORTED:
        return f"it ended, but not because it was stopped: {ended.result.result.message}"
    return ""


def _result_service() -> tuple[Any, str]:
    from karma_interfaces.action import ExecuteInstruction

    return ExecuteInstruction.Impl.GetResultService, f"{ACTION}/_action/get_result"
