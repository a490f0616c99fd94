# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a soak sees of the graph from outside: whether it is well, what it tells, how big and how quick it is."""

from __future__ import annotations

import os
import time
import uuid
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from std_srvs.srv import Trigger

from karma.soak.judge import SHARED
from karma.soak.latency import latencies
from karma.supervision import RunningGraph
from karma_interfaces.msg import MemoryEvent, Result
from karma_interfaces.srv import GetMemoryStats, Recall, Remember
from karma_ros import MANAGER
from karma_ros.client import GraphClient, GraphError
from karma_ros.diagnostics import OK, TOPIC
from karma_ros.processor_time import processor_s

RESIDENT = (("RssAnon", "RssFile"), ("RssShmem",))
"""Fields of /proc/PID/status: what is the process' own, and what it shares with others."""
LOOK_S = 0.2
TOLD_S = 2.5
"""Nodes tell how they are every second."""
WITNESS, PEOPLE, CONTROL_WITNESS = "soak_witness", "soak_people", "soak_control"
"""Nodes of the soak itself."""
RESTING, RESTLESS_S = 0.1, 20.0
"""The share of a core that the graph takes at rest, at most, and how many seconds that is waited for."""


class Witness:
    """Looks at a running graph, and at one to which nothing happens. For one thread."""

    def __init__(self, client: GraphClient, graph: RunningGraph, control: GraphClient) -> None:
        self._client, self._graph, self._control = client, graph, control
        self._told: deque[tuple[float, str]] = deque(maxlen=10_000)
        client.node.create_subscription(DiagnosticArray, TOPIC, self._hear, 50)

    def _hear(self, message: DiagnosticArray) -> None:
        now = time.monotonic()
        self._told += [(now, f"{s.name}: {s.message}") for s in message.status if s.level != OK]

    def trouble(self) -> str:
        """Return what ./karma health says, where not all is well."""
        try:
            answer = self._client.call(Trigger, f"{MANAGER}/is_active", Trigger.Request(), timeout=2.5, grace=1.0)
        except GraphError as error:
            trouble = str(error)
        else:
            trouble = "" if answer.success else str(answer.message)
        if trouble:
            self._told.append((time.monotonic(), trouble))
        return trouble

    def told_since(self, then: float, words: Sequence[str]) -> str:
        """Return the first that health or the diagnostics told since `then` with one of some words; "" for none.

        `then`: as of time.monotonic(). What has come lately is told within `TOLD_S`.
        """
        until = time.monotonic() + TOLD_S if words else 0.0
        while True:
            told = (text for moment, text in list(self._told) if moment >= then)
            found = next((text for text in told if any(word in text for word in words)), "")
            if found or time.monotonic() >= until:
                return found
            time.sleep(LOOK_S)

    def watch(self, seconds: float) -> None:
        """Let time pass, and note what is told of what is wrong."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0.0:
            self.trouble()
            time.sleep(min(LOOK_S, max(left, 0.0)))

    def wait_well(self, limit: float) -> None:
        """Wait until every node is active, the memory works and the planner answers.

        GraphError where that takes longer than `limit` seconds.
        """
        began = time.monotonic()
        while trouble := self.trouble() or self._memory_trouble() or self._planner_trouble():
            if time.monotonic() - began > limit:
                raise GraphError(f"not back after {limit:.0f} s: {trouble}")
            time.sleep(LOOK_S)

    def _memory_trouble(self) -> str:
        event = MemoryEvent(id=str(uuid.uuid4()), kind=MemoryEvent.TOLD, user=WITNESS, text="All is well.")
        requests = (
            (Recall, "memory/recall", Recall.Request(query="mug")),
            (Remember, "memory/remember", Remember.Request(events=[event])),
        )
        try:
            for service, name, request in requests:
                answer = self._client.call(service, name, request, timeout=3.0, repeat=1.0)
                if answer.result.code != Result.SUCCESS:
                    return str(answer.result.message)
        except GraphError as error:
            return str(error)
        return ""

    def _planner_trouble(self) -> str:
        """Return why nothing can be said to the planner; "" where it answers, which changes nothing."""
        try:
            answer = self._client.call(Trigger, "resume", Trigger.Request(), timeout=3.0, repeat=1.0)
        except GraphError as error:
            return str(error)
        return "" if answer.success else str(answer.message)

    def figures(self) -> dict[str, float]:
        """Return what the graph takes of the machine and how long answers take, at rest. GraphError, OSError."""
        self._wait_for_rest()
        figures: dict[str, float] = {}
        for name, pid in self._graph.pids.items():
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
            fields = dict(line.split(":", 1) for line in status.splitlines())
            own, shared = (sum(int(fields[each].split()[0]) for each in kinds) / 1024.0 for kinds in RESIDENT)
            figures |= {f"{name} resident MB": own, f"{name} {SHARED}": shared}
            figures[f"{name} threads"] = int(fields["Threads"])
            figures[f"{name} files"] = len(os.listdir(f"/proc/{pid}/fd"))
        figures["endpoints"] = self._endpoints()
        figures |= latencies(self._client, self._control)
        stats = self._client.call(GetMemoryStats, "memory/stats", GetMemoryStats.Request()).stats
        remembered = {"rooms": stats.rooms, "areas": stats.areas, "things": stats.objects}
        return {**figures, **remembered, "events": stats.events, "journal MB": stats.journal_bytes / 1e6}

    def _wait_for_rest(self) -> None:
        """Wait until the graph has done what the day left to do, or `RESTLESS_S`."""
        began = time.monotonic()
        busy_s = 1.0
        while busy_s > RESTING and time.monotonic() - began < RESTLESS_S:
            before = sum(map(processor_s, self._graph.pids.values()))
            time.sleep(1.0)
            busy_s = sum(map(processor_s, self._graph.pids.values())) - before

    def _endpoints(self) -> int:
        """Return how many publishers and subscriptions, also hidden ones, the domain has but for our own."""
        node = self._client.node
        topics = [name for name, _ in node.get_topic_names_and_types(no_demangle=True)]
        ends = (
            end
            for topic in topics
            for get in (node.get_publishers_info_by_topic, node.get_subscriptions_info_by_topic)
            for end in get(topic, no_mangle=True)
        )
        return sum(end.node_name not in (WITNESS, PEOPLE) for end in ends)
