# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws a scene graph in 3D: rooms by colour, areas and the ways between them, objects as boxes, what holds what."""

from __future__ import annotations

import colorsys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import viser

from karma_perception.scene_graph import EdgeType, Layer, Node, SceneGraph
from karma_view.scene.boxes import THINNEST, Color, FloatArray, draw_boxes, edges_of
from karma_view.scene.picking import picked
from karma_view.wording import room_of

LAYERS = ("rooms", "areas", "furniture", "parts", "things", "links", "floor_plan", "robot", "camera")
"""Parts of the drawing that a viewer can switch off, in this order; each is a node of viser's scene below the root."""
HIDDEN = frozenset({"areas"})
"""Those that are off at first."""

OPACITY: Mapping[str, float | None] = {"furniture": 0.88, "parts": 0.35, "things": None}
"""Of the layers of objects: what lies in or behind furniture is seen through it."""
_GOLDEN = 0.618034
"""Of the colour wheel between one room and the next: neighbours differ, however many there are."""
_NOWHERE: Color = (150, 150, 150)
_LINK: Color = (60, 110, 190)
_THING: Color = (0, 98, 230)
"""Stands out in rooms of any colour."""
_SINGLE: Color = (194, 178, 150)
"""Of a room that need not be told from others."""
_WAY: Color = (90, 140, 90)
_EDGE: Color = (48, 42, 38)
"""Of furniture, seen on light and on dark pages."""
_MATERIALS = ((156, 104, 58), (104, 70, 46), (186, 142, 88), (74, 84, 104), (206, 188, 158), (128, 66, 52))
"""Woods, slate and cloth. Furniture of a category is of one of them, so that neighbours can be told apart."""

Pick = Callable[[int, str], None]
"""Gets a viewer's client_id and the id of the object that they clicked on."""


class HomeDrawing:
    """A scene graph below one node of viser's scene; an update sends what has changed."""

    def __init__(self, scene: viser.SceneApi, root: str, *, on_pick: Pick | None = None) -> None:
        """`root`: name of a node, such as /now, that is made here."""
        self._scene = scene
        self.root = root
        self._on_pick = on_pick
        self._root = scene.add_frame(root, show_axes=False)
        self.layers = {
            layer: scene.add_frame(f"{root}/{layer}", show_axes=False, visible=layer not in HIDDEN) for layer in LAYERS
        }
        """By name, what can be switched off."""
        self._graph = SceneGraph()
        self._handles: dict[str, Any] = {}
        self._drawn: dict[str, tuple[Any, ...]] = {}
        """By name of a node of viser's scene, what it was drawn from: what is the same is not sent again."""
        self._numbers: dict[str, int] = {}
        """A number for every id that was ever drawn: ids hold slashes, which mean something in viser's names."""

    def update(self, graph: SceneGraph) -> None:
        """Draw a graph instead of the present one."""
        if graph is self._graph:
            return
        self._graph = graph
        colors = room_colors(graph)
        kept: set[str] = set()
        for room in graph.layer(Layer.ROOM):
            kept |= self._draw_room(room, colors[room.id])
        groups: dict[tuple[str, str], list[Node]] = defaultdict(list)
        parts = parts_of(graph)
        for node in graph.layer(Layer.OBJECT):
            within = room_of(graph, node)
            groups[layer_of(node, parts), within.id if within is not None else ""].append(node)
        for (layer, room_id), nodes in groups.items():
            kept |= self._draw_objects(layer, room_id, nodes)
        kept |= self._draw_areas(graph, colors)
        kept |= self._draw_links(graph)
        for name in self._drawn.keys() - kept:
            self._handles.pop(name).remove()
            del self._drawn[name]

    def remove(self) -> None:
        """Take the drawing away."""
        self._root.remove()

    def _draw_room(self, room: Node, color: Color) -> set[str]:
        name = self._name("rooms", room.id)
        x, y, z = room.center
        width, length, height = room.size
        if self._is_new(name, room.center, room.size, color):
            self._handles[name] = self._scene.add_box(
                name,
                color=color,
                dimensions=(width, length, 0.02),
                position=(x, y, z - height / 2 - 0.02),
                opacity=0.9,
                cast_shadow=False,
                receive_shadow=False,
            )
        return {name}

    def _draw_objects(self, layer: str, room: str, nodes: Sequence[Node]) -> set[str]:
        """Draw the objects of a room and layer as one mesh."""
        name = self._name(layer, room)
        colors = [_THING if layer == "things" else material_of(node) for node in nodes]
        drawn = self._draw_boxes(name, nodes, colors, OPACITY[layer])
        if drawn and self._on_pick is not None:
            self._handles[name].on_click(self._clicked)
        if layer != "furniture":
            return {name}
        edges = self._name(layer, f"edges of {room}")
        if self._is_new(edges, *map(_measured, nodes)):
            self._draw_segments(edges, edges_of(*_measures(nodes)), _EDGE)
        return {name, edges}

    def _draw_areas(self, graph: SceneGraph, colors: Mapping[str, Color]) -> set[str]:
        rooms: dict[str, list[Node]] = defaultdict(list)
        for area in graph.layer(Layer.AREA):
            rooms[area.parent].append(area)
        kept = set()
        for room, areas in rooms.items():
            name = self._name("areas", room)
            self._draw_boxes(name, areas, [_vivid(colors.get(room, _NOWHERE))] * len(areas), 0.3, flat=True)
            kept.add(name)
        ways = [edge for edge in graph.edges.values() if edge.type is EdgeType.REACHABLE]
        ends = [(graph.nodes.get(edge.source), graph.nodes.get(edge.target)) for edge in ways]
        points = [(a.center, b.center) for a, b in ends if a is not None and b is not None]
        return kept | self._draw_lines(f"{self.root}/areas/ways", points, _WAY)

    def _draw_links(self, graph: SceneGraph) -> set[str]:
        held = [(node, graph.nodes.get(node.receptacle)) for node in graph.layer(Layer.OBJECT) if node.receptacle]
        points = [(node.center, holder.center) for node, holder in held if holder is not None]
        return self._draw_lines(f"{self.root}/links/held", points, _LINK, thickness=0.75)

    def _draw_boxes(
        self, name: str, nodes: Sequence[Node], colors: Sequence[Color], opacity: float | None, *, flat: bool = False
    ) -> bool:
        """Draw the boxes of nodes; return whether the node of viser's scene is another one than before."""
        # Not what changes without a box: when it was seen last, for one.
        if not self._is_new(name, *colors, *map(_measured, nodes)):
            return False
        centers, sizes, yaws = _measures(nodes)
        if flat:
            centers[:, 2] -= sizes[:, 2] / 2
            sizes[:, 2] = THINNEST
        before = self._handles.get(name)
        self._handles[name] = draw_boxes(
            self._scene,
            name,
            before,
            centers=centers,
            sizes=sizes,
            yaws=yaws,
            color=np.array(colors, np.uint8),
            opacity=opacity,
        )
        return self._handles[name] is not before

    def _draw_lines(self, name: str, points: Sequence[Any], color: Color, thickness: float = 1.5) -> set[str]:
        if not points:
            return set()
        if self._is_new(name, *points):
            self._draw_segments(name, np.array(points, np.float32), color, thickness)
        return {name}

    def _draw_segments(self, name: str, points: FloatArray, color: Color, thickness: float = 1.0) -> None:
        self._handles[name] = self._scene.add_line_segments(
            name, points, colors=color, thickness=thickness, thickness_units="screen"
        )

    def _clicked(self, event: viser.SceneNodePointerEvent[Any]) -> None:
        name = picked(self._graph, event.ray_origin, event.ray_direction)
        if self._on_pick is not None and name:
            self._on_pick(event.client_id, name)

    def _is_new(self, name: str, *made_of: Any) -> bool:
        """Whether a node has to be drawn, because it isn't or was drawn from something else."""
        if self._drawn.get(name) == made_of:
            return False
        self._drawn[name] = made_of
        return True

    def _name(self, layer: str, key: str) -> str:
        return f"{self.root}/{layer}/{self._numbers.setdefault(key, len(self._numbers))}"


