# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of the cells that a robot can drive to it stands on for something."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sim_bridge.simulation.motion import REACH

_COMFORTABLE = 0.8
"""Metres to an object that are no worse than closer."""

_MARGIN = 0.1
"""Metres to spare when choosing where to stand for something in reach."""

_APART = 0.7
"""Metres between places from which the same is looked at."""

_AT_ONCE = 8
"""Cells for which it is computed at once what is seen from them."""


def in_reach(
    away: NDArray[np.float64], driven: NDArray[np.float64], reluctance: NDArray[np.float64] | float
) -> Sequence[list[int]]:
    """Return the cells from which something is in reach, a few at a time, those that are best to drive to first.

    Of each cell, in metres: how far `away` the thing is, infinite where it is on another storey; how far it is driven
    to it, infinite where there is no way; how much longer a way would be no worse.
    """
    cost = driven + 2.0 * np.maximum(away - _COMFORTABLE, 0.0) + np.where(away < 0.2, 1.0, 0.0) + reluctance
    cells = np.flatnonzero((away <= REACH - _MARGIN) & np.isfinite(driven))
    ranked = cells[np.argsort(cost[cells], kind="stable")].tolist()
    return [ranked[k : k + _AT_ONCE] for k in range(0, len(ranked), _AT_ONCE)]


def first_seen(cells: Sequence[list[int]], seen_from: Callable[[list[int]], Collection[int]]) -> int | None:
    """Return the first cell from which something is seen, else the first of all; None where there are none."""
    for some in cells:
        seen = seen_from(some)
        if seen:
            return next(c for c in some if c in seen)
    return cells[0][0] if cells else None


def from_all_sides(cells: Iterable[int], points: NDArray[np.float64], most: int) -> list[int]:
    """Return the first of some cells that are apart from each other; `points`: (all cells, 2 or 3), metres."""
    chosen: list[int] = []
    for cell in cells:
        if all(np.linalg.norm(points[cell] - points[c]) >= _APART for c in chosen):
            chosen.append(cell)
        if len(chosen) == most:
            break
    return chosen
