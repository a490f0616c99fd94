# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.household.carving import carve, remains
from sim_bridge.household.model import CELL, Box, ObjectSpec


def spec(
    name: str, category: str, low: tuple[float, float, float], high: tuple[float, float, float], **more
) -> ObjectSpec:
    center = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
    size = tuple(b - a for a, b in zip(low, high, strict=True))
    return ObjectSpec(name, category, Box(center, size), 0.0, "", frozenset(more.pop("affordances", ())), **more)


def area(boxes: tuple[Box, ...]) -> float:
    return sum(b.size[0] * b.size[1] for b in boxes)


def covers(box: Box, x: float, y: float) -> bool:
    return box.low[0] < x < box.high[0] and box.low[1] < y < box.high[1]


def test_an_l_shaped_counter_keeps_its_two_arms() -> None:
    counter = spec("c", "CounterTop", (-0.5, -0.5, 0.9), (2.0, 2.0, 0.95))
    cells = {(i, j) for i in range(1, 8) for j in range(1, 8)}
    boxes = carve([counter], cells)["c"]
    # The square cells (1..7, 1..7) reach from 0.125 to 1.875 m.
    assert area(boxes) == pytest.approx(2.5 * 2.5 - 1.75 * 1.75)
    assert not any(covers(b, i * CELL, j * CELL) for b in boxes for i, j in cells)


def test_what_stands_on_the_counter_keeps_its_support() -> None:
    counter = spec("c", "CounterTop", (-0.5, -0.5, 0.9), (2.0, 2.0, 0.95))
    # The free cell (1, 1) takes 0.125 to 0.375 m; the mug stands on the edge of that.
    mug = spec("m", "Mug", (0.08, 0.08, 0.95), (0.14, 0.14, 1.05), affordances={"pickupable"}, parent="c")
    boxes = carve([counter, mug], {(1, 1)})["c"]
    assert all(any(covers(b, x, y) for b in boxes) for x in (0.09, 0.13) for y in (0.09, 0.13))


def test_furniture_beside_the_free_cells_is_left_whole() -> None:
    assert carve([spec("c", "CounterTop", (0.2, 0.2, 0.0), (1.0, 1.0, 0.9))], {(0, 0)}) == {}


def test_a_wall_cabinet_is_passed_underneath() -> None:
    assert carve([spec("c", "Cabinet", (-1.0, -1.0, 1.4), (1.0, 1.0, 2.0))], {(0, 0)}) == {}


def test_a_table_in_the_corner_of_a_counter_is_not_part_of_it() -> None:
    counter = spec("c", "CounterTop", (-2.0, -2.0, 0.9), (2.0, 2.0, 0.95))
    table = spec("t", "DiningTable", (0.5, 0.5, 0.0), (1.5, 1.5, 0.75), affordances={"moveable"})
    boxes = carve([counter, table], {(0, 0)})["c"]
    assert not any(covers(b, 1.0, 1.0) for b in boxes)


coordinate = st.integers(-20, 20).map(lambda v: v / 10)


@st.composite
def rectangles(draw: st.DrawFn) -> tuple[float, float, float, float]:
    x, y = draw(coordinate), draw(coordinate)
    return x, y, x + draw(st.integers(1, 15)) / 10, y + draw(st.integers(1, 15)) / 10


@given(st.lists(rectangles(), max_size=5), st.lists(rectangles(), max_size=3), st.lists(rectangles(), max_size=3))
def test_the_remains_are_disjoint_and_exactly_what_was_not_cut(cut, keep, free) -> None:
    box = Box((0.0, 0.0, 0.5), (3.0, 3.0, 1.0))
    boxes = remains(box, cut=cut, keep=keep, free=free)

    def holds(r: tuple[float, float, float, float], x: float, y: float) -> bool:
        return r[0] < x < r[2] and r[1] < y < r[3]

    for i in range(-15, 15):
        for j in range(-15, 15):
            x, y = i / 10 + 0.05, j / 10 + 0.05
            gone = any(holds(r, x, y) for r in free) or (
                any(holds(r, x, y) for r in cut) and not any(holds(r, x, y) for r in keep)
            )
            assert sum(covers(b, x, y) for b in boxes) == (not gone)
