# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which partition of the graph a fact belongs to (EMG-RAG, section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karma_language.told.facts.relations import is_event, relations, role_of, subclasses, takes_many, value_kind
from karma_memory.facts.encoder import Encoder, Vector, cosine
from karma_memory.facts.fact import Fact

if TYPE_CHECKING:
    from karma_memory.facts.graph import EditableMemoryGraph


CENTRED = 64
"""Facts that a centre is the mean of, the latest of the partition: a long life makes it no dearer."""


class PartitionChoice:
    """Chooses by the fact's relation, else by the nearest centre."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._seeds = {
            name: encoder.encode(f"{name.replace('_', ' ')} {text}") for name, (_, text) in subclasses().items()
        }
        self._centres: dict[str, tuple[int, Vector]] = {}
        """Subclass → how often its partition had changed when its centre was made, and that."""

    def of(self, fact: Fact, graph: EditableMemoryGraph) -> str:
        """Return the partition of a fact: that of its relation, of its head's other facts, else the nearest centre."""
        known = relations().get(fact.relation)
        if known is not None and known.subclass:
            return known.subclass
        role = role_of(fact.relation)
        if role is not None:
            return role
        if value_kind(fact.relation) == "day":
            return "anniversaries"
        if is_event(graph.entities.nodes[fact.head].name):
            return "arrangements"
        opposite = "dislikes" if fact.relation == "likes" else "likes" if fact.relation == "dislikes" else ""
        for other in graph.of(fact.head, fact.relation, *filter(None, (opposite,))):
            if other.tail == fact.tail or not takes_many(fact.relation):
                return other.subclass
        return self._nearest_centre(f"{fact.relation.lstrip('~')} {graph.entities.nodes[fact.tail].name}", graph)

    def _nearest_centre(self, text: str, graph: EditableMemoryGraph) -> str:
        """Return the subclass whose centre, the mean of its description and its latest facts, is nearest."""
        vector = self._encoder.encode(text)
        allowed = [name for name, (kind, _) in subclasses().items() if kind != "relationship"]
        return max(allowed, key=lambda name: cosine(vector, self._centre(name, graph)))

    def _centre(self, subclass: str, graph: EditableMemoryGraph) -> Vector:
        changes = graph.changes(subclass)
        if subclass not in self._centres or self._centres[subclass][0] != changes:
            members = [
                self._encoder.encode(f"{f.relation.lstrip('~')} {graph.entities.nodes[f.tail].name}")
                for f in graph.latest(subclass, CENTRED)
            ]
            mean: Vector = np.mean([self._seeds[subclass], *members], axis=0) if members else self._seeds[subclass]
            self._centres[subclass] = changes, mean / np.float32(np.linalg.norm(mean) or 1.0)
        return self._centres[subclass][1]