def material_of(node: Node) -> Color:
    """Return the colour of a piece of furniture, or a part of one: the same for all of a category."""
    return _MATERIALS[zlib.crc32(node.category.encode()) % len(_MATERIALS)]


def _measured(node: Node) -> tuple[Any, ...]:
    return node.center, node.size, node.yaw


def _measures(nodes: Sequence[Node]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return centers and sizes, (n, 3), and yaws, (n,)."""
    centers, sizes, yaws = zip(*map(_measured, nodes), strict=True)
    return np.array(centers, np.float32), np.array(sizes, np.float32), np.array(yaws, np.float32)


def layer_of(node: Node, parts: frozenset[str]) -> str:
    """Return the layer that an object is drawn in; `parts`: see parts_of."""
    if node.id in parts:
        return "parts"
    return "things" if node.movable else "furniture"


def parts_of(graph: SceneGraph) -> frozenset[str]:
    """Return the ids of the objects that are a part of another one, as a drawer is of its dresser."""
    return frozenset(edge.source for edge in graph.edges.values() if edge.type is EdgeType.PART_OF)


def room_colors(graph: SceneGraph) -> Mapping[str, Color]:
    """Return a colour for every room, of several rooms the same as long as it is the same number after the first."""
    rooms = _in_order(graph.layer(Layer.ROOM))
    if len(rooms) == 1:
        return {rooms[0].id: _SINGLE}
    return {room.id: _hue(number * _GOLDEN) for number, room in enumerate(rooms)}


def _in_order(nodes: Iterable[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: node.id)


def _hue(hue: float) -> Color:
    red, green, blue = colorsys.hls_to_rgb(hue % 1.0, 0.66, 0.42)
    return round(red * 255), round(green * 255), round(blue * 255)


def _vivid(color: Color) -> Color:
    """Return a colour of the same hue that stands out against it."""
    hue, _, _ = colorsys.rgb_to_hls(*(channel / 255 for channel in color))
    red, green, blue = colorsys.hls_to_rgb(hue, 0.42, 0.85)
    return round(red * 255), round(green * 255), round(blue * 255)
