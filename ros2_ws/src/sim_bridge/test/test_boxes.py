# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Boxes cut out of boxes."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.household.boxes import box_between, overlap, subtract
from sim_bridge.household.model import Box

COORDINATE = st.integers(-8, 8).map(lambda i: i / 4)
SIDE = st.integers(1, 8).map(lambda i: i / 4)
BOXES = st.builds(
    lambda x, y, z, a, b, c: box_between((x, y, z), (x + a, y + b, z + c)),
    COORDINATE,
    COORDINATE,
    COORDINATE,
    SIDE,
    SIDE,
    SIDE,
)


def volume(box: Box) -> float:
    return math.prod(box.size)


def common(a: Box, b: Box) -> float:
    sides = [max(0.0, min(ah, bh) - max(al, bl)) for al, ah, bl, bh in zip(a.low, a.high, b.low, b.high, strict=True)]
    return math.prod(sides)


@given(BOXES, BOXES)
def test_what_is_cut_out_and_what_is_left_make_the_whole(box: Box, cutter: Box) -> None:
    pieces = subtract(box, [cutter])
    assert math.isclose(sum(map(volume, pieces)), volume(box) - common(box, cutter), abs_tol=1e-9)


@given(BOXES, st.lists(BOXES, max_size=5))
def test_pieces_overlap_neither_each_other_nor_what_was_cut_out(box: Box, cutters: list[Box]) -> None:
    pieces = subtract(box, cutters)
    for i, piece in enumerate(pieces):
        assert math.isclose(common(piece, box), volume(piece), abs_tol=1e-9)
        assert not any(overlap(piece, cutter) for cutter in cutters)
        assert not any(overlap(piece, other) for other in pieces[:i])


def test_boxes_that_only_touch_do_not_overlap() -> None:
    assert not overlap(Box((0, 0, 0), (1, 1, 1)), Box((1, 0, 0), (1, 1, 1)))
    assert subtract(Box((0, 0, 0), (1, 1, 1)), [Box((1, 0, 0), (1, 1, 1))]) == (Box((0, 0, 0), (1, 1, 1)),)
