# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Executors that live on when other threads make and destroy publishers, subscriptions and actions (ROS side)."""

from __future__ import annotations

import time
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as implementation

TRIES, PAUSE_S = 100, 0.01
"""To gather what is to be waited for, and between them: what fails for a second is another fault."""


class _Patience:
    """Gathers anew what is to be waited for where something of it was just being made or destroyed.

    rclpy 9.1 raises then, and the process would end, or hear and answer nothing any more: InvalidHandle for a publisher
    or a subscription that is destroyed, RCLError for an action, AttributeError for an action's client that is being
    made.
    """

    def wait_for_ready_callbacks(self, *arguments: Any, **options: Any) -> Any:
        """Return a callback that is ready, as rclpy has it."""
        for _ in range(TRIES):
            try:
                return super().wait_for_ready_callbacks(*arguments, **options)  # type: ignore[misc]
            except (InvalidHandle, implementation.RCLError, AttributeError):
                time.sleep(PAUSE_S)
        return super().wait_for_ready_callbacks(*arguments, **options)  # type: ignore[misc]


class PatientSingleThreadedExecutor(_Patience, SingleThreadedExecutor):
    """One that has only the thread in which it spins."""


class PatientExecutor(_Patience, MultiThreadedExecutor):
    """One with several threads. rclpy's destroys what they use while they still run (`shutdown`)."""

    def shutdown(self, timeout_sec: float | None = None, *, wait_for_threads: bool = True) -> bool:
        """Wait for the callbacks that run, as rclpy has it, and only then give back what they use.

        What the last of them raised is raised: rclpy says of it that it "was never retrieved", not where it comes from.
        """
        self._executor.shutdown(wait=wait_for_threads)
        ended: bool = super().shutdown(timeout_sec, wait_for_threads=wait_for_threads)
        while self._futures:
            self._futures.pop().result()
        return ended
