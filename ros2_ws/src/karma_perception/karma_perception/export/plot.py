# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A picture of the scene graph from above: rooms coloured, areas with their edges, objects labelled."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from karma_perception.markers import category_color
from karma_perception.scene_graph import EdgeType, Layer, Node, SceneGraph

ROOM_COLORS = ("#c6dbef", "#c7e9c0", "#fdd0a2", "#dadaeb", "#fbb4ae", "#fff2ae", "#cbd5e8", "#f1e2cc")
_AREA = "#1f4e9c"
_MAX_WIDTH = 16.0
"""Inches; what makes names legible on a page or a screen."""


def plot_scene_graph(
    graph: SceneGraph,
    path: Path | str,
    *,
    highlight: Collection[str] = (),
    title: str = "",
) -> Path:
    """Draw the graph, one panel for each floor, to an image file; return its path.

    `highlight`: ids of nodes drawn in red. The suffix of `path` chooses the format.

    ValueError when the graph has no floor.
    """
    figure, panels = floor_panels(graph, title)
    for panel, floor in panels:
        _draw_floor(panel, graph, floor, frozenset(highlight))
    return save(figure, path)


def floor_panels(graph: SceneGraph, title: str = "") -> tuple[Any, list[tuple[Any, Node]]]:
    """Return a figure, and a panel for each floor of the graph from the lowest to the highest, with the floor.

    ValueError when the graph has no floor.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    floors = sorted(graph.layer(Layer.FLOOR), key=lambda n: n.center[2])
    if not floors:
        raise ValueError("the scene graph has no floor yet: there is nothing to draw")
    widths = [max(f.size[0], 1.0) for f in floors]
    tallest = max(max(f.size[1], 1.0) for f in floors)
    scale = min(2.2, _MAX_WIDTH / sum(widths))
    figure = Figure(figsize=(scale * sum(widths) + 1.0, scale * tallest + 1.0), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(floors), squeeze=False, gridspec_kw={"width_ratios": widths})[0]
    for panel, floor in zip(panels, floors, strict=True):
        (x, y, _), (a, b, _) = floor.center, floor.size
        panel.set_xlim(x - a / 2 - 0.3, x + a / 2 + 0.3)
        panel.set_ylim(y - b / 2 - 0.3, y + b / 2 + 0.3)
        panel.set_aspect("equal")
        panel.set_title(floor.name)
        panel.set_xlabel("x (m)")
        panel.set_ylabel("y (m)")
    figure.suptitle(title or graph.scene)
    return figure, list(zip(panels, floors, strict=True))


def save(figure: Any, path: Path | str) -> Path:
    """Write a figure to an image file, whose folder is made where it is missing; return its path."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=110)
    return target


def on_floor(graph: SceneGraph, floor: Node) -> tuple[list[Node], dict[str, Node], list[Node]]:
    """Return the rooms, the areas by their ids, and the objects of a floor."""
    rooms = sorted((n for n in graph.layer(Layer.ROOM) if n.parent == floor.id), key=lambda n: n.id)
    areas = {n.id: n for n in graph.layer(Layer.AREA) if n.parent in {r.id for r in rooms}}
    return rooms, areas, [n for n in graph.layer(Layer.OBJECT) if n.parent in areas]


def _draw_floor(panel: Any, graph: SceneGraph, floor: Node, highlight: frozenset[str]) -> None:
    rooms, areas, objects = on_floor(graph, floor)
    for i, room in enumerate(rooms):
        _rectangle(panel, room, facecolor=ROOM_COLORS[i % len(ROOM_COLORS)], edgecolor="0.4", alpha=0.6, zorder=1)
    draw_objects(panel, objects, highlight)
    draw_areas(panel, graph, areas, highlight)
    for room in rooms:
        name_room(panel, room.center[0], room.center[1], room.name)
    label_objects(panel, [n for n in objects if n.movable or _telling(n)], highlight)


