# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Bringing lifecycle nodes up in order and back after a restart, as a policy without ROS.

What somebody else deactivates, cleans up or shuts down stays so until it is given back. What refuses is asked less and
less often, and then no more.

The states and transitions are those of https://design.ros2.org/articles/node_lifecycle.html.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class State(Enum):
    """What a node says of itself, and UNREACHABLE when it says nothing."""

    UNREACHABLE = 0
    UNCONFIGURED = 1
    INACTIVE = 2
    ACTIVE = 3
    FINALIZED = 4
    IN_TRANSITION = 5


class Transition(Enum):
    """What a node can be told."""

    CONFIGURE = 1
    CLEANUP = 2
    ACTIVATE = 3
    DEACTIVATE = 4
    SHUTDOWN = 5


class LifecycleCalls(Protocol):
    """Bounded calls to lifecycle nodes, by node name."""

    def state(self, node: str) -> State:
        """Return the node's state; UNREACHABLE when it does not answer in time."""

    def change(self, node: str, transition: Transition) -> bool:
        """Ask for a transition and return whether the node made it."""


ATTEMPTS = 8
"""A node that has refused so often in a row is asked no more."""
FIRST_PAUSE_S = 1.0
"""After the first refusal; each further one doubles it."""
LONGEST_PAUSE_S = 30.0
GIVE_BACK = "./karma activate"
"""The command to look again after what was left alone or given up; `lifecycle_manager/activate` is the service."""
BY_HAND = "by hand"
"""Part of the problem of every node that is left alone, and of those that wait for one."""


@dataclass(frozen=True)
class NodeReport:
    """How one node stands."""

    node: str
    state: State
    problem: str = ""
    """Why it is not active; empty when it is."""
    left: bool = False
    """Whether it is left alone, because somebody else has told it to go down."""
    given_up: bool = False
    """Whether it is asked no more, because it refused too often."""


@dataclass
class _Record:
    """What is remembered of a node from one round to the next."""

    was_active: bool = False
    left: Transition | None = None
    """What somebody else has told it to do, so that it is left alone."""
    finalized: bool = False
    refusals: int = 0
    refused_in: State | None = None
    refusal: str = ""
    again_at: float = 0.0


class Sequencer:
    """Activates nodes one after the other; a node waits until all before it are active. Use it from one thread."""

    def __init__(
        self, nodes: Sequence[str], calls: LifecycleCalls, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._nodes = tuple(nodes)
        self._calls = calls
        self._now = now
        self._records = {node: _Record() for node in nodes}

    def bring_up(self, *, stopping: Callable[[], bool] = lambda: False) -> list[NodeReport]:
        """Go once through all nodes, tell those that are not active what to do next, and report on each."""
        reports: list[NodeReport] = []
        for node in self._nodes:
            if stopping():
                break
            earlier = next((report for report in reports if report.state is not State.ACTIVE), None)
            reports.append(self._look_after(node, earlier))
        return reports

    def leave(self, node: str, transition: Transition) -> None:
        """Take note that somebody else has told a node to go down: it is left alone until it is given back."""
        self._records[node].left = transition

    def give_back(self) -> None:
        """Look after all nodes again, those that were left alone and those that refused too often."""
        self._records = {node: _Record(finalized=self._records[node].finalized) for node in self._nodes}

    def take_down(self) -> None:
        """Deactivate and clean up the nodes that can be reached, in reverse order."""
        for node in reversed(self._nodes):
            state = self._calls.state(node)
            if state is State.ACTIVE and self._calls.change(node, Transition.DEACTIVATE):
                state = State.INACTIVE
            if state is State.INACTIVE:
                self._calls.change(node, Transition.CLEANUP)

    def _look_after(self, node: str, earlier: NodeReport | None) -> NodeReport:
        state = self._calls.state(node)
        record = self._records[node]
        if state is State.ACTIVE:  # also when somebody else has activated it
            self._records[node] = _Record(was_active=True)
            return NodeReport(node, state)
        if state is State.FINALIZED and not record.finalized:
            record.left = Transition.SHUTDOWN
        record.finalized = state is State.FINALIZED or (record.finalized and state is State.UNREACHABLE)
        if state is State.INACTIVE and record.was_active:
            record.left = record.left or Transition.DEACTIVATE
        if state is State.UNCONFIGURED:  # its process was started again
            record.was_active = False
        if state is State.UNREACHABLE:  # it may have died
            record.refused_in = None
        if state in (State.UNREACHABLE, State.IN_TRANSITION):
            return NodeReport(node, state, PROBLEMS[state])
        if record.left is not None:
            return NodeReport(node, state, f"{DONE[record.left]} {BY_HAND}: {GIVE_BACK} activates it again", left=True)
        if state is State.FINALIZED:
            return NodeReport(node, state, PROBLEMS[state])
        if earlier is not None:
            told = f", which was taken down {BY_HAND}" if BY_HAND in earlier.problem else ""
            return NodeReport(node, state, f"waits for {earlier.node}{told}")
        if state is not record.refused_in:
            record.refusals = 0
        elif self._now() < record.again_at:
            return self._refused(node, state, record)
        return self._activate(node, state, record)

    def _activate(self, node: str, state: State, record: _Record) -> NodeReport:
        for start, transition, end in (
            (State.UNCONFIGURED, Transition.CONFIGURE, State.INACTIVE),
            (State.INACTIVE, Transition.ACTIVATE, State.ACTIVE),
        ):
            if state is start:
                if not self._calls.change(node, transition):
                    record.refusals += 1
                    record.refused_in = state
                    record.refusal = f"could not {transition.name.lower()}: see its log"
                    pause = min(FIRST_PAUSE_S * 2 ** (record.refusals - 1), LONGEST_PAUSE_S)
                    record.again_at = self._now() + (pause if record.refusals < ATTEMPTS else math.inf)
                    return self._refused(node, state, record)
                state = end
        self._records[node] = _Record(was_active=True)
        return NodeReport(node, state)

    @staticmethod
    def _refused(node: str, state: State, record: _Record) -> NodeReport:
        if record.refusals < ATTEMPTS:
            return NodeReport(node, state, record.refusal)
        given_up = f"given up after {ATTEMPTS} times: {GIVE_BACK} tries again"
        return NodeReport(node, state, f"{record.refusal}, {given_up}", given_up=True)


DONE = {
    Transition.CLEANUP: "was cleaned up",
    Transition.DEACTIVATE: "was deactivated",
    Transition.SHUTDOWN: "was shut down",
}

PROBLEMS = {
    State.UNREACHABLE: "does not answer: not started yet, or hanging",
    State.FINALIZED: "has shut down: end its process, and it is started again",
    State.IN_TRANSITION: "is changing its state",
}
