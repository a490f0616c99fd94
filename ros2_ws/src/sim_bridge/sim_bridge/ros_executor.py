# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An executor that lives on when other threads take publishers, subscriptions or actions away (ROS side)."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.executors import MultiThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as implementation

TRIES = 100
"""To wait, one after the other: what fails so often is another fault."""


class PatientExecutor(MultiThreadedExecutor):
    """Waits anew where something was destroyed while it was being gathered to be waited for.

    rclpy 9.1 raises then, and the process would end: InvalidHandle for a publisher or a subscription, RCLError for an
    action.
    """

    def wait_for_ready_callbacks(self, *arguments: Any, **options: Any) -> Any:
        """Return a callback that is ready, as rclpy has it."""
        for _ in range(TRIES):
            with suppress(InvalidHandle, implementation.RCLError):
                return super().wait_for_ready_callbacks(*arguments, **options)
        return super().wait_for_ready_callbacks(*arguments, **options)
