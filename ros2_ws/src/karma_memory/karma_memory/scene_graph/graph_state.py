# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a scene graph at one time, which stays as it is while the graph goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from karma_memory.encoding import Json, from_json
from karma_memory.scene import Edge, Relation
from karma_memory.scene_graph.beliefs import Belief
from karma_memory.scene_graph.pictures import Picture

Ends = tuple[str, str, float]
"""Source, target and weight of an edge that goes both ways: the same one when they change places."""


@dataclass(frozen=True)
class GraphState:
    """All that a scene graph rests on. The beliefs are the graph's own: it is taken quickly, and made JSON later."""

    scene: str
    beliefs: Sequence[Belief]
    ended: Mapping[str, Sequence[Belief]]
    """Node → beliefs that ended, oldest first."""
    reachable: Sequence[Ends]
    near: Sequence[Ends]
    parts: Mapping[str, str] = field(default_factory=dict)
    """Part → whole."""
    pictures: Mapping[str, Sequence[Picture]] = field(default_factory=dict)
    """Node → its pictures, oldest first."""

    def to_json(self) -> Json:
        """Return the state as a JSON object, of beliefs that are none yet (see encoding.dumps)."""
        data: Json = {
            "scene": self.scene,
            "beliefs": self.beliefs,
            "ended": self.ended,
            "reachable": in_order(Relation.REACHABLE, self.reachable),
            "near": in_order(Relation.NEAR, self.near),
        }
        if self.parts:
            data["parts"] = self.parts
        if self.pictures:
            data["pictures"] = self.pictures
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GraphState:
        """Return the state of a JSON object. KeyError or TypeError where it is none."""
        return cls(
            str(data["scene"]),
            tuple(map(Belief.from_json, data["beliefs"])),
            {node_id: tuple(map(Belief.from_json, ended)) for node_id, ended in data["ended"].items()},
            tuple(_ends(from_json(Edge, edge)) for edge in data["reachable"]),
            tuple(_ends(from_json(Edge, edge)) for edge in data["near"]),
            {part: str(whole) for part, whole in data.get("parts", {}).items()},
            {node_id: _pictures(pictures) for node_id, pictures in data.get("pictures", {}).items()},
        )


def in_order(relation: Relation, edges: Sequence[Ends]) -> list[Edge]:
    """Return edges that go both ways, each in one direction and all in one order, however they came about."""
    ends = ((min(source, target), max(source, target), weight) for source, target, weight in edges)
    return [Edge(relation, *one) for one in sorted(ends)]


def _pictures(data: Sequence[Mapping[str, Any]]) -> tuple[Picture, ...]:
    """Return pictures of JSON objects; one that was erased has no image any more."""
    return tuple(from_json(Picture, item) for item in data if "image" in item)


def _ends(edge: Edge) -> Ends:
    return edge.source, edge.target, edge.weight
