# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Area nodes spread evenly over the cells where the robot can stand (KARMA 3.3), with numbers that stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from karma_perception.places.grid import BoolGrid
from karma_perception.places.rooms import RoomGrid

Cell = tuple[int, int]
"""Cell of the world, not index of an array: arrays grow."""

_EIGHT = np.ones((3, 3), dtype=bool)

_SETTLED = 3
"""Cells; an anchor moves to a better place only when that is farther away."""


@dataclass(frozen=True)
class Anchor:
    """Where an area node stands."""

    number: int
    cell: Cell


Anchors = Mapping[Cell, tuple[Anchor, ...]]
"""Lattice square → the anchors in it."""


@dataclass(frozen=True, eq=False)
class _Piece:
    square: Cell
    room: int
    cells: NDArray[np.intp]
    """(n, 2), world cells."""


def place_anchors(
    standable: BoolGrid, rooms: RoomGrid, origin: Cell, before: Anchors, *, edge: int, enough: float, next_number: int
) -> tuple[Anchors, int]:
    """Put one anchor in each connected piece of a lattice square that belongs to one room; return them and the next.

    `standable`, `rooms`: (nx, ny), beginning at the world's cell `origin`; `before`: the anchors there were; `edge`:
    side of a square in cells; `enough`: cells below which a new piece gets an anchor only where its room has no
    other within `edge`.
    """
    result: dict[Cell, list[Anchor]] = {}
    small: list[_Piece] = []
    old = {square: list(anchors) for square, anchors in before.items()}
    for piece in sorted(_pieces(standable, rooms, origin, edge), key=lambda p: -len(p.cells)):
        claimed = _claim(old.get(piece.square, []), piece.cells)
        if claimed is None and len(piece.cells) < enough:
            small.append(piece)
            continue
        center = _central(piece.cells)
        if claimed is None:
            anchor = Anchor(next_number, center)
            next_number += 1
        else:
            old[piece.square].remove(claimed)
            shift = np.hypot(claimed.cell[0] - center[0], claimed.cell[1] - center[1])
            anchor = replace(claimed, cell=center) if shift > _SETTLED or not _has(piece, claimed.cell) else claimed
        result.setdefault(piece.square, []).append(anchor)
    for piece in small:
        center = _central(piece.cells)
        same_room = [a.cell for a in chain(*result.values()) if _room_at(rooms, origin, a.cell) == piece.room]
        others = np.array(same_room).reshape(-1, 2)
        if not len(others) or float(np.hypot(*(others - center).T).min()) > edge:
            result.setdefault(piece.square, []).append(Anchor(next_number, center))
            next_number += 1
    return {square: tuple(anchors) for square, anchors in result.items()}, next_number


def _pieces(standable: BoolGrid, rooms: RoomGrid, origin: Cell, edge: int) -> Iterator[_Piece]:
    """Yield the connected cells of one lattice square and one room."""
    occupied = np.argwhere(standable) + np.array(origin)
    for i, j in np.unique(occupied // edge, axis=0).tolist():
        low = np.maximum(np.array([i, j]) * edge - np.array(origin), 0)
        high = np.minimum(np.array([i + 1, j + 1]) * edge - np.array(origin), standable.shape)
        window = (slice(low[0], high[0]), slice(low[1], high[1]))
        for room in np.unique(rooms[window][standable[window]]).tolist():
            labels, count = ndimage.label(standable[window] & (rooms[window] == room), structure=_EIGHT)
            for k in range(1, count + 1):
                yield _Piece((i, j), room, np.argwhere(labels == k) + low + np.array(origin))


def _claim(anchors: list[Anchor], cells: NDArray[np.intp]) -> Anchor | None:
    """Return the oldest of the anchors that stands in the piece; else the oldest, if there is one."""
    inside = [a for a in anchors if np.any(np.all(cells == np.array(a.cell), axis=1))]
    return min(inside or anchors, key=lambda a: a.number, default=None)


def _room_at(rooms: RoomGrid, origin: Cell, cell: Cell) -> int:
    return int(rooms[cell[0] - origin[0], cell[1] - origin[1]])


def _has(piece: _Piece, cell: Cell) -> bool:
    return bool(np.any(np.all(piece.cells == np.array(cell), axis=1)))


def _central(cells: NDArray[np.intp]) -> Cell:
    """Return the cell nearest to the middle of all."""
    nearest = cells[int(np.argmin(np.linalg.norm(cells - cells.mean(axis=0), axis=1)))]
    return (int(nearest[0]), int(nearest[1]))
