# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A scene graph in words: KARMA's area lines for prompts (section 3.3), and one line per object.

The paper also lists the edges between areas; they say the same as the adjacent nodes and are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from karma_memory.scene import Layer, Node, Point, distance
from karma_memory.scene_graph.graph import SceneGraph

STATE_WORDS = {
    "isOpen": ("open", "closed"),
    "isToggled": ("on", "off"),
    "isDirty": ("dirty", "clean"),
    "isSliced": ("sliced", ""),
    "isCooked": ("cooked", ""),
    "isBroken": ("broken", ""),
    "isFilledWithLiquid": ("filled", "empty"),
    "isUsedUp": ("used up", ""),
}
"""State → word when it is true, word when it is false; "" says nothing."""


def state_words(states: Mapping[str, str]) -> list[str]:
    """Return the states in words, in the order of their names; a state without a word is given as key=value."""
    words = []
    for key, value in sorted(states.items()):
        if key in STATE_WORDS and value.lower() in ("true", "false"):
            words.append(STATE_WORDS[key][value.lower() == "false"])
        elif key == "temperature":
            words.append("" if value == "RoomTemp" else value.lower())
        else:
            words.append(f"{key}={value}")
    return [word for word in words if word]


def describe(node: Node, receptacle: str = "", room: str = "") -> str:
    """Return one line about an object: what, where, state, position.

    `receptacle` and `room` are their labels; what has none, as the floor, is not told: an id says nothing to people.
    """
    where = ""
    if node.relation == "held":
        where = " is held by the robot"
    elif receptacle:
        where = f" is {node.relation or 'on'} the {receptacle}"
    parts = [f"{node.label}{where}"]
    if room:
        parts.append(f"in {room}")
    parts += state_words(node.states)
    if node.is_placed:
        parts.append(f"at {point_text(node.position)}")
    return ", ".join(parts)


def describe_in(graph: SceneGraph | None, node: Node) -> str:
    """Return one line about an object, with the names that its scene graph knows."""
    if graph is None:
        return describe(node)
    receptacle = graph.node(node.receptacle)
    return describe(node, receptacle.label if receptacle else "", room_name(graph, node))


def room_name(graph: SceneGraph, node: Node) -> str:
    """Return what the room of a node is called, "" where it is not known."""
    room = graph.room_of(node)
    return (room.name or room.category) if room else ""


def area_line(graph: SceneGraph, area: Node, categories: Collection[str] = ()) -> str:
    """Return an area in KARMA's form; objects of `categories` come first, then the others by name."""
    labels = graph.labels_in(area.id)
    contained = sorted(labels, key=lambda label: (label not in categories, label))
    adjacent = [node.name or node.id for node in graph.adjacent(area.id)]
    return (
        f"{{name: {area.name or area.id}, type: Area, contains: [{', '.join(contained)}], "
        f"adjacent nodes: [{', '.join(adjacent)}], position: {point_text(area.position)}}}"
    )


def area_lines(graph: SceneGraph, *, categories: Collection[str] = (), near: Point | None = None) -> Iterator[str]:
    """Yield all areas in KARMA's form: with objects of `categories` first, then nearest to `near`, then by id."""
    relevant = {node.parent for category in categories for node in graph.of_category(category)}

    def order(area: Node) -> tuple[bool, float, str]:
        return area.id not in relevant, 0.0 if near is None else distance(near, area.position), area.id

    for area in sorted(graph.nodes(Layer.AREA), key=order):
        yield area_line(graph, area, categories)


def point_text(point: Point) -> str:
    """Return a position in metres as text, to the centimetre."""
    return "[{:.2f}, {:.2f}, {:.2f}]".format(*point).replace("-0.00", "0.00")
