# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An action client for goals that are sent from another thread than the executor's (ROS side)."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.action import ActionClient
from rclpy.task import Future


class SafeActionClient(ActionClient):  # type: ignore[misc]
    """rclpy's, which the executor may see while it is made, and while a goal is sent.

    rclpy 9.1 shows it before it has its lock, and makes two futures of a goal and keeps the second: an answer that is
    taken before that is lost.
    """

    _lock = threading.Lock()
    _sending = threading.Lock()

    def send_goal_async(self, *goal: Any, **options: Any) -> Future:
        """See rclpy."""
        with self._sending:
            return super().send_goal_async(*goal, **options)

    def take_data(self) -> Any:
        """See rclpy."""
        with self._sending:
            return super().take_data()
