# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes fill the recorded box, no more and no less, and leave open what is open."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.household.model import Box
from sim_bridge.household.palette import known_categories
from sim_bridge.household.primitives import Primitive
from sim_bridge.household.shapes import footprint, shape

CATEGORIES = [*known_categories(), "NeverHeardOf"]
GLASS_OR_BOARDS = {"ShowerDoor", "ShowerGlass", "ShelvingUnit", "Shelf"}


def extent(parts: tuple[Primitive, ...]) -> tuple[list[float], list[float]]:
    """Return the corners of the axis-aligned box around primitives."""
    low, high = [math.inf] * 3, [-math.inf] * 3
    for part in parts:
        c, s = abs(math.cos(part.yaw)), abs(math.sin(part.yaw))
        a, b, h = part.half
        if part.kind == "box":
            reach = (a * c + b * s, a * s + b * c, h)
        else:
            reach = (math.hypot(a * c, b * s), math.hypot(a * s, b * c), h)
        for axis in range(3):
            low[axis] = min(low[axis], part.center[axis] - reach[axis])
            high[axis] = max(high[axis], part.center[axis] + reach[axis])
    return low, high


def holds(parts: tuple[Primitive, ...], x: float, y: float, z: float) -> bool:
    """Whether a point is inside one of the boxes and cylinders."""
    for part in parts:
        dx, dy, dz = x - part.center[0], y - part.center[1], z - part.center[2]
        c, s = math.cos(part.yaw), math.sin(part.yaw)
        u, v = (c * dx + s * dy) / part.half[0], (-s * dx + c * dy) / part.half[1]
        inside = math.hypot(u, v) < 1 if part.kind == "cylinder" else max(abs(u), abs(v)) < 1
        if inside and abs(dz) < part.half[2]:
            return True
    return False


@pytest.mark.parametrize("opened", [False, True], ids=["closed", "open"])
@pytest.mark.parametrize("category", CATEGORIES)
def test_no_shape_is_larger_than_the_recorded_box_and_it_is_as_high(category: str, opened: bool) -> None:
    box = Box((1.0, -2.0, 0.7), (0.5, 0.4, 0.6))
    low, high = extent(shape(category, (box,), 0.0, opened=opened))
    for axis in range(3):
        assert low[axis] >= box.low[axis] - 1e-9
        assert high[axis] <= box.high[axis] + 1e-9
    assert low[2] == pytest.approx(box.low[2])
    if category != "Shelf":  # only its board is drawn
        assert high[2] == pytest.approx(box.high[2])


@pytest.mark.parametrize("category", [c for c in CATEGORIES if c not in GLASS_OR_BOARDS])
def test_a_shape_is_as_wide_as_the_recorded_box(category: str) -> None:
    box = Box((0.0, 0.0, 0.3), (0.4, 0.4, 0.6))
    low, high = extent(shape(category, (box,), 0.0))
    for axis in range(2):
        assert high[axis] - low[axis] == pytest.approx(0.4, abs=0.035)  # an octagon's flats are 4 % inside each side


@given(
    length=st.floats(0.05, 3),
    width=st.floats(0.05, 3),
    yaw=st.floats(-math.pi, math.pi),
)
def test_the_footprint_of_a_turned_block_has_the_block_s_box(length: float, width: float, yaw: float) -> None:
    c, s = abs(math.cos(yaw)), abs(math.sin(yaw))
    box = Box((0, 0, 0.5), (length * c + width * s, length * s + width * c, 1.0))
    a, b, turn = footprint(box, yaw)
    c, s = abs(math.cos(turn)), abs(math.sin(turn))
    assert a * c + b * s == pytest.approx(box.size[0], abs=1e-6)
    assert a * s + b * c == pytest.approx(box.size[1], abs=1e-6)


def test_a_chair_turned_by_thirty_degrees_gets_its_own_length_and_width_back() -> None:
    yaw = math.radians(30)
    c, s = math.cos(yaw), math.sin(yaw)
    box = Box((0, 0, 0.5), (0.6 * c + 0.4 * s, 0.6 * s + 0.4 * c, 1.0))
    assert footprint(box, yaw) == pytest.approx((0.6, 0.4, yaw))


def test_a_knife_near_forty_five_degrees_is_a_thin_bar_in_its_box() -> None:
    yaw = math.radians(46)
    length, width, turn = footprint(Box((0, 0, 0), (0.2, 0.2, 0.01)), yaw, bar=True)
    assert turn == yaw
    assert width < 0.2 * length
    assert length * abs(math.cos(yaw)) + width * abs(math.sin(yaw)) <= 0.2 + 1e-9
    assert length * abs(math.sin(yaw)) + width * abs(math.cos(yaw)) <= 0.2 + 1e-9


