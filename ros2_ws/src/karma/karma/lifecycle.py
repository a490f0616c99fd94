# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Bringing lifecycle nodes up in order and back after a restart, as a policy without ROS.

The states and transitions are those of https://design.ros2.org/articles/node_lifecycle.html.
"""

from __future__ import annotations

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


class LifecycleCalls(Protocol):
    """Bounded calls to lifecycle nodes, by node name."""

    def state(self, node: str) -> State:
        """Return the node's state; UNREACHABLE when it does not answer in time."""

    def change(self, node: str, transition: Transition) -> bool:
        """Ask for a transition and return whether the node made it."""


@dataclass(frozen=True)
class NodeReport:
    """How one node stands."""

    node: str
    state: State
    problem: str = ""
    """Why it is not active; empty when it is."""


class Sequencer:
    """Activates nodes one after the other; a node waits until all before it are active."""

    def __init__(self, nodes: Sequence[str], calls: LifecycleCalls) -> None:
        self._nodes = tuple(nodes)
        self._calls = calls

    def bring_up(self, *, stopping: Callable[[], bool] = lambda: False) -> list[NodeReport]:
        """Go once through all nodes, tell those that are not active what to do next, and report on each."""
        reports: list[NodeReport] = []
        for node in self._nodes:
            if stopping():
                break
            state = self._calls.state(node)
            earlier = [report.node for report in reports if report.state is not State.ACTIVE]
            if earlier and state is not State.ACTIVE:
                reports.append(NodeReport(node, state, f"waits for {earlier[0]}"))
                continue
            reports.append(self._activate(node, state))
        return reports

    def take_down(self) -> None:
        """Deactivate and clean up the nodes that can be reached, in reverse order."""
        for node in reversed(self._nodes):
            state = self._calls.state(node)
            if state is State.ACTIVE and self._calls.change(node, Transition.DEACTIVATE):
                state = State.INACTIVE
            if state is State.INACTIVE:
                self._calls.change(node, Transition.CLEANUP)

    def _activate(self, node: str, state: State) -> NodeReport:
        for start, transition, end in (
            (State.UNCONFIGURED, Transition.CONFIGURE, State.INACTIVE),
            (State.INACTIVE, Transition.ACTIVATE, State.ACTIVE),
        ):
            if state is start:
                if not self._calls.change(node, transition):
                    return NodeReport(node, state, f"could not {transition.name.lower()}: see its log")
                state = end
        return NodeReport(node, state, PROBLEMS.get(state, ""))


PROBLEMS = {
    State.UNREACHABLE: "does not answer: not started yet, or hanging",
    State.FINALIZED: "has shut down and must be restarted",
    State.IN_TRANSITION: "is changing its state",
}
