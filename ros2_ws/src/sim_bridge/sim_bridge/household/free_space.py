# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The free cells of a recorded room: those that the agent reached, made into one connected piece.

A few rooms were recorded in several pieces, a cell or two apart. The pieces are joined by the cells between them,
around furniture where that is possible. What is too far off to be joined can't be reached and is left out.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable

from sim_bridge.household.model import CELL, Box
from sim_bridge.household.recorded import Recording

GridCell = tuple[int, int]

_LONGEST_BRIDGE = 4
"""Cells between two pieces at most."""

_THROUGH_FURNITURE = 20.0
"""Cost of a cell that furniture covers, in free ones."""

_NEIGHBOURS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def connected_cells(rec: Recording) -> frozenset[GridCell]:
    """Return the free cells of a room, all reachable from each other."""
    parts = components(rec.cells)
    joined, rest = set(parts[0]), parts[1:]
    boxes = [o.box for o in rec.objects if o.category != "Floor" and not o.movable]
    while rest:
        bridge = _bridge(joined, set().union(*rest), boxes)
        if bridge is None:
            break
        joined.update(bridge)
        touched = [p for p in rest if not joined.isdisjoint(p)]
        joined.update(*touched)
        rest = [p for p in rest if joined.isdisjoint(p)]
    return frozenset(joined)


def components(cells: Collection[GridCell]) -> list[set[GridCell]]:
    """Return the pieces of a set of cells that are connected over their edges, the largest first."""
    left = set(cells)
    parts = []
    while left:
        start = min(left)
        part, ahead = {start}, [start]
        left.discard(start)
        while ahead:
            i, j = ahead.pop()
            for a, b in _NEIGHBOURS:
                if (i + a, j + b) in left:
                    left.discard((i + a, j + b))
                    part.add((i + a, j + b))
                    ahead.append((i + a, j + b))
        parts.append(part)
    return sorted(parts, key=lambda p: (-len(p), min(p)))


def _bridge(sources: set[GridCell], goals: set[GridCell], boxes: list[Box]) -> list[GridCell] | None:
    """Return the cheapest way from the sources to a goal, the goal included; None where it is too long."""
    queue: list[tuple[float, int, GridCell, tuple[GridCell, ...]]] = [(0.0, 0, c, ()) for c in sorted(sources)]
    done: set[GridCell] = set()
    while queue:
        cost, length, cell, way = heapq.heappop(queue)
        if cell in goals:
            return list(way)
        if cell in done:
            continue
        done.add(cell)
        if length > _LONGEST_BRIDGE:
            continue
        for a, b in _NEIGHBOURS:
            ahead = (cell[0] + a, cell[1] + b)
            if ahead not in done and ahead not in sources:
                free = ahead in goals or not covered(ahead, boxes)
                step = 1.0 if free else _THROUGH_FURNITURE
                heapq.heappush(queue, (cost + step, length + 1, ahead, (*way, ahead)))
    return None


def covered(
    cell: GridCell, boxes: Iterable[Box], half: float = CELL / 2, low: float = 0.05, high: float = 2.05
) -> bool:
    """Whether a box reaches into the square of `half` metres around a cell, between two heights above the floor."""
    x, y = cell[0] * CELL, cell[1] * CELL
    return any(
        b.low[0] < x + half
        and b.high[0] > x - half
        and b.low[1] < y + half
        and b.high[1] > y - half
        and b.low[2] < high
        and b.high[2] > low
        for b in boxes
    )
