# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How nodes of the scene graph are told to people, with their states and their place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from karma_perception.scene_graph import Layer, Node, SceneGraph

_STATES: Mapping[str, str] = {"isToggled": "on", "fillLiquid": "", "temperature": ""}
"""States that aren't told by their name: what is true, or else what is before the value."""
_UNTOLD = frozenset({"", "false", "RoomTemp"})
"""Values that are as usual."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def spoken(name: str) -> str:
    """Return a category in words: SoapBottle is soap bottle."""
    return " ".join(_WORD.findall(name)).lower() or name


def states_of(node: Node) -> tuple[str, ...]:
    """Return the states that are not as usual, in words: open, on, dirty, filled with liquid, hot."""
    told = {_state(name, value) for name, value in node.states.items() if value not in _UNTOLD}
    return tuple(sorted(word for word in told if word))


def changes_of(old: Node, new: Node) -> tuple[str, ...]:
    """Return what is different about the states of an object, in words: now open, no longer dirty."""
    was, is_now = states_of(old), states_of(new)
    return (
        *(f"no longer {state}" for state in was if state not in is_now),
        *(f"now {state}" for state in is_now if state not in was),
    )


def name_of(node: Node) -> str:
    """Return what a room or an object is called."""
    return node.name if node.layer is Layer.ROOM and node.name else spoken(node.category)


def text_of(node: Node) -> str:
    """Return what is written at an object: its category, and the states that are not as usual."""
    states = states_of(node)
    return f"{spoken(node.category)} ({', '.join(states)})" if states else spoken(node.category)


def place_of(graph: SceneGraph, node: Node) -> str:
    """Return where an object is: "on the counter top, kitchen 1"; empty where nothing is known of it."""
    told = []
    if node.relation == "held":
        told.append("held by the robot")
    elif (holder := graph.nodes.get(node.receptacle)) is not None:
        told.append(f"{node.relation} the {spoken(holder.category)}".strip())
    if (room := room_of(graph, node)) is not None:
        told.append(room.name)
    return ", ".join(told)


def room_of(graph: SceneGraph, node: Node) -> Node | None:
    """Return the room that a node is in; None where that is not known."""
    while node.layer > Layer.ROOM and (parent := graph.nodes.get(node.parent)) is not None:
        node = parent
    return node if node.layer is Layer.ROOM else None


def _state(name: str, value: str) -> str:
    word = _STATES.get(name, spoken(name.removeprefix("is")))
    return word if value == "true" else f"{word} {spoken(value)}".strip()
