# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions to a scene graph: how to get there, what is in it, where is one."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from karma_memory.scene import Layer, Node, Point, distance
from karma_memory.scene_graph.beliefs import Belief
from karma_memory.scene_graph.graph import SceneGraph


@dataclass(frozen=True)
class Sighting:
    """Where an object of a category is, or was."""

    belief: Belief
    likelihood: float
    """0..1, that it is there: the confidence of the belief, 0 once it has ended."""
    distance: float | None
    """Metres from the point asked for."""


def path_between(graph: SceneGraph, start: str, goal: str) -> tuple[list[Node], float] | None:
    """Return the areas on the shortest way between two areas and its length in metres; None if there is no way.

    Of ways that are equally short, always the same one, however the graph came about.
    """
    ways: list[tuple[float, tuple[str, ...]]] = [(0.0, (start,))] if start in graph and goal in graph else []
    reached: set[str] = set()
    while ways:
        length, ids = heapq.heappop(ways)
        if ids[-1] == goal:
            return [node for node in map(graph.node, ids) if node is not None], length
        if ids[-1] not in reached:
            reached.add(ids[-1])
            for area, metres in graph.roads(ids[-1]):
                heapq.heappush(ways, (length + metres, (*ids, area)))
    return None


def contents(graph: SceneGraph, node_id: str) -> list[Node]:
    """Return what is in or on an object, or what an area or a room contains."""
    node = graph.node(node_id)
    if node is None:
        return []
    if node.layer is Layer.OBJECT:
        return [item for item, _ in graph.supported(node_id)]
    return graph.children(node_id)


def where_is(graph: SceneGraph, category: str, *, near: Point | None = None, lost: bool = False) -> list[Sighting]:
    """Return where objects of a category are, most likely first, then nearest, then seen last.

    With `lost`, the last known places of those that are gone follow.
    """
    beliefs = [belief for node in graph.of_category(category) if (belief := graph.belief(node.id)) is not None]
    if lost:
        beliefs += [belief for belief in graph.lost() if belief.node.category == category]
    sightings = [
        Sighting(
            belief,
            belief.node.confidence if belief.valid_until is None else 0.0,
            None if near is None else distance(near, belief.node.position),
        )
        for belief in beliefs
    ]
    return sorted(
        sightings,
        key=lambda item: (-item.likelihood, item.distance or 0.0, -item.belief.node.last_seen, item.belief.node.id),
    )
