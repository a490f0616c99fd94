# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The trajectory graph of a scene: states, and what was done in them (BrainMem, appendix B.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import networkx as nx

from karma_memory.episodic.attempts import State, Transition
from karma_memory.working.actions import Action


@dataclass
class Edge:
    """All times that an action led from one state to another."""

    before: State
    after: State
    action: Action
    successes: int = 0
    failures: int = 0
    messages: Counter[str] = field(default_factory=Counter)
    """What the skill said when it failed → how often."""

    @property
    def is_failed_path(self) -> bool:
        """Whether it never worked."""
        return self.failures > 0 and not self.successes


class TrajectoryGraph:
    """States of one scene, merged over its attempts. What it holds is the sum of the transitions that were added."""

    def __init__(self) -> None:
        self._graph: nx.MultiDiGraph = nx.MultiDiGraph()

    def __len__(self) -> int:
        return len(self._graph)

    def add(self, step: Transition) -> None:
        """Add a transition."""
        self._count(step, 1)

    def remove(self, step: Transition) -> None:
        """Take out a transition that was added, and states that nothing leads to or from any more."""
        self._count(step, -1)
        key = step.action.text
        edge = self._graph.edges[step.before, step.after, key]["edge"]
        if not edge.successes + edge.failures:
            self._graph.remove_edge(step.before, step.after, key)
            for state in {step.before, step.after}:
                if not self._graph.degree(state):
                    self._graph.remove_node(state)

    def states(self) -> list[State]:
        """Return the states, sorted."""
        return sorted(self._graph.nodes)

    def edges(self) -> Iterator[Edge]:
        """Yield what was done."""
        for _, _, edge in self._graph.edges(data="edge"):
            yield edge

    def edge(self, step: Transition) -> Edge | None:
        """Return all times that a transition was made; None where it never was."""
        found = self._graph.get_edge_data(step.before, step.after, step.action.text)
        return found["edge"] if found else None

    def tried(self, state: State, kind: tuple[str, str, str]) -> tuple[int, int]:
        """Return how often an action succeeded and failed in a state."""
        known = self._graph.edges(state, data="edge") if state in self._graph else ()
        found = [edge for _, _, edge in known if edge.action.kind == kind]
        return sum(edge.successes for edge in found), sum(edge.failures for edge in found)

    def _count(self, step: Transition, change: int) -> None:
        key = step.action.text
        if not self._graph.has_edge(step.before, step.after, key):
            self._graph.add_edge(step.before, step.after, key, edge=Edge(step.before, step.after, step.action))
        edge = self._graph.edges[step.before, step.after, key]["edge"]
        if step.done:
            edge.successes += change
        else:
            edge.failures += change
            edge.messages[step.message] += change
            if not edge.messages[step.message]:
                del edge.messages[step.message]
