# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Depth that is not registered to its picture is noticed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sim_bridge.robot.registration import LONGEST, offset

HEIGHT, WIDTH = 240, 320


def view(seed: int = 0) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A wall with twelve boxes before it, each of a color of its own, as a noisy camera shows them."""
    random = np.random.default_rng(seed)
    colors, depth = np.full((HEIGHT, WIDTH, 3), 128.0), np.full((HEIGHT, WIDTH), 4.0)
    for distance in np.linspace(3.0, 1.0, 12):
        top, left = random.integers(30, HEIGHT - 80), random.integers(30, WIDTH - 80)
        height, width = random.integers(20, 50, 2)
        colors[top : top + height, left : left + width] = random.integers(0, 256, 3)
        depth[top : top + height, left : left + width] = distance
    colors += random.normal(0.0, 4.0, colors.shape)
    depth += random.normal(0.0, 0.005, depth.shape) * depth**2
    return np.clip(colors, 0, 255).astype(np.uint8), depth.astype(np.float32)


@pytest.mark.parametrize("moved", [(0, 0), (5, -12), (-20, 3)])
def test_by_how_much_depth_is_beside_the_picture_is_found(moved: tuple[int, int]) -> None:
    rgb, depth = view()
    found = offset(rgb, np.roll(depth, moved, (0, 1)))
    assert found is not None
    assert np.abs(np.add(found, moved[::-1])).max() <= 1, "it has to be moved back"


def test_holes_in_the_depth_are_no_edges() -> None:
    rgb, depth = view()
    depth[:, 40:80] = 0.0
    found = offset(rgb, depth)
    assert found is not None
    assert max(map(abs, found)) <= 1
    assert offset(rgb, np.zeros_like(depth)) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_picture_of_something_else_tells_nothing(seed: int) -> None:
    _, depth = view()
    noise = np.random.default_rng(seed).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    assert offset(noise, depth) is None
    assert offset(np.full((HEIGHT, WIDTH, 3), 90, np.uint8), depth) is None


def test_a_small_picture_is_judged_as_far_as_it_goes() -> None:
    rgb, depth = view()
    small = offset(rgb[:LONGEST, :LONGEST], depth[:LONGEST, :LONGEST])
    assert small is None or max(map(abs, small)) <= LONGEST // 2
