# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Cut furniture down to what it really fills.

Only axis-aligned boxes are recorded, so the box of an L-shaped counter covers floor that the agent walked on. What was
walked on is cut out of such a box, down to the floor; so is other furniture that stands in the corner. The rest is
decomposed into boxes. What rests on the furniture keeps its support.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sim_bridge.household.model import CELL, Box, ObjectSpec
from sim_bridge.household.primitives import extent
from sim_bridge.household.shapes import shape
from sim_bridge.simulation.categories import WALL_MOUNTED

BODY_HEIGHT = 1.3
"""Metres; what begins above lets the robot pass underneath."""

_HANGING_DEPTH = 0.15
"""Metres that windows and curtains take up along the wall; the recorded box of one around a corner fills the room."""

CLEARANCE = (0.1, 0.02)
"""Metres around the middle of a free cell that nothing fills: the wider if anything of the furniture remains then."""

Rectangle = tuple[float, float, float, float]
"""Smallest x, y, largest x, y."""


def carve(objects: Sequence[ObjectSpec], cells: Collection[tuple[int, int]]) -> dict[str, tuple[Box, ...]]:
    """Return what remains of the furniture that covers free cells: id → boxes, none of which covers one.

    Parameters: the objects of a room and its free cells (i, j), centred at (i * CELL, j * CELL), at floor height 0.
    """
    centres = np.array(sorted(cells), dtype=np.float64).reshape(-1, 2) * CELL
    children: dict[str, list[ObjectSpec]] = {}
    for o in objects:
        children.setdefault(o.parent, []).append(o)
    carved = {}
    for furniture in objects:
        if furniture.movable or furniture.category == "Floor" or furniture.box.low[2] > BODY_HEIGHT:
            continue
        covered = _covered(furniture.box, centres)
        if not len(covered) or not _drawn_over(furniture, covered):
            continue
        support = [_footprint(c.box) for c in children.get(furniture.id, ()) if c.movable]
        if furniture.category in WALL_MOUNTED:
            carved[furniture.id] = remains(furniture.box, cut=[_interior(objects, centres)], keep=(), free=())
            continue
        cut = [*_squares(covered, CELL / 2), *(_footprint(o.box) for o in objects if _stands_in(o, furniture))]
        attempts = (remains(furniture.box, cut=cut, keep=support, free=_squares(covered, r)) for r in CLEARANCE)
        boxes = next((b for b in attempts if b), ()) or remains(
            furniture.box, cut=(), keep=(), free=_squares(covered, CLEARANCE[-1])
        )
        carved[furniture.id] = boxes
    return carved


def remains(
    box: Box, *, cut: Iterable[Rectangle], keep: Iterable[Rectangle], free: Iterable[Rectangle]
) -> tuple[Box, ...]:
    """Return `box` less `cut`, but with `keep`, and in any case less `free`, as boxes that do not overlap."""
    cut, keep, free = list(cut), list(keep), list(free)
    low_x, low_y, high_x, high_y = _footprint(box)
    edges = [*cut, *keep, *free]
    xs = _grid([low_x, high_x, *(v for r in edges for v in (r[0], r[2]))], low_x, high_x)
    ys = _grid([low_y, high_y, *(v for r in edges for v in (r[1], r[3]))], low_y, high_y)
    solid = np.ones((len(xs) - 1, len(ys) - 1), dtype=bool)
    for rectangles, value in ((cut, False), (keep, True), (free, False)):
        for rectangle in rectangles:
            solid[_inside(xs, ys, rectangle)] = value
    z, height = box.center[2], box.size[2]
    return tuple(
        Box(
            ((xs[a] + xs[b]) / 2, (ys[c] + ys[d]) / 2, z),
            (xs[b] - xs[a], ys[d] - ys[c], height),
        )
        for a, c, b, d in _rectangles(solid)
    )


def _drawn_over(furniture: ObjectSpec, centres: NDArray[np.float64]) -> bool:
    """Whether what the furniture looks like covers free cells: a toilet is much smaller than its recorded box."""
    return any(
        bool((np.abs(centres - part.center[:2]) < np.add(extent(part)[:2], CLEARANCE[0])).all(axis=1).any())
        for part in shape(furniture.category, (furniture.box,), furniture.yaw)
    )


def _interior(objects: Sequence[ObjectSpec], centres: NDArray[np.float64]) -> Rectangle:
    """Return the inside of the room less a margin along the walls, where what hangs on them is."""
    boxes = [o.box for o in objects if o.category != "Floor"]
    low = np.minimum(np.min([b.low[:2] for b in boxes], axis=0), centres.min(axis=0)) + _HANGING_DEPTH
    high = np.maximum(np.max([b.high[:2] for b in boxes], axis=0), centres.max(axis=0)) - _HANGING_DEPTH
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _footprint(box: Box) -> Rectangle:
    return box.low[0], box.low[1], box.high[0], box.high[1]


def _covered(box: Box, centres: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = np.array(box.low[:2]), np.array(box.high[:2])
    return centres[((centres > low) & (centres < high)).all(axis=1)]


def _squares(centres: NDArray[np.float64], half: float) -> list[Rectangle]:
    return [(x - half, y - half, x + half, y + half) for x, y in centres.tolist()]


def _stands_in(other: ObjectSpec, furniture: ObjectSpec) -> bool:
    """Whether `other` is furniture of its own that stands in the corner of `furniture`, not a part of it."""
    if other.id == furniture.id or other.movable or other.category == "Floor":
        return False
    stands = other.box.low[2] < 0.15 and other.parent != furniture.id
    higher = other.box.high[2] > furniture.box.high[2] + 0.1
    return stands and ("moveable" in other.affordances or higher) and _footprint_overlap(other.box, furniture.box)


def _footprint_overlap(a: Box, b: Box) -> bool:
    return all(a.low[i] < b.high[i] and b.low[i] < a.high[i] for i in (0, 1))


def _grid(values: Iterable[float], low: float, high: float) -> list[float]:
    """Return the distinct cut lines in [low, high]; lines closer than a millimetre are one."""
    lines: list[float] = []
    for v in sorted(v for v in values if low <= v <= high):
        if not lines or v - lines[-1] > 1e-3:
            lines.append(v)
    if high - lines[-1] > 0 and len(lines) > 1:
        lines[-1] = high
    return lines if len(lines) > 1 else [low, high]


def _inside(xs: list[float], ys: list[float], r: Rectangle) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    mx, my = (np.array(v[:-1]) / 2 + np.array(v[1:]) / 2 for v in (xs, ys))
    return np.ix_((mx > r[0]) & (mx < r[2]), (my > r[1]) & (my < r[3]))  # type: ignore[return-value]


def _rectangles(solid: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """Cover the true entries with disjoint rectangles (first row, first column, last row + 1, last column + 1)."""
    left = solid.copy()
    found = []
    for row, column in np.argwhere(solid).tolist():
        if not left[row, column]:
            continue
        wide = column
        while wide < left.shape[1] and left[row, wide]:
            wide += 1
        deep = row
        while deep < left.shape[0] and left[deep, column:wide].all():
            deep += 1
        left[row:deep, column:wide] = False
        found.append((row, column, deep, wide))
    return found