def draw_objects(panel: Any, objects: Sequence[Node], highlight: frozenset[str] = frozenset()) -> None:
    """Draw furniture as boxes, and what can be carried as dots."""
    for node in sorted(objects, key=lambda n: (n.movable, n.center[2])):
        color = "red" if node.id in highlight else category_color(node.category)[:3]
        if node.movable:
            panel.plot(node.center[0], node.center[1], "o", color=color, markersize=5, mec="black", mew=0.5, zorder=6)
        else:
            _rectangle(panel, node, facecolor=color, edgecolor="black", alpha=0.35, linewidth=0.5, zorder=3)


def draw_areas(
    panel: Any, graph: SceneGraph, areas: Mapping[str, Node], highlight: frozenset[str] = frozenset()
) -> None:
    """Draw area nodes, and the edges between those that one can drive between."""
    for edge in graph.edges.values():
        if edge.type == EdgeType.REACHABLE and edge.source in areas and edge.target in areas:
            (x0, y0, _), (x1, y1, _) = areas[edge.source].center, areas[edge.target].center
            panel.plot((x0, x1), (y0, y1), color=_AREA, linewidth=1.0, alpha=0.6, zorder=4)
    for area in areas.values():
        color = "red" if area.id in highlight else _AREA
        panel.plot(area.center[0], area.center[1], "s", color=color, markersize=6, zorder=5)


def name_room(panel: Any, x: float, y: float, name: str) -> None:
    """Write the name of a room, centred."""
    panel.text(x, y, name, ha="center", va="center", fontsize=15, weight="bold", alpha=0.35, zorder=7)


def label_objects(panel: Any, nodes: Sequence[Node], highlight: frozenset[str] = frozenset()) -> None:
    """Write names beside the objects, each where it covers no other; one that finds no room there is left out.

    Highlighted ones come first, then what is movable, then large furniture.
    """
    (x0, x1), (y0, y1) = panel.get_xlim(), panel.get_ylim()
    inches = panel.figure.get_size_inches()
    step = 0.75 * max((x1 - x0) / inches[0], (y1 - y0) / inches[1]) / 7.0
    taken: list[tuple[float, float, float, float]] = []
    order = sorted(nodes, key=lambda n: (n.id not in highlight, not n.movable, -n.size[0] * n.size[1]))
    for node in order:
        width, height = 0.9 * step * len(node.name), 1.3 * step
        for dx, dy in _OFFSETS:
            x, y = node.center[0] + dx * step, node.center[1] + dy * step
            left = x if dx >= 0 else x - width
            box = (left, y - height / 2, left + width, y + height / 2)
            if box[0] < x0 or box[2] > x1 or box[1] < y0 or box[3] > y1 or any(_overlap(box, t) for t in taken):
                continue
            taken.append(box)
            red = node.id in highlight
            panel.annotate(
                node.name,
                node.center[:2],
                (left, y),
                ha="left",
                va="center",
                fontsize=7,
                color="red" if red else "black" if node.movable else "0.35",
                weight="bold" if red else "normal",
                arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": "0.5", "shrinkA": 0, "shrinkB": 0},
                zorder=8,
            )
            break


_OFFSETS = tuple((dx, dy) for reach in (1.0, 2.5, 4.5, 7.0) for dx in (reach, -reach) for dy in (0.0, reach, -reach))
"""Where a label may stand beside its object, nearest first; times the height of a letter."""


def _telling(node: Node) -> bool:
    """Whether a piece of furniture is large enough to be a landmark."""
    return node.size[0] * node.size[1] >= 0.2


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _rectangle(panel: Any, node: Node, **style: Any) -> None:
    from matplotlib.patches import Rectangle

    (x, y, _), (a, b, _) = node.center, node.size
    corner = (x - a / 2, y - b / 2)
    panel.add_patch(Rectangle(corner, a, b, angle=math.degrees(node.yaw), rotation_point="center", **style))
