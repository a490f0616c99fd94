# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The hierarchical 3D scene graph (KARMA 3.3): floors → rooms → areas → objects, as values; their differences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from operator import attrgetter

Vector = tuple[float, float, float]
"""x, y, z in metres."""


class Layer(IntEnum):
    """Layers of the hierarchy; the values equal those of karma_interfaces/SceneNode."""

    FLOOR = 0
    ROOM = 1
    AREA = 2
    OBJECT = 3


class EdgeType(IntEnum):
    """Relations that are not containment in the hierarchy; the values equal those of karma_interfaces/SceneEdge."""

    REACHABLE = 0
    ON = 1
    IN = 2
    NEAR = 3
    PART_OF = 4


@dataclass(frozen=True)
class Node:
    """A floor, room, area or object; see karma_interfaces/SceneNode."""

    id: str
    layer: Layer
    category: str
    name: str
    parent: str
    """Id of the node one layer up; empty for a floor."""
    center: Vector
    """Metres, map frame."""
    size: Vector
    """Full extents along the box's axes, metres."""
    movable: bool = False
    receptacle: str = ""
    relation: str = ""
    """"on", "in", "held" or empty."""
    states: Mapping[str, str] = field(default_factory=dict)
    confidence: float = 1.0
    last_seen: float = 0.0
    """Seconds."""
    support_heights: tuple[float, ...] = ()
    """Heights (z) of the surfaces that hold things, metres, map frame, ascending."""
    yaw: float = 0.0
    """Radians by which the box is turned about the map's z axis, from -π/4 to π/4; it stands upright."""

    @property
    def volume(self) -> float:
        """Volume of the box, cubic metres."""
        return math.prod(self.size)


EdgeKey = tuple[EdgeType, str, str]
"""Type, source, target."""


@dataclass(frozen=True)
class Edge:
    """A relation between two nodes; see karma_interfaces/SceneEdge."""

    type: EdgeType
    source: str
    target: str
    weight: float = 0.0
    """Metres."""

    @property
    def key(self) -> EdgeKey:
        """What makes the edge this one and no other."""
        return (self.type, self.source, self.target)


@dataclass(frozen=True)
class SceneGraph:
    """All that is known of one scene at one instant."""

    scene: str = ""
    stamp: float = 0.0
    """Seconds; the newest observation in it."""
    nodes: Mapping[str, Node] = field(default_factory=dict)
    edges: Mapping[EdgeKey, Edge] = field(default_factory=dict)

    def layer(self, layer: Layer) -> tuple[Node, ...]:
        """Return the nodes of one layer."""
        return tuple(n for n in self.nodes.values() if n.layer == layer)

    def check(self) -> None:
        """Raise ValueError when a parent, a receptacle or an end of an edge is missing or in the wrong layer."""
        for node in self.nodes.values():
            parent = self.nodes.get(node.parent)
            if node.layer == Layer.FLOOR:
                if node.parent:
                    raise ValueError(f"floor {node.id!r} has a parent")
            elif parent is None or parent.layer != node.layer - 1:
                raise ValueError(f"{node.id!r} needs a parent one layer up, has {node.parent!r}")
            if node.receptacle and node.receptacle not in self.nodes:
                raise ValueError(f"the receptacle {node.receptacle!r} of {node.id!r} is not in the graph")
        for edge in self.edges.values():
            if edge.source not in self.nodes or edge.target not in self.nodes:
                raise ValueError(f"an end of the edge {edge.source!r} - {edge.target!r} is not in the graph")


@dataclass(frozen=True)
class Delta:
    """What turns one graph into another of the same scene."""

    stamp: float
    nodes: tuple[Node, ...] = ()
    """New and changed nodes."""
    removed_nodes: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    """New and changed edges."""
    removed_edges: tuple[EdgeKey, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.nodes or self.removed_nodes or self.edges or self.removed_edges)


@dataclass(frozen=True)
class Tolerance:
    """What is too little to be worth telling."""

    length: float = 0.02
    """Metres; of positions, sizes and weights."""
    angle: float = 0.05
    """Radians."""
    confidence: float = 0.1
    age: float = 5.0
    """Seconds; a node that is otherwise the same is sent again when its last_seen is newer by this much, and an empty
change when the graph's stamp is."""


def diff(old: SceneGraph, new: SceneGraph, tolerance: Tolerance | None = None) -> Delta:
    """Return what to tell someone who knows `old` so that they know `new`, up to the tolerance.

    With a tolerance of nothing, ``apply(diff(old, new), old) == new``. ValueError when the scenes differ.
    """
    if old.scene != new.scene:
        raise ValueError(f"graphs of different scenes have no difference: {old.scene!r} and {new.scene!r}")
    limit = tolerance or Tolerance()
    return Delta(
        stamp=new.stamp,
        nodes=tuple(n for n in new.nodes.values() if _node_changed(old.nodes.get(n.id), n, limit)),
        removed_nodes=tuple(i for i in old.nodes if i not in new.nodes),
        edges=tuple(e for e in new.edges.values() if _edge_changed(old.edges.get(e.key), e, limit)),
        removed_edges=tuple(k for k in old.edges if k not in new.edges),
    )


def apply(delta: Delta, graph: SceneGraph) -> SceneGraph:
    """Return `graph` with the changes made."""
    nodes = {i: n for i, n in graph.nodes.items() if i not in set(delta.removed_nodes)}
    nodes.update((n.id, n) for n in delta.nodes)
    edges = {k: e for k, e in graph.edges.items() if k not in set(delta.removed_edges)}
    edges.update((e.key, e) for e in delta.edges)
    return SceneGraph(scene=graph.scene, stamp=delta.stamp, nodes=nodes, edges=edges)


_exactly = attrgetter("layer", "category", "name", "parent", "movable", "receptacle", "relation", "states")
"""What of a node knows no tolerance."""


def _node_changed(old: Node | None, new: Node, limit: Tolerance) -> bool:
    if old is None:
        return True
    return (
        _exactly(old) != _exactly(new)
        or _far(old.center, new.center, limit.length)
        or _far(old.size, new.size, limit.length)
        or abs(old.yaw - new.yaw) > limit.angle
        or _shifted(old.support_heights, new.support_heights, limit.length)
        or abs(old.confidence - new.confidence) > limit.confidence
        or abs(new.last_seen - old.last_seen) > limit.age
    )


def _edge_changed(old: Edge | None, new: Edge, limit: Tolerance) -> bool:
    # A driving distance through a grid wobbles by a cell: a twentieth of it more is no news.
    return old is None or abs(old.weight - new.weight) > limit.length + (0.05 * old.weight if limit.length else 0.0)


def _shifted(old: tuple[float, ...], new: tuple[float, ...], limit: float) -> bool:
    return old != new and (len(old) != len(new) or max(abs(a - b) for a, b in zip(old, new, strict=True)) > limit)


def _far(a: Vector, b: Vector, limit: float) -> bool:
    return a != b and math.dist(a, b) > limit
