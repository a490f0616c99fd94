# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which known object an observation without an identity belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from karma_perception.camera import FloatArray

_FAR = 1e6


@dataclass(frozen=True, eq=False)
class Candidate:
    """A box with a class: an observation, or an object that it may belong to."""

    category: str
    low: FloatArray
    high: FloatArray
    missing: bool = False
    """A movable object that is no longer where it was: it may turn up anywhere."""

    @property
    def size(self) -> FloatArray:
        """(3,) extents."""
        return self.high - self.low


def associate(
    observed: Sequence[Candidate], known: Sequence[Candidate], *, reach: float = 0.25, missing_cost: float = 10.0
) -> list[int | None]:
    """Return for every observation the index of the known object it belongs to, or None.

    One to one, by the least total cost: the gap between the boxes plus the distance of their centres, within a class.
    A pair needs a gap of at most `reach` metres; an object that is missing takes what is of its size and fits nothing
    else.
    """
    if not observed or not known:
        return [None] * len(observed)
    cost = np.full((len(observed), len(known)), _FAR)
    for i, o in enumerate(observed):
        for j, k in enumerate(known):
            if o.category != k.category:
                continue
            gap = float(np.linalg.norm(np.maximum(0.0, np.maximum(o.low - k.high, k.low - o.high))))
            distance = float(np.linalg.norm((o.low + o.high) / 2 - (k.low + k.high) / 2))
            if gap <= reach:
                cost[i, j] = gap + distance
            elif k.missing and _alike(o.size, k.size):
                cost[i, j] = missing_cost + distance
    rows, columns = linear_sum_assignment(cost)
    result: list[int | None] = [None] * len(observed)
    for i, j in zip(rows, columns, strict=True):
        if cost[i, j] < _FAR:
            result[int(i)] = int(j)
    return result


def _alike(a: FloatArray, b: FloatArray) -> bool:
    """Whether two sizes are within a factor of two, in any orientation."""
    return bool(np.all(np.sort(a) <= 2.0 * np.sort(b) + 0.05) and np.all(np.sort(b) <= 2.0 * np.sort(a) + 0.05))
