# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A picture of each layer of what perception knows: floor plan, areas, rooms, objects, relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karma_perception.export.plot import (
    ROOM_COLORS,
    draw_areas,
    draw_objects,
    floor_panels,
    label_objects,
    name_room,
    on_floor,
    save,
)
from karma_perception.places.floor_plan import FloorPlan
from karma_perception.scene_graph import EdgeType, Node, SceneGraph

_UNKNOWN, _FREE, _FURNITURE, _WALL = (0.82, 0.82, 0.82), (1.0, 1.0, 1.0), (0.62, 0.55, 0.45), (0.15, 0.15, 0.15)

_RELATIONS = {EdgeType.ON: ("on", "#1b6ca8"), EdgeType.IN: ("in", "#d1495b"), EdgeType.PART_OF: ("part of", "#6a994e")}
"""Drawn as arrows from a thing to what holds it. `NEAR` is drawn as thin lines."""

_NEAR_COLOR = "0.55"


def plot_layers(graph: SceneGraph, plans: Iterable[FloorPlan], folder: Path | str, *, title: str = "") -> list[Path]:
    """Draw a picture for each layer into a folder, with a panel for each floor; return their paths.

    floor_plan.png: free space, furniture, walls; areas.png: area nodes and reachability; rooms.png: which cells belong
    to which room; objects.png; relations.png: on, in, part of, near. ValueError when the graph has no floor.
    """
    plan_of = {plan.floor: plan for plan in plans}
    made = []
    for name, draw in _LAYERS.items():
        figure, panels = floor_panels(graph, f"{title or graph.scene}: {name}")
        for panel, floor in panels:
            plan = plan_of.get(floor.id)
            if plan is not None:
                _show(panel, plan, _colored(plan, faint=name != "floor plan"))
            draw(panel, graph, floor, plan)
        made.append(save(figure, Path(folder) / f"{name.replace(' ', '_')}.png"))
    return made


def _floor_plan(panel: Any, graph: SceneGraph, floor: Node, plan: FloorPlan | None) -> None:
    from matplotlib.patches import Patch

    known = {"free": _FREE, "furniture": _FURNITURE, "wall": _WALL, "not seen": _UNKNOWN}
    handles = [Patch(facecolor=color, edgecolor="0.5", label=name) for name, color in known.items()]
    panel.legend(handles=handles, loc="upper right", fontsize=8)


def _areas(panel: Any, graph: SceneGraph, floor: Node, plan: FloorPlan | None) -> None:
    areas = on_floor(graph, floor)[1]
    draw_areas(panel, graph, areas)
    for area in areas.values():
        panel.annotate(area.name.removeprefix("area "), area.center[:2], (4, 4), textcoords="offset points", fontsize=7)


def _rooms(panel: Any, graph: SceneGraph, floor: Node, plan: FloorPlan | None) -> None:
    rooms = on_floor(graph, floor)[0]
    if plan is None:
        return
    image = np.zeros((*plan.rooms.shape, 4))
    for i, room in enumerate(rooms):
        cells = plan.rooms == int(room.id.removeprefix("room_"))
        color = ROOM_COLORS[i % len(ROOM_COLORS)].removeprefix("#")
        image[cells] = (*(int(color[k : k + 2], 16) / 255 for k in (0, 2, 4)), 0.85)
        if cells.any():
            x, y = plan.origin + (np.argwhere(cells).mean(axis=0) + 0.5) * plan.resolution
            name_room(panel, float(x), float(y), room.name)
    _show(panel, plan, image)


def _objects(panel: Any, graph: SceneGraph, floor: Node, plan: FloorPlan | None) -> None:
    objects = on_floor(graph, floor)[2]
    draw_objects(panel, objects)
    label_objects(panel, objects)


def _relations(panel: Any, graph: SceneGraph, floor: Node, plan: FloorPlan | None) -> None:
    from matplotlib.lines import Line2D

    objects = on_floor(graph, floor)[2]
    known = {n.id: n for n in objects}
    draw_objects(panel, objects)
    for edge in graph.edges.values():
        if edge.source in known and edge.target in known:
            _arrow(panel, edge.type, known[edge.source], known[edge.target])
    label_objects(panel, [n for n in objects if n.movable])
    lines = [Line2D([], [], color=color, label=name) for name, color in _RELATIONS.values()]
    lines.append(Line2D([], [], color=_NEAR_COLOR, linewidth=0.6, linestyle=":", label="near"))
    panel.legend(handles=lines, loc="upper right", fontsize=8)


_LAYERS: Mapping[str, Callable[[Any, SceneGraph, Node, FloorPlan | None], None]] = {
    "floor plan": _floor_plan,
    "areas": _areas,
    "rooms": _rooms,
    "objects": _objects,
    "relations": _relations,
}


def _arrow(panel: Any, kind: EdgeType, source: Node, target: Node) -> None:
    """Draw a relation between two objects; "near" as a line, the others from a thing to what holds it."""
    (x0, y0, _), (x1, y1, _) = source.center, target.center
    if kind == EdgeType.NEAR:
        panel.plot((x0, x1), (y0, y1), color=_NEAR_COLOR, linewidth=0.6, linestyle=":", zorder=4)
    elif kind in _RELATIONS:
        style = {"arrowstyle": "-|>", "color": _RELATIONS[kind][1], "linewidth": 1.0, "shrinkA": 2, "shrinkB": 0}
        panel.annotate("", (x1, y1), (x0, y0), arrowprops=style, zorder=5)


def _colored(plan: FloorPlan, *, faint: bool) -> NDArray[np.float64]:
    """Return a plan as an image, (nx, ny, 3)."""
    image = np.full((*plan.free.shape, 3), _UNKNOWN)
    for cells, color in ((plan.free, _FREE), (plan.furniture, _FURNITURE), (plan.wall, _WALL)):
        image[cells] = color
    return 1.0 - 0.45 * (1.0 - image) if faint else image


def _show(panel: Any, plan: FloorPlan, image: NDArray[np.float64]) -> None:
    (x, y), (width, height) = plan.origin, np.multiply(plan.free.shape, plan.resolution)
    limits = panel.get_xlim(), panel.get_ylim()
    extent = (x, x + width, y, y + height)
    panel.imshow(image.swapaxes(0, 1), origin="lower", extent=extent, interpolation="nearest", zorder=0)
    panel.set_xlim(limits[0])
    panel.set_ylim(limits[1])
