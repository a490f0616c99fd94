# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The object that a viewer chose: a box around it, and what is known of it."""

from __future__ import annotations

import threading
from typing import Any

import viser

from karma_perception.scene_graph import Node, SceneGraph
from karma_view.known import Known
from karma_view.text import render
from karma_view.wording import place_of, spoken, states_of

ROOT = "/selection"
"""The viewer's own node."""
_MARK = (255, 120, 0)
_MARGIN = 0.04
"""Metres between the object's box and the one around it."""


class Mark:
    """A box around at most one object, in a viewer's own scene."""

    def __init__(self, scene: viser.SceneApi, name: str, color: tuple[int, int, int] = _MARK) -> None:
        """`name`: of the node that it is."""
        self._scene = scene
        self._name = name
        self._color = color
        self._box: Any = None

    def show(self, node: Node | None) -> None:
        """Mark an object where it is; None: none."""
        if node is None:
            if self._box is not None:
                self._box.remove()
                self._box = None
            return
        if self._box is None:
            self._box = self._scene.add_box(self._name, color=self._color, wireframe=True, cast_shadow=False)
        self._box.position = node.center
        self._box.wxyz = viser.transforms.SO3.from_z_radians(node.yaw).wxyz
        size = tuple(length + 2 * _MARGIN for length in node.size)
        if size != tuple(self._box.dimensions):
            self._box.dimensions = size


class Selection:
    """At most one object, followed while it moves or changes."""

    def __init__(self, client: viser.ClientHandle) -> None:
        """Make this among the panels where what is known is to be shown."""
        self.node: Node | None = None
        """As it is known at the time that is looked at; None: none is chosen."""
        self._graph = SceneGraph()
        self._id = ""
        self._mark = Mark(client.scene, f"{ROOT}/mark")
        self._details = client.gui.add_html(render("object", node=None))
        self._showing = threading.Lock()
        """A click comes in another thread than the news."""

    def choose(self, name: str) -> None:
        """Choose an object by its id; empty: none."""
        with self._showing:
            self._id = name
            self._show(self._graph)

    def update(self, known: Known) -> None:
        """Follow the object."""
        with self._showing:
            if known.graph is not self._graph:
                self._show(known.graph)

    def _show(self, graph: SceneGraph) -> None:
        self._graph = graph
        self.node = node = graph.nodes.get(self._id)
        self._mark.show(node)
        self._tell(render("object", node=None) if node is None else details_of(graph, node))

    def _tell(self, details: str) -> None:
        if details != self._details.content:
            self._details.content = details


def details_of(graph: SceneGraph, node: Node) -> str:
    """Return what is known of an object, as HTML."""
    holds = sorted(spoken(other.category) for other in graph.nodes.values() if other.receptacle == node.id)
    place, states = place_of(graph, node), states_of(node)
    return render("object", node=node, category=spoken(node.category), place=place, states=states, holds=holds)
