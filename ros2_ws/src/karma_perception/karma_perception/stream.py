# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scene graph as a numbered stream of changes without gaps."""

from __future__ import annotations

from dataclasses import dataclass

from karma_perception.scene_graph import Delta, SceneGraph, Tolerance, apply, diff


@dataclass(frozen=True)
class Update:
    """One message of the stream."""

    sequence: int
    """1 for the first message of a map, then one more each."""
    full: bool
    """Whether the delta is everything, from nothing."""
    scene: str
    delta: Delta


class GraphStream:
    """Turns successive graphs into updates.

    `graph` is what a subscriber knows that got them all; what is below the tolerance waits there until it adds up.
    """

    def __init__(self, tolerance: Tolerance | None = None) -> None:
        self._tolerance = tolerance or Tolerance()
        self._epoch: int | None = None
        self._first = 1
        self.sequence = 0
        """Of the last update, 0 before the first."""
        self.graph = SceneGraph()

    def advance(self, graph: SceneGraph, epoch: int) -> Update | None:
        """Return what to tell about a new graph, None when that is nothing; a new epoch starts over.

        That nothing has changed is told, too, when the last update is older than the tolerance's age: else nobody could
        tell it from a perception that is behind.
        """
        if epoch != self._epoch:
            self._epoch, self.sequence, self.graph = epoch, self._first, graph
            self._first = 1
            return Update(self.sequence, True, graph.scene, everything(graph))
        delta = diff(self.graph, graph, self._tolerance)
        if not delta and abs(graph.stamp - self.graph.stamp) <= self._tolerance.age:
            return None
        self.graph = apply(delta, self.graph)
        self.sequence += 1
        return Update(self.sequence, False, graph.scene, delta)

    def resume(self, sequence: int) -> None:
        """Go on after a map was loaded that was saved after the update `sequence`.

        The next update is full, and its number is higher than any that was told of the map.
        """
        self._epoch, self._first = None, max(sequence, self.sequence) + 1

    def full(self) -> Update:
        """Return everything that has been told so far, under the number of the last update."""
        return Update(self.sequence, True, self.graph.scene, everything(self.graph))


def everything(graph: SceneGraph) -> Delta:
    """Return the whole graph as a change from nothing."""
    return Delta(stamp=graph.stamp, nodes=tuple(graph.nodes.values()), edges=tuple(graph.edges.values()))
