# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Results of tools: text as short as it can be, with the ids that other tools take."""

from __future__ import annotations

from collections.abc import Iterable

from karma_memory.recall.prompt import one_line
from karma_memory.recall.query import Recollection
from karma_memory.scene import Layer, Node, distance
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.scene_graph.text import describe_in

LINES = 30
"""Most lines of one result."""


def line(one: Recollection) -> str:
    """Return a recollection with its id."""
    return f"{one.record.id}: {one_line(one.record.text, 200)}"


def listed(lines: Iterable[str]) -> str:
    """Return the first `LINES`, and how many more there are."""
    every = list(lines)
    more = [f"… and {len(every) - LINES} more"] if len(every) > LINES else []
    return "\n".join([*every[:LINES], *more])


def home_text(graph: SceneGraph) -> str:
    """Return a whole home in lines, room by room."""
    rooms = [*graph.nodes(Layer.ROOM), None]
    parts = [(room, in_room(graph, room)) for room in rooms]
    return "\n\n".join(
        "\n".join(
            [
                f"{room.name or room.label if room else 'in no known room'}:",
                *(describe_in(graph, one) for one in things),
            ]
        )
        for room, things in parts
        if things or room
    )


def in_room(graph: SceneGraph, room: Node | None) -> list[Node]:
    """Return the things in a room; None for those of which no room is known."""

    def room_id(node: Node) -> str:
        where = graph.room_of(graph.node(node.receptacle) or node)
        return where.id if where is not None else ""

    wanted = room.id if room is not None else ""
    return [node for node in graph.nodes(Layer.OBJECT) if room_id(node) == wanted]


def around(graph: SceneGraph, thing: Node, radius: float) -> list[Node]:
    """Return a thing, what it holds and what is near it, the nearest first."""
    near = [
        (0.0 if node.receptacle == thing.id else distance(node.position, thing.position), node)
        for node in graph.nodes(Layer.OBJECT)
        if node.receptacle == thing.id or (node.is_placed and thing.is_placed)
    ]
    return [thing, *(node for far, node in sorted(near, key=lambda one: one[0]) if far <= radius and node != thing)]


def at(node: Node) -> str:
    """Return where a thing is, metres in `map`; "" where that is not known."""
    return ", at [{:.2f}, {:.2f}, {:.2f}]".format(*node.position) if node.is_placed else ""
