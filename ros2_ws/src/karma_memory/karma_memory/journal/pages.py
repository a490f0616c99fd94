# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Rows read straight from the pages of an SQLite file, without the structure above them that may be damaged.

Every page is searched for cells whatever it says it is: who reads the rows has checksums of his own to tell which are
real. Format: https://sqlite.org/fileformat2.html, sections 1.6 (pages and cells), 2.1 (records), 4 (write-ahead log).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from karma_memory.journal.write_ahead_log import HEADER, frames

PAGE_SIZES = tuple(2**power for power in range(9, 16))
USUAL_PAGE_SIZE = 4096
FILE_HEADER = 100
"""Bytes of the first page before its own header."""
POINTERS = 8
"""Bytes of a page's header, or a few less: what is no pointer to a cell does no harm."""
TABLE_CELLS = ((0, False),)
INDEX_CELLS = ((0, True), (4, True))
"""Bytes before a row and whether it has no number; in the middle of an index it comes after the number of a page."""
ALL_KINDS = (*TABLE_CELLS, *INDEX_CELLS)
KINDS = {13: TABLE_CELLS, 5: TABLE_CELLS, 10: INDEX_CELLS, 2: INDEX_CELLS, 0: ()}
"""Type of a page → cells to look for. 13 and 5, and 10 and 2, are one bit apart; overflow pages begin with 0."""
GAP = 64
"""Zeros after which there are no more pointers on a page."""

Value = int | float | str | bytes | None


Page = bytes | memoryview


class BadCellError(ValueError):
    """There is no cell, or not a whole one."""


@dataclass(frozen=True)
class Cell:
    """Where a cell may be."""

    view: int
    """Which version of the pages: 0 is the newest."""
    page: int
    start: int
    """Bytes from the beginning of the page."""
    index: bool
    """Whether it has no row number, as in an index and in a table WITHOUT ROWID."""


class Pages:
    """The pages of a database and its write-ahead log. Only reads."""

    def __init__(self, path: Path) -> None:
        data = _mapped(path)
        log_path = Path(f"{path}-wal")
        log = log_path.read_bytes() if log_path.exists() else b""
        said = int.from_bytes(data[16:18], "big")
        self.size = said if said in PAGE_SIZES and said < len(data) and len(data) % said == 0 else USUAL_PAGE_SIZE
        starts = range(0, len(data), self.size)
        base: dict[int, Page] = {number: data[start : start + self.size] for number, start in enumerate(starts, 1)}
        salts = HEADER.unpack_from(log)[4:6] if len(log) >= HEADER.size else ()
        newest = dict(base)
        older: list[Mapping[int, Page]] = []
        for frame in frames(log, self.size):
            if frame.salts == salts:
                newest[frame.page] = frame.content
            older.append({frame.page: frame.content})
        self._views: list[Mapping[int, Page]] = [newest, base, *reversed(older)]

    def cells(self) -> Iterator[Cell]:
        """Yield all places where there may be a cell, those of the newest version first."""
        for view, pages in enumerate(self._views):
            for number, page in pages.items():
                if view and page is self._views[0].get(number):
                    continue
                yield from self._cells_of(view, number, page)

    def row(self, cell: Cell) -> int:
        """Return the row number of a cell that is in no index. BadCellError where there is none."""
        try:
            page = self._views[cell.view][cell.page]
            return _varint(page, _varint(page, cell.start)[1])[0]
        except IndexError as error:
            raise BadCellError(str(error)) from error

    def record(self, cell: Cell) -> tuple[int, list[Value]]:
        """Return row number (0 in an index) and values. BadCellError where there is no such record."""
        page = self._views[cell.view][cell.page]
        try:
            length, start = _varint(page, cell.start)
            row, start = (0, start) if cell.index else _varint(page, start)
            return row, _values(self._payload(cell, page, start, length))
        except (IndexError, struct.error, UnicodeDecodeError, KeyError) as error:
            raise BadCellError(str(error)) from error

    def _cells_of(self, view: int, number: int, page: Page) -> Iterator[Cell]:
        """Yield what the pointers of a page name, in all ways that its type or a flipped bit in that allow."""
        header = FILE_HEADER if number == 1 else 0
        kinds = KINDS.get(page[header], ALL_KINDS) if len(page) > header else ()
        first = header + POINTERS
        count = (len(page) - first) // 2
        if count <= 0 or not kinds:
            return
        for place, start in zip(
            range(first, len(page), 2), struct.unpack_from(f">{count}H", page, first), strict=False
        ):
            if place < start < len(page) - 4:
                for skipped, index in kinds:
                    yield Cell(view, number, start + skipped, index)
            elif not start and not any(page[place : place + GAP]):
                break

    def _payload(self, cell: Cell, page: Page, start: int, length: int) -> bytes:
        """Return the record of a cell, from its overflow pages, too (section 1.6)."""
        least = (self.size - 12) * 32 // 255 - 23
        most = (self.size - 12) * 64 // 255 - 23 if cell.index else self.size - 35
        if length <= most:
            local = length
        else:
            local = least + (length - least) % (self.size - 4)
            local = local if local <= most else least
        if start + local > len(page):
            raise BadCellError("it doesn't fit on its page")
        parts = [bytes(page[start : start + local])]
        rest = length - local
        following = int.from_bytes(page[start + local : start + local + 4], "big") if rest else 0
        while rest > 0:
            content = self._views[cell.view].get(following) or self._views[0].get(following)
            if content is None or len(parts) > len(self._views[0]):
                raise BadCellError("its overflow pages are missing")
            parts.append(bytes(content[4 : 4 + rest]))
            rest -= self.size - 4
            following = int.from_bytes(content[:4], "big")
        return b"".join(parts)


def _mapped(path: Path) -> memoryview:
    """Return the contents of a file, which may be larger than the memory."""
    with open(path, "rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b"")


def _values(record: bytes) -> list[Value]:
    size, place = _varint(record, 0)
    types = []
    while place < size:
        kind, place = _varint(record, place)
        types.append(kind)
    if place != size:
        raise BadCellError("its header is damaged")
    values: list[Value] = []
    for kind in types:
        width = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)[kind] if kind < 10 else (kind - 12) // 2
        data = record[place : place + width]
        if len(data) != width or kind in (10, 11):
            raise BadCellError("a value is missing")
        place += width
        if kind >= 12:
            values.append(data.decode() if kind % 2 else data)
        elif kind == 7:
            values.append(struct.unpack(">d", data)[0])
        elif kind in (8, 9):
            values.append(kind - 8)
        else:
            values.append(int.from_bytes(data, "big", signed=True) if kind else None)
    return values


def _varint(data: Page, place: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, and where it ends."""
    value = 0
    for count in range(8):
        byte = data[place + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + count + 1
    return value << 8 | data[place + 8], place + 9
