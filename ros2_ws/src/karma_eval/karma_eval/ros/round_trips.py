# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How long a recall takes through a running graph, beside a bare service in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

from karma_eval.memory.measure import SEED, Percentiles
from karma_eval.memory.workload import household, questions
from karma_eval.ros.trigger_server import SERVICE
from karma_interfaces.msg import MemoryEvent, Result
from karma_interfaces.srv import GetMemoryStats, Recall, Remember
from karma_memory import EventKind

ANSWER_S = 10.0
WARM_UP = 20
"""Round trips before the measured ones."""
BATCH = 100
DIFFERENT = 200
"""Questions; they are asked again and again."""


class NoAnswerError(RuntimeError):
    """A service of the graph does not answer."""


@dataclass(frozen=True)
class RoundTrips:
    """Latencies as a client in Python sees them, and the memory's own time for the same recalls."""

    trigger: Percentiles
    recall: Percentiles
    library: Percentiles
    """As the memory server measures it, over its last 1000 recalls: measure at least as many."""

    @property
    def allowed_ms(self) -> float:
        """What the median of a recall may take: twice a bare service, and the memory's own time."""
        return 2 * self.trigger.p50 + self.library.p50


def measure(
    domain_id: int, *, told: int, count: int, on_progress: Callable[[str, int, int], None] = lambda *_: None
) -> RoundTrips:
    """Fill the memory of the running graph in a domain, and ask it and a bare service in turns.

    `on_progress` is told what is done, how much of it, and of how much. NoAnswerError when a service is not there.
    """
    with service_client(domain_id) as call, running_module("karma_eval.ros.trigger_server", domain_id=domain_id):
        statements = list(islice((event for event in household(told * 8, SEED) if event.kind is EventKind.TOLD), told))
        for start in range(0, told, BATCH):
            batch = [
                MemoryEvent(id=e.id, kind=MemoryEvent.TOLD, user=e.user, text=e.text)
                for e in statements[start:][:BATCH]
            ]
            answer, _ = call(Remember, "memory/remember", Remember.Request(events=batch))
            if answer.result.code != Result.SUCCESS:
                raise NoAnswerError(f"memory/remember: {answer.result.message}")
            on_progress("remember", min(start + BATCH, told), told)
        different = questions(min(count, DIFFERENT), SEED)
        queries = [different[number % len(different)] for number in range(count)]
        for query in different:  # so that no vector has to be computed below
            call(Recall, "memory/recall", Recall.Request(query=query.text, user=query.user))
        for _ in range(WARM_UP):
            call(Trigger, SERVICE, Trigger.Request())
        trigger, recall = [], []
        for number, query in enumerate(queries, start=1):
            trigger.append(call(Trigger, SERVICE, Trigger.Request())[1])
            recall.append(call(Recall, "memory/recall", Recall.Request(query=query.text, user=query.user))[1])
            on_progress("round trips", number, count)
        stats = call(GetMemoryStats, "memory/stats", GetMemoryStats.Request())[0].stats
        return RoundTrips(
            trigger=Percentiles.of(trigger),
            recall=Percentiles.of(recall),
            library=Percentiles(stats.recall_p50, stats.recall_p99),
        )


@contextmanager
def service_client(
    domain_id: int, *, answer_s: float = ANSWER_S
) -> Iterator[Callable[[Any, str, Any], tuple[Any, float]]]:
    """Give a function that calls a service and returns its response and how long it took, in seconds.

    NoAnswerError where nobody answers within `answer_s`.
    """
    context = Context()
    rclpy.init(context=context, domain_id=domain_id, signal_handler_options=SignalHandlerOptions.NO)
    node = Node("karma_bench", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    clients: dict[str, Any] = {}

    def call(kind: Any, name: str, request: Any) -> tuple[Any, float]:
        client = clients.get(name) or clients.setdefault(name, node.create_client(kind, name))
        if not client.wait_for_service(timeout_sec=answer_s):
            raise NoAnswerError(f"nobody offers the service {name}")
        started = time.perf_counter()
        future = client.call_async(request)
        executor.spin_until_future_complete(future, timeout_sec=answer_s)
        if not future.done():
            raise NoAnswerError(f"the service {name} did not answer within {answer_s:.0f} s")
        return future.result(), time.perf_counter() - started

    try:
        yield call
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown(context=context)


@contextmanager
def running_module(name: str, *arguments: str, domain_id: int, stderr: int | None = None) -> Iterator[None]:
    """Run a module of Python in a domain, in a process that ends with the block. `stderr`: as for a process."""
    process = subprocess.Popen(  # noqa: S603 - our own
        [sys.executable, "-m", name, *arguments], env=os.environ | {"ROS_DOMAIN_ID": str(domain_id)}, stderr=stderr
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()
