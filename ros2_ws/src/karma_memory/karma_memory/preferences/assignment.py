# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The assignment problem: who goes with whom, one to one, so that it is worth most (Jonker and Volgenant, Crouse).

SciPy has it, too, in C++: 35 MB for a few options, of which no user has many. This one decides ties as SciPy does.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def assigned(worth: NDArray[np.floating]) -> tuple[list[int], list[int]]:
    """Return rows, ascending, and their columns whose sum is greatest; `worth`: (n, m), finite.

    Each row has a column, or each column a row, whichever are fewer.
    """
    if worth.shape[0] > worth.shape[1]:
        columns, rows = assigned(worth.T)
        pairs = sorted(zip(rows, columns, strict=True))
        return [row for row, _ in pairs], [column for _, column in pairs]
    cost = (-worth).tolist()
    matching = _Matching(cost)
    for row in range(len(cost)):
        matching.add(row)
    return list(range(len(cost))), matching.column_of


class _Matching:
    """The cheapest matching of the rows so far, with the dual prices that prove it."""

    def __init__(self, cost: list[list[float]]) -> None:
        self._cost = cost
        self._columns = len(cost[0]) if cost else 0
        self._row_price = [0.0] * len(cost)
        self._column_price = [0.0] * self._columns
        self.column_of = [-1] * len(cost)
        self._row_of = [-1] * self._columns

    def add(self, new: int) -> None:
        """Match one more row: along the shortest path to a column that is free."""
        shortest, before = [math.inf] * self._columns, [-1] * self._columns
        left = list(range(self._columns - 1, -1, -1))
        rows, reached = [new], list[int]()
        row, length, free = new, 0.0, -1
        while free < 0:
            for column in left:
                reduced = length + self._cost[row][column] - self._row_price[row] - self._column_price[column]
                if reduced < shortest[column]:
                    before[column], shortest[column] = row, reduced
            at = self._nearest(left, shortest)
            column, left[at] = left[at], left[-1]
            left.pop()
            length = shortest[column]
            reached.append(column)
            if self._row_of[column] < 0:
                free = column
            else:
                row = self._row_of[column]
                rows.append(row)
        self._row_price[new] += length
        for row in rows[1:]:
            self._row_price[row] += length - shortest[self.column_of[row]]
        for column in reached:
            self._column_price[column] -= length - shortest[column]
        self._flip(before, free, new)

    def _nearest(self, left: list[int], shortest: list[float]) -> int:
        """Return where in `left` the nearest column is; of equally near ones, the last free one, else the first."""
        found, lowest = -1, math.inf
        for at, column in enumerate(left):
            far = shortest[column]
            if far < lowest or (far == lowest and self._row_of[column] < 0):
                found, lowest = at, far
        return found

    def _flip(self, before: list[int], column: int, new: int) -> None:
        """Match along a path, from its free column back to the new row."""
        row = -1
        while row != new:
            row = before[column]
            self._row_of[column] = row
            self.column_of[row], column = column, self.column_of[row]
