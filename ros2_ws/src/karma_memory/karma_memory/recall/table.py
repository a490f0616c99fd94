# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The records of all memories as a table: a row each, and columns for what filters and ties look at."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karma_memory.recall.query import Query, Record

Rows = NDArray[np.intp]
"""(n,) row numbers, ascending."""
Mask = NDArray[np.bool_]
"""(size,) one value per row."""

NO_ROW = -1
_COLUMNS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "kind": (np.int32, ()),
    "user": (np.int32, ()),
    "scene": (np.int32, ()),
    "rooms": (np.int32, ()),
    "category": (np.int32, ()),
    "position": (np.float64, (3,)),
    "confidence": (np.float64, ()),
    "valid_from": (np.float64, ()),
    "observed": (np.float64, ()),
}
"""Column → type and shape of a cell. Texts are numbered; NO_ROW stands for none."""


class RecordTable:
    """Holds records by id and by row. A row stays a record's as long as it is there. Not thread-safe."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        """Id → record. Don't change it."""
        self._rows: dict[str, int] = {}
        self._at: list[Record | None] = []
        self._free: list[int] = []
        self._columns = {name: np.zeros((0, *shape), kind) for name, (kind, shape) in _COLUMNS.items()}
        self._codes: dict[str, dict[str, int]] = {
            "kind": {},
            "user": {"": 0},
            "scene": {"": 0},
            "category": {},
        }
        self._room_codes: dict[tuple[str, ...], int] = {}

    @property
    def size(self) -> int:
        """Number of rows, free ones too."""
        return len(self._at)

    def row(self, record_id: str) -> int:
        """Return the row of a record. KeyError when it is not there."""
        return self._rows[record_id]

    def row_of(self, record_id: str, default: int) -> int:
        """Return the row of a record, `default` when it is not there."""
        return self._rows.get(record_id, default)

    def record(self, row: int) -> Record:
        """Return the record in a row that is not free."""
        record = self._at[row]
        if record is None:
            raise KeyError(f"row {row} is free")
        return record

    def users(self) -> set[str]:
        """Return whose records there are, "" among them where some are nobody's."""
        codes = np.unique(self.column("user")[self.column("kind") != NO_ROW])
        names = list(self._codes["user"])  # numbered in this order
        return {names[code] for code in codes}

    def column(self, name: str) -> NDArray[Any]:
        """Return a column, (size, …). A view: it is right until the next change."""
        return self._columns[name][: self.size]

    def put(self, record: Record) -> int:
        """Add or replace a record and return its row."""
        row = self._rows.get(record.id, NO_ROW)
        if row == NO_ROW:
            row = self._free.pop() if self._free else self._new_row()
            self._rows[record.id] = row
        self.records[record.id] = record
        self._at[row] = record
        columns, node = self._columns, record.node
        columns["kind"][row] = self._code("kind", record.kind)
        columns["user"][row] = self._code("user", record.user)
        columns["scene"][row] = self._code("scene", record.scene)
        columns["rooms"][row] = self._room_codes.setdefault(record.rooms, len(self._room_codes))
        columns["category"][row] = NO_ROW if node is None else self._code("category", node.category)
        columns["position"][row] = (np.nan, np.nan, np.nan) if node is None else node.position
        columns["confidence"][row] = record.confidence
        columns["valid_from"][row] = record.valid_from
        columns["observed"][row] = record.observed
        return row

    def discard(self, record_id: str) -> int:
        """Take a record out and return the row that is free now, NO_ROW when it was not there."""
        row = self._rows.pop(record_id, NO_ROW)
        if row != NO_ROW:
            del self.records[record_id]
            self._at[row] = None
            self._columns["kind"][row] = NO_ROW
            self._free.append(row)
        return row

    def accepted(self, query: Query, kinds: Collection[str]) -> Mask:
        """Return which rows fit the filters of a query, apart from the room: what query.visible says of each record."""
        mask = self.among("kind", kinds)
        user = self.column("user")
        mask &= (user == 0) | (user == self._codes["user"].get(query.user, 0))
        placed = self.column("category") != NO_ROW
        if query.scene:
            scene = self.column("scene")
            mask &= ~placed | (scene == 0) | (scene == self._codes["scene"].get(query.scene, 0))
        if query.near is not None:
            mask &= placed & (self.distances(np.arange(self.size), query.near) <= query.radius)
        if query.since is not None:
            mask &= self.column("observed") >= query.since
        if query.until is not None:
            mask &= self.column("observed") <= query.until
        return mask

    def in_room(self, room: str) -> Mask:
        """Return which records say that they are in the room called `room`."""
        wanted = room.casefold()
        return np.isin(self.column("rooms"), [code for names, code in self._room_codes.items() if wanted in names])

    def distances(self, rows: Rows, position: Sequence[float]) -> NDArray[np.float64]:
        """Return metres from `position` for each row; NaN for what is no object."""
        distances: NDArray[np.float64] = np.linalg.norm(self.column("position")[rows] - np.asarray(position), axis=1)
        return distances

    def among(self, column: str, values: Iterable[str], rows: Rows | slice = slice(None)) -> Mask:
        """Return which of the rows (all) have one of `values` in a column of texts: kind, user, scene or category."""
        codes = self._codes[column]
        wanted = np.zeros(len(codes) + 1, dtype=np.bool_)  # the last one is for NO_ROW
        wanted[[codes[value] for value in values if value in codes]] = True
        mask: Mask = wanted[self.column(column)[rows]]
        return mask

    def leading(self, rows: Rows, keys: Sequence[NDArray[Any]], limit: int) -> list[Record]:
        """Return the `limit` records with the smallest keys, in any order.

        `keys`: one (n,) array per key, for each of the rows; the next one counts where the one before is equal, the id
        where all are. Linear in the number of rows.
        """
        chosen: list[NDArray[np.intp]] = []
        rest = np.arange(len(rows))
        for key in keys:
            if len(rest) <= limit:
                break
            values = key[rest]
            last = np.partition(values, limit - 1)[limit - 1]
            chosen.append(rest[values < last])
            limit -= len(chosen[-1])
            rest = rest[values == last]
        records = [self.record(row) for row in rows[rest]]
        if len(records) > limit:
            records = heapq.nsmallest(limit, records, key=lambda record: record.id)
        return [self.record(row) for part in chosen for row in rows[part]] + records

    def _code(self, column: str, value: str) -> int:
        codes = self._codes[column]
        return codes.setdefault(value, len(codes))

    def _new_row(self) -> int:
        row = len(self._at)
        self._at.append(None)
        if row == len(self._columns["kind"]):
            for name, column in self._columns.items():
                self._columns[name] = np.concatenate(
                    [column, np.zeros((max(64, row), *column.shape[1:]), column.dtype)]
                )
        return row
