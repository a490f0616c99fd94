# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds objects of the scene graph by what people call them."""

from __future__ import annotations

from karma_language.told.habits.nouns import normal
from karma_language.vocabulary.terms import singular
from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.wording import spoken, states_of

_STATE = 0.5
"""A word of its states, where a whole category is 1."""


def found(graph: SceneGraph, query: str, limit: int) -> list[Node]:
    """Return the objects that a question or a category names, the best first, at most `limit`.

    An object counts by how much of its category is named, and its states; of equals, what can be carried comes first.
    """
    asked = frozenset(normal(query))
    scores = {node.id: _score(node, asked) for node in graph.layer(Layer.OBJECT)}
    nodes = [graph.nodes[name] for name, score in scores.items() if score]
    nodes.sort(key=lambda node: (-scores[node.id], not node.movable, node.id))
    return nodes[:limit]


def _score(node: Node, asked: frozenset[str]) -> float:
    words, states = {*normal(spoken(node.category))}, {*normal(" ".join(states_of(node)))}
    # A coffeemachine is a coffee machine.
    whole = singular(node.category.lower()) in asked
    return (1.0 if whole else len(words & asked) / max(1, len(words))) + _STATE * len(states & asked)
