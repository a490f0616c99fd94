# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma feedback` with a planner that takes its time, in a thread of the test's process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")

import rclpy
from click.testing import CliRunner
from rclpy.action import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from karma.command import feedback
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result
from karma_interfaces.srv import Feedback
from karma_ros.client import REPEAT_S
from karma_ros.domain import claim_domain

pytestmark = pytest.mark.ros


@pytest.fixture
def slow_planner() -> Iterator[tuple[int, list[str]]]:
    """A ROS domain, and what a planner there was told: it answers later than other requests are sent again."""
    told: list[str] = []

    def hear(request: Any, response: Any) -> Any:
        told.append(request.text)
        if request.instruction_id:
            response.result = Result(code=Result.INVALID_ARGUMENT, message="Give the instruction_id of its result.")
            return response
        time.sleep(REPEAT_S + 0.5)
        response.result = Result(code=Result.SUCCESS, message="Noted.")
        return response

    with claim_domain(None) as domain:
        context = rclpy.Context()
        rclpy.init(context=context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        node = rclpy.create_node("planner", context=context)
        node.create_service(Feedback, "feedback", hear, callback_group=ReentrantCallbackGroup())
        action = ActionServer(node, ExecuteInstruction, "execute_instruction", lambda _: ExecuteInstruction.Result())
        executor = MultiThreadedExecutor(4, context=context)
        executor.add_node(node)
        closed = threading.Event()

        def spin() -> None:
            while not closed.is_set():
                executor.spin_once(timeout_sec=0.1)

        spinning = threading.Thread(target=spin)
        spinning.start()
        yield domain, told
        closed.set()
        spinning.join()
        executor.shutdown()
        action.destroy()
        node.destroy_node()
        rclpy.try_shutdown(context=context)


def test_what_is_said_once_is_heard_once(slow_planner: tuple[int, list[str]]) -> None:
    domain, told = slow_planner
    said = CliRunner().invoke(feedback.command, ["Tea, please.", "--user", "ann"], env={"ROS_DOMAIN_ID": str(domain)})
    assert (said.exit_code, said.output) == (0, "Noted.\n")
    assert told == ["Tea, please."]


def test_what_is_refused_in_the_terms_of_ros_is_told_in_those_of_the_command_line(
    slow_planner: tuple[int, list[str]],
) -> None:
    arguments = ["Tea, please.", "--user", "ann", "--about", "nonsense"]
    said = CliRunner().invoke(feedback.command, arguments, env={"ROS_DOMAIN_ID": str(slow_planner[0])})
    assert said.exit_code == 1
    assert "INVALID_ARGUMENT: Give the instruction_id of its result." in said.output
    assert "instruction_id: ./karma do prints it behind --about" in said.output
