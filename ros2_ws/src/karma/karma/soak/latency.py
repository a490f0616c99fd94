# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How long a graph takes to answer, beside another to which nothing has happened.

The machine's own speed drifts by a third and more in an hour. It slows both alike.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.srv import Ask, Recall
from karma_ros.client import GraphClient, GraphError

CALLS = 200
"""Of which the quickest tenth ends at what is taken for the latency: what else the machine does slows the others."""
PLANS = 20
"""The same of plans, which take longer."""
ANSWER_S = 10.0
PLAN = ExecuteInstruction.Goal(instruction="Put the pan in the sink.", user="soak", dry_run=True)
"""Nobody moves the pan: what has to be searched for takes another plan than what is where it was."""


def latencies(graph: GraphClient, control: GraphClient) -> dict[str, float]:
    """Return milliseconds by what was asked for, of both: "recall ms", "recall ms, control".

    GraphError where one has no answer, or no plan, within `ANSWER_S`.
    """
    found = {}
    for name, make, times in (
        ("recall", _calling(Recall, "memory/recall", Recall.Request(query="where is the pan")), CALLS),
        ("ask", _calling(Ask, "memory/ask", Ask.Request(question="Where is the pan?")), CALLS),
        ("plan", _planning, PLANS),
    ):
        asked = make(graph), make(control)
        took = [[_ms(one) for one in asked] for _ in range(times)]
        found[f"{name} ms"], found[f"{name} ms, control"] = map(quick, zip(*took, strict=True))
    return found


def quick(took: Sequence[float]) -> float:
    """Return what the quickest tenth of some times ends at."""
    return statistics.quantiles(took, n=10)[0]


def _ms(ask: Callable[[], None]) -> float:
    began = time.perf_counter()
    ask()
    return 1000.0 * (time.perf_counter() - began)


def _calling(service: Any, name: str, request: Any) -> Callable[[GraphClient], Callable[[], None]]:
    def of(graph: GraphClient) -> Callable[[], None]:
        client = graph.service(service, name)

        def call() -> None:
            done = threading.Event()
            client.call_async(request).add_done_callback(lambda _: done.set())
            if not done.wait(ANSWER_S):
                raise GraphError(f"the service {name!r} did not answer within {ANSWER_S:.0f} s")

        return call

    return of


def _planning(graph: GraphClient) -> Callable[[], None]:
    def plan() -> None:
        done = graph.run_action(ExecuteInstruction, "execute_instruction", PLAN, timeout=ANSWER_S)
        if not done.skills:
            raise GraphError(f"no plan at night: {done.result.message}")

    return plan