@pytest.mark.parametrize("category", ["Fridge", "Cabinet", "Microwave", "Safe", "Drawer", "Box"])
def test_opening_makes_room_inside(category: str) -> None:
    box = Box((0, 0, 0.5), (0.6, 0.6, 1.0))
    middle = (0.0, 0.0, 0.5)
    assert holds(shape(category, (box,), 0.0, opened=False), *middle)
    assert not holds(shape(category, (box,), 0.0, opened=True), *middle)


@pytest.mark.parametrize("yaw", [0.0, math.pi / 2, math.pi, -math.pi / 2])
def test_an_open_fridge_is_open_towards_its_front_only(yaw: float) -> None:
    parts = shape("Fridge", (Box((0, 0, 0.5), (0.6, 0.6, 1.0)),), yaw, opened=True)
    for side in range(4):
        angle = yaw + side * math.pi / 2
        x, y = 0.295 * math.cos(angle), 0.295 * math.sin(angle)
        assert holds(parts, x, y, 0.5) == (side != 0)


def test_one_sees_under_a_table() -> None:
    parts = shape("DiningTable", (Box((0, 0, 0.4), (1.0, 1.0, 0.8)),), 0.0)
    assert not holds(parts, 0, 0, 0.4)
    assert holds(parts, 0, 0, 0.79)
    assert holds(parts, 0.48, 0.48, 0.4)


def test_a_sofa_s_seat_is_where_things_were_recorded_to_rest() -> None:
    parts = shape("Sofa", (Box((0, 0, 0.45), (1.0, 2.0, 0.9)),), 0.0, rest=0.4)
    assert holds(parts, 0.2, 0, 0.39)
    assert not holds(parts, 0.2, 0, 0.41)
    assert holds(parts, -0.45, 0, 0.8)


def test_a_basin_is_cut_out_of_the_counter_around_it() -> None:
    counter, basin = Box((0, 0, 0.45), (2.0, 0.6, 0.9)), Box((0.3, 0, 0.85), (0.4, 0.4, 0.12))
    parts = shape("CounterTop", (counter,), 0.0, holes=(basin,))
    assert not holds(parts, 0.3, 0, 0.89)
    assert holds(parts, 0.3, 0, 0.7)
    assert holds(parts, -0.5, 0, 0.89)


def test_carved_furniture_is_drawn_piece_by_piece() -> None:
    pieces = (Box((0, 0, 0.45), (2, 0.5, 0.9)), Box((0.75, 1, 0.45), (0.5, 1.5, 0.9)))
    parts = shape("CounterTop", pieces, 0.0)
    assert holds(parts, 0.75, 1.5, 0.5)
    assert not holds(parts, -0.5, 1.0, 0.5)


def test_things_recorded_inside_a_counter_s_thin_slab_are_not_buried_in_it() -> None:
    slab = Box((0, 0, 0.91), (2.0, 0.6, 0.02))  # from 0.90, on which a knife 1 cm thick was recorded to lie
    for boxes in ((slab,), (slab, Box((0.75, 1, 0.91), (0.5, 1.4, 0.02)))):
        parts = shape("CounterTop", boxes, 0.0)
        assert holds(parts, 0, 0, 0.9015)
        assert not holds(parts, 0, 0, 0.905)


def test_a_desk_with_a_shelf_above_has_its_top_where_things_rest_whether_carved_or_not() -> None:
    whole = (Box((0, 0, 0.6), (1.2, 0.6, 1.2)),)
    carved = (Box((0, 0, 0.6), (1.2, 0.6, 1.2)), Box((0.4, 0.6, 0.6), (0.4, 0.6, 1.2)))
    for boxes in (whole, carved):
        parts = shape("Desk", boxes, 0.0, rest=0.7)
        assert holds(parts, 0.1, 0.1, 0.69)
        assert not holds(parts, 0.1, 0.1, 0.71)


def test_a_cupboard_stays_closed_up_to_its_top_whatever_rests_inside_it() -> None:
    assert holds(shape("Dresser", (Box((0, 0, 0.5), (1, 1, 1)),), 0.0, rest=0.6), 0, 0, 0.9)
    assert not holds(shape("Dresser", (Box((0, 0, 0.5), (1, 1, 1)),), 0.0, rest=0.96), 0, 0, 0.98)


def test_one_sees_under_a_loft_bed_but_not_under_a_low_one() -> None:
    assert not holds(shape("Bed", (Box((0, 0, 1.0), (2, 1, 2.0)),), 0.0, rest=1.2), 0, 0, 0.6)
    assert holds(shape("Bed", (Box((0, 0, 0.45), (2, 1, 0.9)),), 0.0, rest=0.6), 0, 0, 0.3)
