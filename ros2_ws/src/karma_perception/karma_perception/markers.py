# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scene graph as 3D markers: one namespace for each layer, stable ids, and only what changed."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from karma_perception.scene_graph import EdgeType, Layer, Node, SceneGraph, Vector

Color = tuple[float, float, float, float]
"""Red, green, blue, alpha, 0..1."""

_DARK: Color = (0.1, 0.1, 0.1, 1.0)
_AREA: Color = (0.15, 0.35, 0.75, 0.9)
_ROAD: Color = (0.15, 0.35, 0.75, 0.5)
_SUPPORT: Color = (0.85, 0.45, 0.1, 0.8)
_PART: Color = (0.5, 0.3, 0.65, 0.8)


class Shape(Enum):
    """What a marker looks like."""

    BOX = "box"
    BALL = "ball"
    TEXT = "text"
    LINES = "lines"


@dataclass(frozen=True)
class Marker:
    """One marker in the map frame."""

    shape: Shape
    center: Vector
    size: Vector
    """Extents in metres; of text, z is the height of a letter; of lines, x is the width."""
    color: Color
    text: str = ""
    points: tuple[Vector, ...] = ()
    """Ends of lines, in pairs."""
    yaw: float = 0.0
    """Radians by which it is turned about z."""


MarkerKey = tuple[str, int]
"""Namespace and id."""


class MarkerBook:
    """Keeps track of what has been shown, so that only changes are sent."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._shown: dict[MarkerKey, Marker] = {}

    def update(self, graph: SceneGraph) -> tuple[dict[MarkerKey, Marker], list[MarkerKey]]:
        """Return the markers to add or change, and those to delete."""
        now = dict(self._draw(graph))
        changed = {k: m for k, m in now.items() if self._shown.get(k) != m}
        gone = [k for k in self._shown if k not in now]
        self._shown = now
        return changed, gone

    @property
    def shown(self) -> dict[MarkerKey, Marker]:
        """Everything that is shown, for someone who comes late."""
        return dict(self._shown)

    def clear(self) -> None:
        """Forget what has been shown; the numbers of nodes start over."""
        self._numbers.clear()
        self._shown.clear()

    def _number(self, node_id: str) -> int:
        return self._numbers.setdefault(node_id, len(self._numbers))

    def _draw(self, graph: SceneGraph) -> Iterator[tuple[MarkerKey, Marker]]:
        for node in graph.nodes.values():
            number = self._number(node.id)
            for namespace, marker in _node_markers(node):
                yield (namespace, number), marker
        for namespace, number, marker in _edge_markers(graph):
            yield (namespace, number), marker


def category_color(category: str, alpha: float = 1.0) -> Color:
    """Return a colour for a class or an id, always the same one."""
    hue = zlib.crc32(category.encode()) % 360 / 360.0
    r, g, b = colorsys.hls_to_rgb(hue, 0.55, 0.6)
    return (round(r, 3), round(g, 3), round(b, 3), alpha)


def _node_markers(node: Node) -> Iterator[tuple[str, Marker]]:
    (x, y, z), (a, b, c) = node.center, node.size
    floor = z - c / 2
    if node.layer is Layer.FLOOR:
        yield "floor_labels", Marker(Shape.TEXT, (x, y, floor + 3.0), (0.0, 0.0, 0.4), _DARK, node.name)
    elif node.layer is Layer.ROOM:
        color = category_color(node.id, 0.25)
        yield "rooms", Marker(Shape.BOX, (x, y, floor + 0.005), (a, b, 0.01), color)
        yield "room_labels", Marker(Shape.TEXT, (x, y, floor + 2.2), (0.0, 0.0, 0.3), _DARK, node.name)
    elif node.layer is Layer.AREA:
        yield "areas", Marker(Shape.BALL, (x, y, z + 0.05), (0.15, 0.15, 0.15), _AREA)
        yield "area_labels", Marker(Shape.TEXT, (x, y, z + 0.25), (0.0, 0.0, 0.1), _AREA, node.name)
    else:
        alpha = 0.4 + 0.5 * round(node.confidence, 1)
        kind = "movable" if node.movable else "furniture"
        least = (max(a, 0.01), max(b, 0.01), max(c, 0.01))
        yield (
            f"objects_{kind}",
            Marker(Shape.BOX, node.center, least, category_color(node.category, alpha), yaw=node.yaw),
        )
        text = f"{node.name} (held)" if node.relation == "held" else node.name
        height = 0.08 if node.movable else 0.12
        yield f"labels_{kind}", Marker(Shape.TEXT, (x, y, z + c / 2 + height), (0.0, 0.0, height), _DARK, text)


def _edge_markers(graph: SceneGraph) -> Iterator[tuple[str, int, Marker]]:
    """Yield all roads as one marker, all supports and all parts as others: a changed edge redraws its kind."""
    for number, (namespace, kinds, color) in enumerate(
        (
            ("reachable", {EdgeType.REACHABLE}, _ROAD),
            ("receptacles", {EdgeType.ON, EdgeType.IN}, _SUPPORT),
            ("parts", {EdgeType.PART_OF}, _PART),
        )
    ):
        ends = tuple(
            point
            for key in sorted(graph.edges)
            if key[0] in kinds
            for point in (graph.nodes[key[1]].center, graph.nodes[key[2]].center)
        )
        if ends:
            yield namespace, number, Marker(Shape.LINES, (0.0, 0.0, 0.0), (0.02, 0.0, 0.0), color, points=ends)
