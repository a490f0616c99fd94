# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What objects look like: a few primitives for each type that fill the recorded box and leave what it holds in view.

A shape is laid out in the object's own frame and then turned by its yaw. Recorded boxes are axis-aligned; for an object
that stands askew, the length and width whose turned outline has that box are solved for first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from sim_bridge.household.boxes import box_between, subtract
from sim_bridge.household.layouts import BARS, LAYOUTS, Form, drawn_height, solid
from sim_bridge.household.model import Box
from sim_bridge.household.primitives import Primitive, halved
from sim_bridge.simulation.categories import FRAMES, SEATS, SURFACE


def shape(
    category: str,
    boxes: Sequence[Box],
    yaw: float,
    *,
    opened: bool = False,
    rest: float = 0.0,
    holes: Sequence[Box] = (),
) -> tuple[Primitive, ...]:
    """Return the primitives of an object, map frame.

    `boxes` is what it fills (several for carved furniture), `rest` the height above its bottom at which things rest on
    it (0: the type's usual), `holes` are boxes to keep clear, such as the basin in a counter.
    """
    if len(boxes) == 1:
        box = boxes[0]
        length, width, turn = footprint(box, yaw, bar=category in BARS)
        levels = tuple(f * box.size[2] for f in SURFACE.get(category, ()))
        form = Form(length, width, box.size[2], opened, rest, levels)
        parts = [_place(p, box, turn) for p in LAYOUTS.get(category, solid)(form)]
    else:
        parts = [p for b in boxes for p in _piece(category, b, rest)]
    return tuple(piece for part in parts for piece in _cut(part, holes))


def _piece(category: str, box: Box, rest: float) -> list[Primitive]:
    """Return one of the boxes of carved furniture: of a table its top and a post, of a seat what is below the seat."""
    low, top = box.low, drawn_height(box.size[2], rest, sunk=category in SEATS or category in FRAMES)
    whole = box_between(low, (*box.high[:2], low[2] + top))
    if category not in FRAMES:
        return [Primitive("box", whole.center, halved(whole.size))]
    board = min(0.05, 0.2 * top)
    x, y, z = whole.center
    slab = Primitive("box", (x, y, whole.high[2] - board / 2), halved((*box.size[:2], board)))
    return [slab, Primitive("box", (x, y, z - board / 2), (0.04, 0.04, (top - board) / 2), tone=0.75)]


def footprint(box: Box, yaw: float, *, bar: bool = False) -> tuple[float, float, float]:
    """Return length (along the front), width and yaw of the upright block whose axis-aligned box is `box`.

    Where no such block exists, or the box hardly determines it (near 45 degrees), the block is the box itself at the
    nearest quarter turn; for a `bar` it is a thin one along the diagonal instead.
    """
    x, y, _ = box.size
    c, s = abs(math.cos(yaw)), abs(math.sin(yaw))
    spread = c * c - s * s
    quarter = round(yaw / (math.pi / 2)) * (math.pi / 2)
    if abs(math.remainder(yaw, math.pi / 2)) > math.radians(2):
        if abs(spread) > 0.25:
            length, width = (x * c - y * s) / spread, (y * c - x * s) / spread
            if min(length, width) > 0.1 * max(length, width):
                return length, width, yaw
        if bar:
            long = min(x, y) / (c + 0.1 * s) if c > s else min(x, y) / (s + 0.1 * c)
            return long, 0.1 * long, yaw
    return (x, y, quarter) if round(yaw / (math.pi / 2)) % 2 == 0 else (y, x, quarter)


def _place(part: Primitive, box: Box, turn: float) -> Primitive:
    c, s = math.cos(turn), math.sin(turn)
    x, y, z = part.center
    cx, cy, _ = box.center
    return replace(part, center=(cx + c * x - s * y, cy + s * x + c * y, box.low[2] + z), yaw=turn + part.yaw)


def _cut(part: Primitive, holes: Sequence[Box]) -> list[Primitive]:
    if not holes or part.kind != "box" or abs(math.remainder(part.yaw, math.pi / 2)) > 1e-3:
        return [part]
    a, b, c = part.half
    if round(part.yaw / (math.pi / 2)) % 2:
        a, b = b, a
    whole = Box(part.center, (2 * a, 2 * b, 2 * c))
    return [Primitive("box", p.center, halved(p.size), tone=part.tone) for p in subtract(whole, holes)]
