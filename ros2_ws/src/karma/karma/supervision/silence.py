# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of nodes that live: which answer nobody, which wait for somebody, and what is wrong with which.

What drives a robot and does not answer is killed, and started again: that brings it to rest.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from diagnostic_msgs.msg import DiagnosticArray

from karma.lifecycle import GIVE_BACK, PROBLEMS, State
from karma.supervision.running_graph import RunningGraph
from karma.supervision.troubles import Troubles
from karma_ros import MANAGER
from karma_ros.client import GraphClient
from karma_ros.diagnostics import TOPIC, full_name
from karma_ros.diagnostics_watch import DiagnosticsWatch

SILENT_S = 5.0
"""A node is told that has not answered for so long: shorter, it may just be busy."""


class Silence:
    """Hears from the lifecycle manager of a graph which nodes do not answer or wait for somebody; a context manager.

    That is what a bond is for elsewhere: the manager asks each node for its state. A process that has not answered yet,
    or died, is none of its concern. Use it from one thread.
    """

    def __init__(self, graph: RunningGraph) -> None:
        """`graph` is active. GraphError when its supervisor is gone."""
        self._graph = graph
        self._answered = graph.pids
        """The process of each node that answered last."""
        self._told: set[str] = set()
        self._hearing = threading.Lock()
        self._reported: float | None = None
        """When the manager told last how all nodes are, by time.monotonic(); None before it has."""
        self._since: dict[str, float] = {}
        """When it told first that a node does not answer, of those of which it told so since."""
        self._held: dict[str, str] = {}
        """What it tells of the nodes that are looked after no more: taken down by hand, or given up."""
        self._held_told: dict[str, str] = {}
        self._over: frozenset[str] = frozenset()
        """The nodes that have shut down and were given back since: only a new process can be activated."""
        self._ended: dict[str, int] = {}
        """The process of each that was ended for that."""
        self._troubles = Troubles()
        self.client = GraphClient(name="karma_silence", namespace=graph.namespace, domain_id=graph.domain_id)
        self.diagnostics = DiagnosticsWatch(self.client)
        """What they say."""
        self._manager = f"{full_name(MANAGER, graph.namespace)}: "
        self.client.node.create_subscription(DiagnosticArray, TOPIC, self._hear, 10)

    def __enter__(self) -> Silence:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def _hear(self, message: DiagnosticArray) -> None:
        said = {
            status.name.removeprefix(self._manager): status.message
            for status in message.status
            if status.name.startswith(self._manager)
        }
        if not said:
            return
        with self._hearing:
            now = self._reported = time.monotonic()
            silent = (name for name, problem in said.items() if problem == PROBLEMS[State.UNREACHABLE])
            self._since = {name: self._since.get(name, now) for name in silent}
            self._over = frozenset(name for name, problem in said.items() if problem == PROBLEMS[State.FINALIZED])
            self._held = {name: problem for name, problem in said.items() if GIVE_BACK in problem}

    def look(self) -> Iterator[str]:
        """Yield what is to be told since the last look, and kill what drives a robot where that does not answer.

        GraphError when the supervisor is gone.
        """
        yield from self._troubles.news(self.diagnostics.troubles())
        pids = self._graph.pids
        with self._hearing:
            reported, since, held, over = self._reported, self._since, self._held, self._over
        if reported is None:
            return
        for name, problem in held.items():
            if self._held_told.get(name) != problem:
                yield f"{name} {problem}"
        self._held_told = held
        for name in over & pids.keys():
            if self._ended.get(name) != pids[name]:
                self._ended[name] = pids[name]
                self._graph.kill(name)
                yield f"{name} had shut down: its process is started again"
        self._answered |= {name: pid for name, pid in pids.items() if name not in since}
        silent = {name: reported - since[name] for name in since if self._answered.get(name, 0) == pids.get(name)}
        for name in self._told - silent.keys():
            self._told.remove(name)
            if name not in since:
                yield f"{name} answers again"
        for name, seconds in silent.items():
            ending = self._graph.endings.get(name, 0)
            if name not in self._told and seconds >= SILENT_S:
                self._told.add(name)
                yield f"{name} has not answered for {seconds:.0f} s" + (_ROBOT if ending else "")
            if ending and seconds >= ending:
                del self._answered[name]
                self._graph.kill(name)
                yield f"{name} did not answer for {seconds:.0f} s and was killed"


_ROBOT = (
    ": nothing watches the robot, ./karma stop does not reach it, and it may go on to its last goal; if it moves, press"
    " its emergency stop. Still silent, it is killed and started again, which brings the robot to rest"
)
