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
from functools import partial
from typing import Any

from karma.soak.judge import CONTROL, LATENCIES
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
    """Return milliseconds by what was asked for (`LATENCIES`), and the control's behind `CONTROL`.

    GraphError where one has no answer, or no plan, within `ANSWER_S`.
    """
    recall, question = Recall.Request(query="where is the pan"), Ask.Request(question="Where is the pan?")
    ways: tuple[tuple[Callable[[GraphClient], None], int], ...] = (
        (partial(_call, Recall, "memory/recall", recall), CALLS),
        (partial(_call, Ask, "memory/ask", question), CALLS),
        (_plan, PLANS),
    )
    found = {}
    for name, (ask, times) in zip(LATENCIES, ways, strict=True):
        took = [(_ms(ask, graph), _ms(ask, control)) for _ in range(times)]
        found[name], found[name + CONTROL] = map(quick, zip(*took, strict=True))
    return found


def quick(took: Sequence[float]) -> float:
    """Return what the quickest tenth of some times ends at."""
    return statistics.quantiles(took, n=10)[0]


def _ms(ask: Callable[[GraphClient], None], graph: GraphClient) -> float:
    began = time.perf_counter()
    ask(graph)
    return 1000.0 * (time.perf_counter() - began)


def _call(service: Any, name: str, request: Any, graph: GraphClient) -> None:
    done = threading.Event()
    graph.service(service, name).call_async(request).add_done_callback(lambda _: done.set())
    if not done.wait(ANSWER_S):
        raise GraphError(f"the service {name!r} did not answer within {ANSWER_S:.0f} s")


def _plan(graph: GraphClient) -> None:
    done = graph.run_action(ExecuteInstruction, "execute_instruction", PLAN, timeout=ANSWER_S)
    if not done.skills:
        raise GraphError(f"no plan at night: {done.result.message}")
