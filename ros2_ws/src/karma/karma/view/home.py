# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws a scene graph in 3D: rooms by colour, areas and the ways between them, objects, labels, what holds what."""

from __future__ import annotations

import colorsys
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import viser

from karma_perception.scene_graph import EdgeType, Layer, Node, SceneGraph

LAYERS = ("rooms", "areas", "furniture", "things", "labels", "links", "floor_plan", "robot")
"""Parts of the drawing that a viewer can switch off, in this order; each is a node of viser's scene below the root."""
HIDDEN = frozenset({"areas"})
"""Those that are off at first."""

Color = tuple[int, int, int]
_CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)], np.float32)
_FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ],
    np.uint32,
)
_GOLDEN = 0.618034
"""Of the colour wheel between one room and the next: neighbours differ, however many there are."""
_LINK: Color = (70, 90, 160)
_WAY: Color = (90, 140, 90)


class HomeDrawing:
    """A scene graph below one node of viser's scene; an update sends what has changed."""

    def __init__(self, scene: viser.SceneApi, root: str) -> None:
        """`root`: name of a node, such as /now, that is made here."""
        self._scene = scene
        self.root = root
        self._root = scene.add_frame(root, show_axes=False)
        for layer in LAYERS:
            scene.add_frame(f"{root}/{layer}", show_axes=False, visible=layer not in HIDDEN)
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
        for node in graph.layer(Layer.OBJECT):
            groups["things" if node.movable else "furniture", room_of(graph, node)].append(node)
            kept |= self._draw_label(node)
        for (layer, room_id), nodes in groups.items():
            kept |= self._draw_boxes(layer, room_id, nodes, colors.get(room_id, (150, 150, 150)))
        kept |= self._draw_areas(graph)
        kept |= self._draw_links(graph)
        for name in self._drawn.keys() - kept:
            self._handles.pop(name).remove()
            del self._drawn[name]

    def remove(self) -> None:
        """Take the drawing away."""
        self._root.remove()

    def _draw_room(self, room: Node, color: Color) -> set[str]:
        name, label = self._name("rooms", room.id), self._name("rooms", room.id, "label")
        x, y, z = room.center
        width, length, height = room.size
        floor = z - height / 2
        if self._is_new(name, room.center, room.size, color):
            self._handles[name] = self._scene.add_box(
                name, color=color, dimensions=(width, length, 0.02), position=(x, y, floor - 0.02), opacity=0.55
            )
        if self._is_new(label, room.name, room.center, room.size):
            self._handles[label] = self._scene.add_label(label, room.name, position=(x, y, floor + height))
        return {name, label}

    def _draw_boxes(self, layer: str, room: str, nodes: Sequence[Node], color: Color) -> set[str]:
        """Draw the boxes of a room as one mesh."""
        name = self._name(layer, room)
        if not self._is_new(name, *nodes):
            return {name}
        light = _lighter(color) if layer == "things" else color
        wxyzs = np.array([_wxyz(node.yaw) for node in nodes], np.float32)
        positions = np.array([node.center for node in nodes], np.float32)
        scales = np.maximum(np.array([node.size for node in nodes], np.float32), 0.01)
        handle = self._handles.get(name)
        if handle is not None and len(handle.batched_positions) == len(nodes):
            handle.batched_wxyzs, handle.batched_positions, handle.batched_scales = wxyzs, positions, scales
        else:
            self._handles[name] = self._scene.add_batched_meshes_simple(
                name,
                _CUBE,
                _FACES,
                wxyzs,
                positions,
                batched_scales=scales,
                batched_colors=light,
                opacity=0.95 if layer == "things" else 0.35,
                flat_shading=True,
                lod="off",
                cast_shadow=False,
                receive_shadow=False,
            )
        return {name}

    def _draw_label(self, node: Node) -> set[str]:
        name = self._name("labels", node.id)
        x, y, z = node.center
        if self._is_new(name, node.center, node.size, text_of(node)):
            self._handles[name] = self._scene.add_label(
                name, text_of(node), position=(x, y, z + node.size[2] / 2), font_screen_scale=0.75
            )
        return {name}

    def _draw_areas(self, graph: SceneGraph) -> set[str]:
        ways = [edge for edge in graph.edges.values() if edge.type is EdgeType.REACHABLE]
        ends = [(graph.nodes.get(edge.source), graph.nodes.get(edge.target)) for edge in ways]
        points = [(a.center, b.center) for a, b in ends if a is not None and b is not None]
        return self._draw_lines(f"{self.root}/areas/ways", points, _WAY)

    def _draw_links(self, graph: SceneGraph) -> set[str]:
        held = [(node, graph.nodes.get(node.receptacle)) for node in graph.layer(Layer.OBJECT) if node.receptacle]
        points = [(node.center, holder.center) for node, holder in held if holder is not None]
        return self._draw_lines(f"{self.root}/links/held", points, _LINK)

    def _draw_lines(self, name: str, points: Sequence[Any], color: Color) -> set[str]:
        if not points:
            return set()
        if self._is_new(name, *points):
            self._handles[name] = self._scene.add_line_segments(
                name, np.array(points, np.float32), colors=color, thickness=1.5
            )
        return {name}

    def _is_new(self, name: str, *made_of: Any) -> bool:
        """Whether a node has to be drawn, because it isn't or was drawn from something else."""
        if self._drawn.get(name) == made_of:
            return False
        self._drawn[name] = made_of
        return True

    def _name(self, layer: str, key: str, what: str = "box") -> str:
        return f"{self.root}/{layer}/{self._numbers.setdefault(key, len(self._numbers))}/{what}"


def text_of(node: Node) -> str:
    """Return what is written at an object: its category, and the states that are not as usual."""
    told = [name.removeprefix("is").lower() for name, value in node.states.items() if value == "true"]
    return f"{node.category} ({', '.join(sorted(told))})" if told else node.category


def room_of(graph: SceneGraph, node: Node) -> str:
    """Return the id of the room that a node is in; empty where that is not known."""
    while node.layer > Layer.ROOM and (parent := graph.nodes.get(node.parent)) is not None:
        node = parent
    return node.id if node.layer is Layer.ROOM else ""


def room_colors(graph: SceneGraph) -> Mapping[str, Color]:
    """Return a colour (0..255) for every room, the same as long as it is the same number of rooms after the first."""
    return {room.id: _hue(number * _GOLDEN) for number, room in enumerate(_in_order(graph.layer(Layer.ROOM)))}


def _in_order(nodes: Iterable[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: node.id)


def _hue(hue: float) -> Color:
    red, green, blue = colorsys.hls_to_rgb(hue % 1.0, 0.62, 0.55)
    return round(red * 255), round(green * 255), round(blue * 255)


def _lighter(color: Color) -> Color:
    red, green, blue = ((channel + 255) // 2 for channel in color)
    return red, green, blue


def _wxyz(yaw: float) -> tuple[float, float, float, float]:
    return math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)
