# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The process of a node: it runs until a signal, then comes to rest, tells its clients, and ends with a status."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Protocol

import rclpy
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from karma_ros import watchdog
from karma_ros.executor import PatientExecutor

LONGEST_WAIT_S = 5.0
"""After which a defect is noticed; signals are at once."""
LAST_WORDS_S = 0.3
"""How long a node that has ended all stays: a client hears at once that it is gone, and then takes no answer of it."""


PROFILE_WITHOUT_PICTURES = "KARMA_FASTDDS_PROFILE_WITHOUT_PICTURES"
"""The variable that names Fast DDS's profile for nodes without pictures; unset where the profile is the user's own."""


class StartError(Exception):
    """A node can't be made; the message says why and what to do."""


class Runnable(Protocol):
    """A node that can come to rest."""

    defect: bool
    """Whether the process must end, so that it is started again."""

    def halt(self) -> None:
        """Come to rest; callbacks still run meanwhile, so that clients are told."""

    def close(self) -> None:
        """Give everything back; no callback runs any more."""

    def destroy_node(self) -> None:
        """Give the node back."""


def noted_signals() -> Sequence[int]:
    """Raise nothing: note SIGINT and SIGTERM in what is returned, which a node looks at often.

    No Event: a handler that sets one while the main thread waits for it can wait for ever.
    """
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: signals.append(number))
    return signals


@contextmanager
def _woken_by_signals(executor: Executor) -> Iterator[None]:
    """Have signals end the executor's wait: Python's handlers run only after it."""
    hears, tells = socket.socketpair()
    tells.setblocking(False)

    def wake() -> None:
        while hears.recv(1):
            executor.create_task(lambda: None)  # rclpy goes on waiting after a mere wake()

    thread = threading.Thread(target=wake, name="signals", daemon=True)
    thread.start()
    signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)
        tells.close()
        thread.join()
        hears.close()


def leave_shared_memory() -> None:
    """Have what comes after rclpy.init exchange messages by UDP alone, for a node that sends and takes no pictures.

    A segment of shared memory is 34 MB, and one whose owner was killed can leave others talking to nobody.
    """
    if PROFILE_WITHOUT_PICTURES in os.environ:
        os.environ["FASTDDS_DEFAULT_PROFILES_FILE"] = os.environ[PROFILE_WITHOUT_PICTURES]


def run(make: Callable[[], Runnable], *, threads: int = 1, pictures: bool = True) -> int:
    """Run a node until SIGINT or SIGTERM, and return the exit status.

    0 after a signal, 1 after a defect or where the main thread hangs, 2 where the node can't be made. An exception of a
    callback is raised. rclpy's own signal handlers would invalidate the context under what still runs, answers or is
    configured. `threads`: of the executor; with 1 no two callbacks run at the same time. `pictures`: whether it sends
    or takes any.
    """
    if not pictures:
        leave_shared_memory()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    signals = noted_signals()
    try:
        node = make()
    except (StartError, InvalidParameterTypeException, InvalidParameterValueException) as error:
        rclpy.try_shutdown()
        print(f"can't start: {error}", file=sys.stderr)
        return 2
    executor = PatientExecutor(num_threads=threads) if threads > 1 else SingleThreadedExecutor()
    executor.add_node(node)
    with ExitStack() as ending:  # whatever of it raises something
        ending.enter_context(_woken_by_signals(executor))
        for end in (rclpy.try_shutdown, node.destroy_node, node.close, executor.shutdown):
            ending.callback(end)
        ending.callback(watchdog.rest)
        while not (signals or node.defect):
            watchdog.pat()
            executor.spin_once(timeout_sec=LONGEST_WAIT_S)
        halting = executor.create_task(node.halt)
        while not halting.done():
            watchdog.pat()
            executor.spin_until_future_complete(halting, timeout_sec=LONGEST_WAIT_S)
        until = time.monotonic() + LAST_WORDS_S
        while (left := until - time.monotonic()) > 0.0:
            executor.spin_once(timeout_sec=left)
    return int(node.defect)
