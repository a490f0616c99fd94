# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Reciprocal-rank fusion (Cormack, Clarke, Büttcher 2009) of several rankings of the same records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

DAMPING = 10
"""Cormack's k. He takes 60 for thousands of documents; a robot reads the first ten, where 10 tells ranks apart."""


@dataclass(frozen=True)
class Ranking:
    """One signal: rows of records and their values, larger is better. Equal values share a rank."""

    name: str
    rows: NDArray[np.intp]
    """(n,) ascending."""
    values: NDArray[np.float64]
    """(n,)"""
    weight: float = 1.0

    @cached_property
    def ranks(self) -> NDArray[np.intp]:
        """(n,) rank of each row, 1 for the best."""
        as_good_or_worse: NDArray[np.intp] = np.searchsorted(np.sort(self.values), self.values, side="right")
        return len(self.values) - as_good_or_worse + 1

    def of(self, row: int) -> tuple[float, int] | None:
        """Return value and rank of a row, None when it is not in this ranking."""
        place = int(np.searchsorted(self.rows, row))
        if place == len(self.rows) or self.rows[place] != row:
            return None
        return float(self.values[place]), int(self.ranks[place])

    def cut(self, depth: int) -> Ranking:
        """Return the best `depth` rows, and those that are as good as the last of them."""
        surplus = len(self.rows) - depth
        if surplus <= 0:
            return self
        kept = self.values >= np.partition(self.values, surplus)[surplus]
        return Ranking(self.name, self.rows[kept], self.values[kept], self.weight)


def fuse(rankings: list[Ranking], size: int) -> NDArray[np.float64]:
    """Return (size,) the score of each row, 0..1: 1 is first in every ranking, 0 is in none."""
    scores = np.zeros(size)
    best = sum(ranking.weight / (DAMPING + 1) for ranking in rankings)
    for ranking in rankings:
        scores[ranking.rows] += ranking.weight / (DAMPING + ranking.ranks) / best
    return scores
