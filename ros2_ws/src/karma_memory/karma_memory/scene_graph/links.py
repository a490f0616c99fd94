# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which nodes of a scene are linked, and the metres between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karma_memory.scene_graph.graph_state import Ends

if TYPE_CHECKING:
    import networkx as nx


class Links:
    """Links between nodes, known or not, at most one between two: an undirected graph. Not thread-safe."""

    def __init__(self) -> None:
        self._graph: nx.Graph | None = None
        """Attribute `weight` of an edge: metres. None before the first."""

    def put(self, links: Sequence[Ends]) -> None:
        """Add links, or change their metres."""
        if self._graph is None and links:
            import networkx as nx  # takes 0.08 s, and a memory without areas has no links

            self._graph = nx.Graph()
        if self._graph is not None:
            self._graph.add_weighted_edges_from(links)

    def remove(self, one: str, other: str) -> None:
        """Take a link away, if it is there."""
        if self._graph is not None and self._graph.has_edge(one, other):
            self._graph.remove_edge(one, other)

    def remove_node(self, node_id: str) -> None:
        """Take all links of a node away."""
        if self._graph is not None and node_id in self._graph:
            self._graph.remove_node(node_id)

    def metres(self, one: str, other: str) -> float | None:
        """Return how far apart two nodes are, None where they are not linked."""
        return self.of(one).get(other)

    def of(self, node_id: str) -> dict[str, float]:
        """Return the nodes that one is linked with, each with the metres to it."""
        if self._graph is None or node_id not in self._graph:
            return {}
        return {other: link["weight"] for other, link in self._graph.adj[node_id].items()}

    def all(self) -> tuple[Ends, ...]:
        """Return all links."""
        return () if self._graph is None else tuple(self._graph.edges(data="weight"))
