# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Colours tell types apart."""

from __future__ import annotations

import itertools

import pytest

from sim_bridge.household.palette import color_of, known_categories


def test_no_two_types_share_a_colour() -> None:
    colors = {c: color_of(c) for c in known_categories()}
    assert len(colors) == 118  # the types of AI2-THOR's recorded rooms
    closest = min(
        max(abs(a - b) for a, b in zip(x, y, strict=True)) for x, y in itertools.combinations(colors.values(), 2)
    )
    assert closest >= 0.02  # five steps of 255


@pytest.mark.parametrize("category", ["Apple", "Watch", "NeverHeardOf", "AppleSliced", "Sliced", ""])
def test_every_name_has_a_valid_colour(category: str) -> None:
    assert all(0 <= v <= 1 for v in color_of(category))
    assert color_of(category) == color_of(category)


def test_slices_are_paler_than_what_they_were_cut_from() -> None:
    assert all(a >= b for a, b in zip(color_of("AppleSliced"), color_of("Apple"), strict=True))
    assert color_of("AppleSliced") != color_of("Apple")
