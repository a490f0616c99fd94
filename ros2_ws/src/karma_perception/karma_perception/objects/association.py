# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which known object an observation without an identity belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from karma_perception.frames.camera import FloatArray
from karma_perception.objects.colors import color_likeness

_FAR = 1e6
_BY_BOX = 2.0
"""Cost that is added to pairs by their boxes, so that votes always come first."""

MIN_VOTE = 0.25
"""Share of an object's visible points that must lie on an observation's mask."""

_MIN_OVERLAP = 0.3
"""Share of the smaller box that must lie in the larger, of objects that are not in view themselves."""

_MOST_OVERLAP = 0.6
"""The same of objects whose points were in view, but said nothing: seen at a grazing angle, or from afar."""

_PADDING = 0.03
"""Metres added to boxes before they are compared; most surfaces are thin."""

_SLACK = 0.05
"""Metres by which sizes may differ in any case."""

_MIN_LIKENESS = 0.3
"""Two colour histograms that share less are not of the same thing."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A box with a class: an observation, or an object that it may belong to."""

    category: str
    low: FloatArray
    high: FloatArray
    colors: FloatArray | None = None
    """Histogram of its colours, of sum 1; None when they are not known."""
    tested: bool = False
    """Whether enough of its points were in view for their votes to decide."""

    @property
    def size(self) -> FloatArray:
        """(3,) extents."""
        return self.high - self.low


def associate(
    observed: Sequence[Candidate], known: Sequence[Candidate], votes: FloatArray | None = None
) -> list[int | None]:
    """Return for every observation the index of the known object it belongs to, or None.

    `votes`, (observed, known): share of the known object's visible points that lie on the observation's mask. One to
    one, within a class, by the least total cost. Votes come first; then the overlap of boxes, for objects whose points
    were not in view.
    """
    if not observed or not known:
        return [None] * len(observed)
    cost = np.full((len(observed), len(known)), _FAR)
    for i, o in enumerate(observed):
        for j, k in enumerate(known):
            if o.category == k.category:
                cost[i, j] = _cost(o, k, 0.0 if votes is None else float(votes[i, j]))
    rows, columns = linear_sum_assignment(cost)
    result: list[int | None] = [None] * len(observed)
    for i, j in zip(rows, columns, strict=True):
        if cost[i, j] < _FAR:
            result[int(i)] = int(j)
    return result


def _cost(o: Candidate, k: Candidate, vote: float) -> float:
    if vote >= MIN_VOTE:
        return 1.0 - vote
    if overlap(o, k) >= (_MOST_OVERLAP if k.tested else _MIN_OVERLAP):
        return _BY_BOX + _distance(o, k)
    return _FAR


def succeed(
    gone: Sequence[Candidate], new: Sequence[Candidate], possible: NDArray[np.bool_], gain: FloatArray
) -> list[int | None]:
    """Return for every object that is gone the index of the new one that it has become, or None.

    `possible`, (gone, new): where the new one turned up after the other was seen last. `gain`, (gone, new): what it is
    worth to know what became of the one and where the other came from; two that differ by more are not the same. One to
    one, within a class, by the least difference in size and colours; the nearest of those that are alike.
    """
    if not possible.any():
        return [None] * len(gone)
    ways = np.array([o.low + o.high for o in gone])[:, None] / 2 - np.array([o.low + o.high for o in new]) / 2
    cost = unlikeness(gone, new) + 0.01 * np.minimum(np.linalg.norm(ways, axis=2), 10.0) - gain
    cost = np.where(possible, np.minimum(cost, 0.0), 0.0)
    result: list[int | None] = [None] * len(gone)
    for i, j in zip(*linear_sum_assignment(cost), strict=True):
        if cost[i, j] < 0.0:
            result[int(i)] = int(j)
    return result


def overlap(a: Candidate, b: Candidate) -> float:
    """Return the share of the smaller box that lies in the larger."""
    shared = np.minimum(a.high, b.high) - np.maximum(a.low, b.low) + 2 * _PADDING
    if np.any(shared <= 0):
        return 0.0
    smaller = min(float(np.prod(a.size + 2 * _PADDING)), float(np.prod(b.size + 2 * _PADDING)))
    return float(np.prod(shared)) / smaller


def agreement(a: Candidate, b: Candidate) -> float:
    """Return the share of the space that either of two boxes fills, that both do."""
    both = np.minimum(a.high, b.high) - np.maximum(a.low, b.low) + 2 * _PADDING
    if np.any(both <= 0):
        return 0.0
    shared = float(np.prod(both))
    return shared / (float(np.prod(a.size + 2 * _PADDING)) + float(np.prod(b.size + 2 * _PADDING)) - shared)


def unlikeness(known: Sequence[Candidate], new: Sequence[Candidate]) -> FloatArray:
    """Return how much things of a class differ in size and colours, (known, new), from 0; infinity: not the same.

    The new one may be up to four times as large, in any orientation, or a quarter: rarely was all of a thing in view.
    """
    true = np.sort([o.size for o in known])[:, None]
    seen = np.sort([o.size for o in new])[None]
    result = np.abs(np.log((seen + _PADDING) / (true + _PADDING))).mean(axis=2)
    result[np.any((seen > 4.0 * true + _SLACK) | (true > 4.0 * seen + _SLACK), axis=2)] = np.inf
    colored = np.ix_([o.colors is not None for o in known], [o.colors is not None for o in new])
    if result[colored].size:
        a = np.array([o.colors for o in known if o.colors is not None])
        b = np.array([o.colors for o in new if o.colors is not None])
        likeness = color_likeness(a[:, None], b[None])
        result[colored] += np.where(likeness < _MIN_LIKENESS, np.inf, 1.0 - likeness)
    return np.asarray(result)


def _distance(a: Candidate, b: Candidate) -> float:
    return float(np.linalg.norm((a.low + a.high) / 2 - (b.low + b.high) / 2))
