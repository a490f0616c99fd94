# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Reciprocal-rank fusion (Cormack, Clarke, Büttcher 2009) of several rankings of the same records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DAMPING = 10
"""Cormack's k. He takes 60 for thousands of documents; a robot reads the first ten, where 10 tells ranks apart."""


@dataclass(frozen=True)
class Ranking:
    """One signal: record id → value, larger is better. Equal values share a rank."""

    name: str
    values: Mapping[str, float]
    weight: float = 1.0

    def ranks(self) -> dict[str, int]:
        """Return the rank of each record, 1 for the best."""
        order = sorted(self.values.values(), reverse=True)
        first: dict[float, int] = {}
        for rank, value in enumerate(order, start=1):
            first.setdefault(value, rank)
        return {record_id: first[value] for record_id, value in self.values.items()}


@dataclass(frozen=True)
class Fused:
    """The score of a record and the ranks that made it."""

    score: float
    """0..1; 1 is first in every ranking."""
    ranks: Mapping[str, int]


def fuse(rankings: list[Ranking]) -> dict[str, Fused]:
    """Return the fused score of every record that occurs in a ranking."""
    best = sum(ranking.weight / (DAMPING + 1) for ranking in rankings)
    scores: dict[str, float] = {}
    ranks: dict[str, dict[str, int]] = {}
    for ranking in rankings:
        for record_id, rank in ranking.ranks().items():
            scores[record_id] = scores.get(record_id, 0.0) + ranking.weight / (DAMPING + rank)
            ranks.setdefault(record_id, {})[ranking.name] = rank
    return {record_id: Fused(score / best, ranks[record_id]) for record_id, score in scores.items()}
