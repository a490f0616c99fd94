# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes of a scene graph by what people call them."""

from __future__ import annotations

from collections.abc import Sequence

from karma_memory.scene import InvalidEventError, Layer, Node
from karma_memory.scene_graph.graph import SceneGraph

NAMED = 30
"""Ids that a message lists."""


def called(graph: SceneGraph | None, name: str, layer: Layer) -> Node | None:
    """Return the node of a layer that has this id, else the one seen last that has this name, else this category."""
    return next(iter(all_called(graph, name, layer)), None)


def all_called(graph: SceneGraph | None, name: str, layer: Layer, at: str = "") -> list[Node]:
    """Return the nodes of a layer that are called so; see HomeMemory.find_all."""
    if graph is None:
        return []
    if (known := graph.node(name)) is not None and known.layer is layer:
        return [known]
    word, nodes = name.casefold(), list(graph.nodes(layer))
    found = [node for node in nodes if node.name.casefold() == word]
    found = found or [node for node in nodes if node.category.casefold() == word]
    if at:
        found = [node for node in found if at in (node.receptacle, node.parent, _room_id(graph, node))]
    mine = [node for node in found if node.id == word]  # made by its name alone
    return mine or sorted(found, key=lambda node: -node.last_seen)


def _room_id(graph: SceneGraph, node: Node) -> str:
    room = graph.room_of(node)
    return room.id if room is not None else ""


def so_called(found: Sequence[Node], name: str) -> list[Node]:
    """Return the nodes but for those that were given another name: a "red mug" is not the one that is called "mug"."""
    word = name.casefold()
    return [one for one in found if one.id in (name, word) or one.id != one.name.casefold()]


def one_of(found: Sequence[Node], name: str) -> Node | None:
    """Return what is called so. InvalidEventError where that are several."""
    if len(found) > 1:
        ids = ", ".join(repr(node.id) for node in found[:NAMED])
        raise InvalidEventError(f"there are {len(found)} called {name!r}; give the id, one of: {ids}")
    return next(iter(found), None)
