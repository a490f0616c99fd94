# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An executor that lives on when other threads make and destroy publishers, subscriptions and actions (ROS side)."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import MultiThreadedExecutor, TimeoutException
from rclpy.impl.implementation_singleton import rclpy_implementation as implementation

TRIES, PAUSE_S = 100, 0.01
"""To gather what is to be waited for, and between them: what fails for a second is another fault."""


class _Threads(ThreadPoolExecutor):
    """Threads that know whether one of them is free."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.free = threading.Semaphore(count)

    def submit(self, *work: Any, **options: Any) -> Future[Any]:
        self.free.acquire()
        submitted: Future[Any] = super().submit(*work, **options)
        submitted.add_done_callback(lambda _: self.free.release())
        return submitted


class PatientExecutor(MultiThreadedExecutor):
    """Gathers anew what is to be waited for where something of it was just being made or destroyed.

    rclpy 9.1 raises then, and the process would end: InvalidHandle for a publisher or a subscription that is destroyed,
    RCLError for an action, AttributeError for an action's client that is being made. It also destroys what its threads
    use while they still run (`shutdown`). And while all its threads are busy, it hands what is ready over again and
    again, without a pause: this one gathers when a thread is free.
    """

    def __init__(self, num_threads: int | None = None, *, context: Context | None = None) -> None:
        """`num_threads`: as many as processors when None."""
        super().__init__(num_threads, context=context)
        threads: int = self._executor._max_workers
        self._executor: _Threads = _Threads(threads)

    def wait_for_ready_callbacks(self, timeout_sec: Any = None, *arguments: Any, **options: Any) -> Any:
        """Return a callback that is ready, as rclpy has it; TimeoutException where no thread gets free in time."""
        seconds = getattr(timeout_sec, "timeout", timeout_sec)
        if not self._executor.free.acquire(timeout=None if seconds is None or seconds < 0 else seconds):
            raise TimeoutException
        self._executor.free.release()
        for _ in range(TRIES):
            try:
                return super().wait_for_ready_callbacks(timeout_sec, *arguments, **options)
            except (InvalidHandle, implementation.RCLError, AttributeError):
                time.sleep(PAUSE_S)
        return super().wait_for_ready_callbacks(timeout_sec, *arguments, **options)

    def shutdown(self, timeout_sec: float | None = None, *, wait_for_threads: bool = True) -> bool:
        """Wait for the callbacks that run, as rclpy has it, and only then give back what they use.

        What the last of them raised is raised: rclpy says of it that it "was never retrieved", not where it comes from.
        """
        self._executor.shutdown(wait=wait_for_threads)
        ended: bool = super().shutdown(timeout_sec, wait_for_threads=wait_for_threads)
        while self._futures:
            self._futures.pop().result()
        return ended
