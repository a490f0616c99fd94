# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The home then and now: what moved, came, went or changed its state, in words and in 3D."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import viser

from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.wording import changes_of, name_of, place_of

FAR_M = 0.1
"""Metres that a thing has to be away from where it was to have moved, where it is still on or in the same."""
FURNITURE_FAR_M = 0.5
"""The same for furniture and its parts, which people seldom move; how they are measured varies."""
MOST_DRAWN = 200
"""Of the differences, the first."""


class Change(Enum):
    """What is different; the values are for people."""

    MOVED = "moved"
    STATE = "changed"
    APPEARED = "new since then"
    VANISHED = "gone since then"


COLORS = {
    Change.MOVED: (235, 130, 20),
    Change.STATE: (215, 190, 0),
    Change.APPEARED: (30, 160, 70),
    Change.VANISHED: (205, 40, 40),
}


@dataclass(frozen=True)
class Difference:
    """What is different about one thing. Of `then` and `now` one may be missing."""

    change: Change
    then: Node | None
    now: Node | None
    words: str

    @property
    def node(self) -> Node:
        """The thing as it is known last."""
        node = self.now or self.then
        assert node is not None
        return node


def differences(then: SceneGraph, now: SceneGraph) -> tuple[Difference, ...]:
    """Return what is different about objects and rooms, at most once for each.

    What moved comes first, then by name; furniture that moved comes last.
    """
    found = [
        difference
        for key in then.nodes.keys() | now.nodes.keys()
        if (difference := _difference(key, then, now)) is not None
    ]
    return tuple(sorted(found, key=_order))


def _order(one: Difference) -> tuple[Any, ...]:
    fixed = not one.node.movable
    return fixed and one.change is Change.MOVED, list(Change).index(one.change), fixed, one.words, one.node.id


def _difference(key: str, then: SceneGraph, now: SceneGraph) -> Difference | None:
    old, new = then.nodes.get(key), now.nodes.get(key)
    node = new or old
    assert node is not None
    if node.layer not in (Layer.ROOM, Layer.OBJECT):
        return None
    if node.layer is Layer.ROOM and _is_in(then if old is None else now, node):
        return None
    if old is None:
        return Difference(Change.APPEARED, old, new, _at_its_place(now, node))
    if new is None:
        return Difference(Change.VANISHED, old, new, _at_its_place(then, node))
    name, changes = name_of(node), changes_of(old, new)
    away = math.dist(old.center, new.center)
    holders = (old.receptacle, old.relation), (new.receptacle, new.relation)
    if holders[0] != holders[1] or away > (FAR_M if node.movable else FURNITURE_FAR_M):
        was, is_now = (place_of(*one) or "somewhere" for one in ((then, old), (now, new)))
        way = f"{was} → {is_now}" if was != is_now else f"{away:.1f} m away, {is_now}"
        return Difference(Change.MOVED, old, new, f"{name}: {'; '.join((way, *changes))}")
    return Difference(Change.STATE, old, new, f"{name}: {', '.join(changes)}") if changes else None


def _is_in(graph: SceneGraph, room: Node) -> bool:
    """Whether a graph has this room, by its id, which changes as more is seen, or by its name and where it is."""
    return any(
        other.id == room.id or (name_of(other) == name_of(room) and _overlap(other, room))
        for other in graph.layer(Layer.ROOM)
    )


def _overlap(one: Node, other: Node) -> bool:
    sides = zip(one.center, other.center, one.size, other.size, strict=True)
    return all(2 * abs(a - b) < width + breadth for a, b, width, breadth in sides)


def _at_its_place(graph: SceneGraph, node: Node) -> str:
    place = place_of(graph, node)
    return f"{name_of(node)}: {place}" if place and node.layer is Layer.OBJECT else name_of(node)


class DifferenceDrawing:
    """Differences below one node of viser's scene: boxes in the colour of the change, and a line from then to now.

    Rooms, whose boxes would hide what is in them, are left out.
    """

    def __init__(self, scene: viser.SceneApi, root: str) -> None:
        """`root`: name of a node, such as /compare, that is made here."""
        self._scene = scene
        self._name = root
        self._root: Any = None

    def update(self, found: tuple[Difference, ...]) -> None:
        """Draw differences instead of the present ones."""
        self.remove()
        self._root = self._scene.add_frame(self._name, show_axes=False)
        drawn = [difference for difference in found if difference.node.layer is not Layer.ROOM]
        for number, difference in enumerate(drawn[:MOST_DRAWN]):
            color = COLORS[difference.change]
            self._draw_box(f"{difference.change.name.lower()}{number}", difference.node, color, opacity=0.85)
            if difference.change is Change.MOVED and difference.then is not None:
                # Where a thing was is drawn fainter than where it is.
                self._draw_box(f"was{number}", difference.then, color, opacity=0.4)
                self._scene.add_line_segments(
                    f"{self._name}/way{number}",
                    np.array([[difference.then.center, difference.node.center]], np.float32),
                    colors=color,
                    thickness=3.0,
                    thickness_units="screen",
                )

    def _draw_box(self, name: str, node: Node, color: tuple[int, int, int], *, opacity: float) -> None:
        self._scene.add_box(
            f"{self._name}/{name}",
            color=color,
            dimensions=node.size,
            position=node.center,
            wxyz=viser.transforms.SO3.from_z_radians(node.yaw).wxyz,
            opacity=opacity,
            cast_shadow=False,
            receive_shadow=False,
        )

    def remove(self) -> None:
        """Take the drawing away."""
        if self._root is not None:
            self._root.remove()
            self._root = None
