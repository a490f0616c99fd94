# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of all memories after some events, and the answer to a query in that state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karma_memory.episodic import EpisodicMemory
from karma_memory.events import Event
from karma_memory.projection import Projection
from karma_memory.recall.fusion import Ranking, fuse
from karma_memory.recall.index import HybridIndex, Match, Search
from karma_memory.recall.prompt import compose
from karma_memory.recall.query import Answer, Query, Recollection, Record, visible
from karma_memory.scene import distance
from karma_memory.scene_graph.long_term import LongTermMemory
from karma_memory.scene_graph.text import area_lines
from karma_memory.short_term.memory import ShortTermMemory
from karma_memory.short_term.policy import PolicySettings
from karma_memory.told import ToldMemory

VOCABULARY = "vocabulary"
"""Key of the common vocabulary in a snapshot, beside those of the kinds."""
NAMED_WEIGHT = 2.0
"""Weight of an object being named by the query, against 1 for likeness of words and of meaning."""


class MemoryState:
    """All kinds of memory and their common index. A function of the events applied, in order. Not thread-safe."""

    def __init__(self, settings: PolicySettings) -> None:
        self.index = HybridIndex()
        self.long_term = LongTermMemory(self.index)
        self.short_term = ShortTermMemory(self.index, settings, self.long_term)
        self.episodic = EpisodicMemory(self.index)
        self.told = ToldMemory(self.index)
        self.projections: dict[str, Projection] = {
            projection.kind: projection for projection in (self.long_term, self.short_term, self.told, self.episodic)
        }

    def apply(self, event: Event) -> None:
        """Let every memory observe an event."""
        for projection in self.projections.values():
            projection.observe(event)

    def search(self, query: Query, vector: NDArray[np.float32] | None) -> Search:
        """Find records by words and, with the query's embedding, by meaning; for a query without a text, all."""
        kinds = query.kinds or frozenset(self.projections)

        def accept(record: Record) -> bool:
            if record.kind not in kinds or not visible(record, query):
                return False
            return not query.room or self.long_term.in_room(record, query.room)

        if not query.text.strip():
            return self.index.listing(accept)
        return self.index.search(query.text, vector, accept)

    def answer(self, query: Query, search: Search, *, with_meaning: bool) -> Answer:
        """Rank what all memories say to a query, best first, and write it as a prompt section."""
        kinds = query.kinds or frozenset(self.projections)
        matches = {
            match.record.id: match
            for kind, projection in self.projections.items()
            if kind in kinds
            for match in projection.recall(query, search)
        }
        recollections = _rank(matches, query, _rankings(matches, query, search, with_meaning=with_meaning), self._here)
        return Answer(
            tuple(recollections),
            compose(recollections, self._area_lines(query, search), query.token_budget),
            search.categories,
        )

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        kinds = {kind: projection.snapshot() for kind, projection in self.projections.items()}
        return {**kinds, VOCABULARY: self.index.vocabulary.snapshot()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state; this one must be fresh."""
        self.index.vocabulary.restore(state[VOCABULARY])
        for kind, projection in self.projections.items():
            projection.restore(state[kind])

    def _here(self, record: Record) -> bool:
        """Whether a record is about the scene that the robot is in, or about none."""
        return record.scene in ("", self.long_term.current_scene)

    def _area_lines(self, query: Query, search: Search) -> Iterable[str]:
        """Return the long-term memory of the query's scene (or the current one) in KARMA's form."""
        if query.kinds and self.long_term.kind not in query.kinds:
            return []
        graph = self.long_term.graph(query.scene or self.long_term.current_scene)
        return [] if graph is None else area_lines(graph, categories=search.categories, near=query.near)


def _rankings(matches: dict[str, Match], query: Query, search: Search, *, with_meaning: bool) -> list[Ranking]:
    """Return the rankings to fuse: by words, by meaning, by being named; newest first for a query without a text."""
    if not query.text.strip():
        return [Ranking("newest", {key: match.record.valid_from for key, match in matches.items()})]
    rankings = [Ranking("words", {key: match.bm25 for key, match in matches.items() if match.bm25 is not None})]
    if with_meaning:
        values = {key: match.cosine for key, match in matches.items() if match.cosine is not None}
        rankings.append(Ranking("meaning", values))
    if search.mentions:
        values = {key: match.named for key, match in matches.items() if match.named is not None}
        rankings.append(Ranking("named", values, NAMED_WEIGHT))
    return rankings


def _rank(
    matches: dict[str, Match], query: Query, rankings: list[Ranking], here: Callable[[Record], bool]
) -> list[Recollection]:
    """Fuse the rankings. Equal scores: the current scene, the nearest, the newest, short-term first; then by id."""
    fused = fuse(rankings)

    def order(key: str) -> tuple[float, bool, float, float, bool, str]:
        record = matches[key].record
        gap = 0.0 if query.near is None or record.node is None else distance(query.near, record.node.position)
        newest = -record.valid_from
        return -fused[key].score, not here(record), gap, newest, record.kind != ShortTermMemory.kind, key

    best = sorted(fused, key=order)[: query.limit]
    return [Recollection(matches[key].record, fused[key].score, _why(matches[key], fused[key].ranks)) for key in best]


def _why(match: Match, ranks: Mapping[str, int]) -> tuple[str, ...]:
    """Say what made the score."""
    why = [f"newest, rank {ranks['newest']}"] if "newest" in ranks else []
    if match.named is not None:
        why.append(f"named in the query, confidence {match.named:.2f}")
    if match.cosine is not None:
        why.append(f"embedding {match.cosine:.2f}, rank {ranks['meaning']}")
    if match.bm25 is not None:
        why.append(f"bm25 {match.bm25:.2f}, rank {ranks['words']}")
    return tuple(why)
