# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Options are matched as SciPy would match them, ties included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from karma_memory.preferences.assignment import assigned

SIDES = st.tuples(st.integers(1, 8), st.integers(1, 8))
WORTHS = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(-2.0, 2.0))


@st.composite
def matrices(draw):
    rows, columns = draw(SIDES)
    return np.array(draw(st.lists(WORTHS, min_size=rows * columns, max_size=rows * columns))).reshape(rows, columns)


@given(matrices())
def test_the_pairs_are_those_of_scipy(worth):
    rows, columns = linear_sum_assignment(-worth)
    assert assigned(worth) == (rows.tolist(), columns.tolist())


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (1, 1)])
def test_each_goes_with_one_and_nobody_with_two(shape):
    rows, columns = assigned(np.ones(shape))
    assert len(set(rows)) == len(set(columns)) == len(rows) == min(shape)


def test_what_is_worth_most_together_goes_before_what_is_worth_most_alone():
    assert assigned(np.array([[3.0, 2.9], [2.9, 0.0]])) == ([0, 1], [1, 0])
