# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from karma_view.scene.floor_plan import rectangles


@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=st.booleans()))
def test_rectangles_cover_each_cell_once_and_no_other(cells: np.ndarray) -> None:
    times = np.zeros(cells.shape, int)
    for top, left, bottom, right in rectangles(cells):
        times[top:bottom, left:right] += 1
    assert (times == cells).all()


def test_a_wall_is_one_rectangle() -> None:
    cells = np.zeros((50, 80), bool)
    cells[3:6, 10:70] = True
    cells[6:40, 10:13] = True
    assert sorted(rectangles(cells)) == [(3, 10, 6, 70), (6, 10, 40, 13)]


def test_no_cells_are_no_rectangles() -> None:
    assert rectangles(np.zeros((0, 0), bool)) == []
