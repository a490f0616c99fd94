# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Other threads make and destroy what an executor is about to wait for."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

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
