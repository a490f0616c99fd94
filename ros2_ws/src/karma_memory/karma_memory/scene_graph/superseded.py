# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an earlier map had where a publisher that started again reports other places now.

A new map divides the same floor otherwise: the middle of an area is elsewhere, two rooms are one. What was mapped
before stays only where nobody has mapped since; else a home would get more rooms each time that the robot is restarted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from karma_memory.scene import Layer, Node, Point
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.scene_graph.shared_places import SAME_AREA, SAME_FLOOR

NEXT = 1.0
"""Metres around the box of an area, in which the next one begins."""


def superseded(reported: Iterable[Node], known: SceneGraph, kept: Collection[str]) -> list[str]:
    """Return the ids of known areas and rooms that lie where others are `reported`; `kept`: what is none of these.

    An area is superseded where its middle lies in an area that is reported, or in a room that is called as its own, or
    next to such an area in a room in which its own lies; a room where none of its areas is left.
    """
    nodes = list(reported)
    areas = [node for node in nodes if node.layer is Layer.AREA and node.is_placed]
    rooms = [node for node in nodes if node.layer is Layer.ROOM and node.is_placed and any(node.size)]
    if not areas:
        return []
    gone: dict[str, None] = {}
    for area in known.nodes(Layer.AREA):
        if area.id in kept or not area.is_placed:
            continue
        room = known.node(area.parent)
        mapped = any(_holds(one, area.position) for one in areas)
        if not mapped and room is not None and room.id not in kept:
            around = [one for one in rooms if _holds(one, area.position)]
            alike = any(one.label == room.label for one in around)
            within = any(_holds(one, room.position) for one in around)
            mapped = alike or (within and any(_holds(one, area.position, NEXT) for one in areas))
        if mapped:
            gone[area.id] = None
    for room in known.nodes(Layer.ROOM):
        its = [child.id for child in known.children(room.id) if child.layer is Layer.AREA]
        emptied = bool(its) or any(_holds(one, room.position) for one in rooms)
        if room.id not in kept and emptied and gone.keys() >= {*its}:
            gone[room.id] = None
    return list(gone)


def _holds(place: Node, position: Point, margin: float = 0.0) -> bool:
    """Whether a position is within the box of a place, or near its middle, on its floor; `margin`: metres around."""
    gaps = [abs(position[axis] - place.position[axis]) for axis in range(3)]
    within = all(gaps[axis] <= max(place.size[axis] / 2, SAME_AREA / 2) + margin for axis in (0, 1))
    return within and gaps[2] <= SAME_FLOOR
