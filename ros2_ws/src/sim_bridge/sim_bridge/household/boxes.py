# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Axis-aligned boxes: how far apart they are, moved, and cut out of one another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from sim_bridge.backend import Point
from sim_bridge.household.model import Box

_SLIVER = 1e-4
"""Metres; pieces thinner than this are dropped."""


def box_between(low: tuple[float, float, float], high: tuple[float, float, float]) -> Box:
    """Return the box with these opposite corners, `low` the one with the smaller coordinates."""
    x0, y0, z0 = low
    x1, y1, z1 = high
    return Box(((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2), (x1 - x0, y1 - y0, z1 - z0))


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes share more than a face."""
    return all(
        al < bh - _SLIVER and bl < ah - _SLIVER for al, ah, bl, bh in zip(a.low, a.high, b.low, b.high, strict=True)
    )


def gap(a: Box, b: Box) -> float:
    """Return the horizontal distance in metres between two boxes; 0 where their outlines overlap."""
    return math.hypot(*(max(a.low[i] - b.high[i], b.low[i] - a.high[i], 0.0) for i in (0, 1)))


def contains(box: Box, point: Point) -> bool:
    """Whether a point lies in a box."""
    return distance(box, point) == 0.0


def distance(box: Box, point: Point) -> float:
    """Return the distance in metres from a point to a box; 0 inside."""
    return math.hypot(*(max(low - p, 0.0, p - high) for p, low, high in zip(point, box.low, box.high, strict=True)))


def moved(box: Box, shift: Sequence[float]) -> Box:
    """Return a box elsewhere; `shift`: x, y, z in metres."""
    x, y, z = box.center
    return Box((x + shift[0], y + shift[1], z + shift[2]), box.size)


def subtract(box: Box, cutters: Iterable[Box]) -> tuple[Box, ...]:
    """Return what is left of `box` without the cutters, as boxes that do not overlap."""
    pieces: list[Box] = [box]
    for cutter in cutters:
        pieces = [rest for piece in pieces for rest in _without(piece, cutter)]
    return tuple(pieces)


def _without(box: Box, cutter: Box) -> list[Box]:
    if not overlap(box, cutter):
        return [box]
    low, high = list(box.low), list(box.high)
    pieces = []
    for axis in (2, 0, 1):  # whole layers below and above first: fewer, larger pieces
        if cutter.low[axis] - low[axis] > _SLIVER:
            top = [*high[:axis], cutter.low[axis], *high[axis + 1 :]]
            pieces.append(_box(low, top))
            low[axis] = cutter.low[axis]
        if high[axis] - cutter.high[axis] > _SLIVER:
            bottom = [*low[:axis], cutter.high[axis], *low[axis + 1 :]]
            pieces.append(_box(bottom, high))
            high[axis] = cutter.high[axis]
    return pieces


def _box(low: list[float], high: list[float]) -> Box:
    return box_between((low[0], low[1], low[2]), (high[0], high[1], high[2]))
