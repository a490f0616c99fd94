# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of all memories after some events, and the answer to a query in that state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karma_memory.episodic import EpisodicMemory
from karma_memory.events import Event
from karma_memory.privacy.consent import Consents
from karma_memory.projection import Projection
from karma_memory.recall.index import HybridIndex, Search
from karma_memory.recall.prompt import compose
from karma_memory.recall.query import Answer, Query
from karma_memory.recall.rank import rank
from karma_memory.scene_graph.long_term import LongTermMemory
from karma_memory.scene_graph.text import area_lines
from karma_memory.short_term.memory import ShortTermMemory
from karma_memory.short_term.policy import PolicySettings
from karma_memory.told import ToldMemory

VOCABULARY = "vocabulary"
"""Key of the common vocabulary in a snapshot, beside those of the kinds."""
CONSENTS = "consents"
"""Key of what users agreed to, where any did."""


class MemoryState:
    """All kinds of memory and their common index. A function of the events applied, in order. Not thread-safe."""

    def __init__(self, settings: PolicySettings) -> None:
        self.index = HybridIndex()
        self.consents = Consents()
        self.long_term = LongTermMemory(self.index)
        self.short_term = ShortTermMemory(self.index, settings, self.long_term)
        self.episodic = EpisodicMemory(self.index)
        self.told = ToldMemory(self.index)
        self.projections: dict[str, Projection] = {
            projection.kind: projection for projection in (self.long_term, self.short_term, self.told, self.episodic)
        }

    def apply(self, event: Event) -> None:
        """Let every memory observe an event."""
        self.consents.observe(event)
        for projection in self.projections.values():
            projection.observe(event)

    def sources(self) -> set[str]:
        """Return the ids of the events that current records rest on."""
        return {record.source for record in self.index.records.values()}

    def search(self, query: Query, vector: NDArray[np.float32] | None) -> Search:
        """Find records by words and, with the query's embedding, by meaning; for a query without a text, all."""
        table = self.index.table
        accepted = table.accepted(query, query.kinds or self.projections.keys())
        if query.room:
            in_room = table.in_room(query.room)
            units = np.flatnonzero(accepted & table.among("kind", [self.short_term.kind]))
            for row in units.tolist():  # few; where they are follows the scene graph
                in_room[row] = self.long_term.in_room(table.record(row), query.room)
            accepted &= in_room
        return self.index.search(query.text, vector, accepted, query.limit)

    def answer(self, query: Query, search: Search) -> Answer:
        """Rank what all memories say to a query, best first, and write it as a prompt section."""
        added = [
            match
            for kind, projection in self.projections.items()
            if not query.kinds or kind in query.kinds
            for match in projection.recall(query, search)
        ]
        recollections = rank(query, search, added, self.long_term.current_scene)
        return Answer(
            tuple(recollections),
            compose(recollections, self._area_lines(query, search), query.token_budget),
            search.categories,
        )

    def snapshot(self) -> dict[str, Any]:
        """Return the state, which stays as it is and of which encoding.dumps makes JSON; see Projection."""
        kinds = {kind: projection.snapshot() for kind, projection in self.projections.items()}
        consents = self.consents.snapshot()
        return {**kinds, VOCABULARY: self.index.vocabulary.snapshot(), **({CONSENTS: consents} if consents else {})}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state, as JSON; this one must be fresh."""
        self.index.vocabulary.restore(state[VOCABULARY])
        self.consents.restore(state.get(CONSENTS, {}))
        for kind, projection in self.projections.items():
            projection.restore(state[kind])

    def _area_lines(self, query: Query, search: Search) -> Iterable[str]:
        """Return the long-term memory of the query's scene (or the current one) in KARMA's form."""
        if query.kinds and self.long_term.kind not in query.kinds:
            return []
        graph = self.long_term.graph(query.scene or self.long_term.current_scene)
        return [] if graph is None else area_lines(graph, categories=search.categories, near=query.near)
