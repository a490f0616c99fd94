# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Other threads make and destroy what an executor is about to wait for."""

from __future__ import annotations

import gc
from threading import Event
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor
from rclpy.impl.implementation_singleton import rclpy_implementation as implementation

from karma_ros import executor as executors
from karma_ros.executor import TRIES, PatientExecutor


@pytest.mark.parametrize("error", [InvalidHandle, implementation.RCLError, AttributeError])
def test_what_is_made_or_destroyed_while_it_is_gathered_ends_nothing(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gather(_: Any, *arguments: Any, **options: Any) -> Any:
        if errors:
            raise errors.pop()
        return arguments, options

    executor = object.__new__(PatientExecutor)
    executor._sigint_gc = None
    monkeypatch.setattr(executors, "PAUSE_S", 0.0)
    monkeypatch.setattr(Executor, "wait_for_ready_callbacks", gather)
    errors = [error("gone")] * 2
    assert executor.wait_for_ready_callbacks(0.5, nodes=None) == ((0.5,), {"nodes": None})
    errors = [error("broken")] * (TRIES + 1)
    with pytest.raises(error, match="broken"):
        executor.wait_for_ready_callbacks(0.5)


@pytest.mark.ros
def test_what_waits_for_a_thread_when_an_executor_ends_has_what_it_uses(
    robot1: None, capfd: pytest.CaptureFixture[str]
) -> None:
    ending = Event()
    node = rclpy.create_node("busy")
    for _ in range(3):  # one more than there are threads
        node.create_timer(0.0, lambda: ending.wait(0.3), callback_group=MutuallyExclusiveCallbackGroup())
    executor = PatientExecutor(num_threads=2)
    executor.add_node(node)
    for _ in range(3):
        executor.spin_once(timeout_sec=1.0)
    executor.shutdown()
    node.destroy_node()
    del executor
    gc.collect()
    assert capfd.readouterr().err == ""  # rclpy tells there of what was raised
