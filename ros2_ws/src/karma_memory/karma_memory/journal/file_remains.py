# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is left of a journal in a damaged SQLite file, read without SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from karma_memory.events import Image
from karma_memory.journal.committed import beside, noted
from karma_memory.journal.compacted import Base
from karma_memory.journal.pages import BadCellError, Cell, Pages, Value
from karma_memory.journal.remains import event_row, intact_image, stored_base
from karma_memory.journal.transaction import Row


class FileRemains:
    """Where the intact rows of a damaged file are. Of several versions the one that is found first counts."""

    def __init__(self, path: Path) -> None:
        pages = Pages(path)
        self.base: Base | None = None
        self.committed = noted(beside(path))
        self._pages = pages
        self._events: dict[int, Cell] = {}
        self._images: dict[str, Cell] = {}
        self._sizes: dict[str, int] = {}
        """Bytes of each picture that is named; 0 where they were dropped."""
        for cell in pages.cells():
            try:
                if cell.view and not cell.index and pages.row(cell) in self._events:
                    continue  # an older version of what was found
                number, values = pages.record(cell)
            except BadCellError:
                continue
            self._sort_in(cell, number, values)

    def rows(self) -> Iterator[Row]:
        """Yield the intact rows of events, in order."""
        for sequence, cell in sorted(self._events.items()):
            if (row := event_row(sequence, self._pages.record(cell)[1])) is not None:
                yield row

    def image(self, image: Image) -> Image:
        """Return the image with its bytes, where they are intact."""
        cell = self._images.get(image.sha256)
        data = None if cell is None else self._pages.record(cell)[1][1]
        return replace(image, data=data) if isinstance(data, bytes) else image

    def was_dropped(self, image: Image) -> bool:
        """Whether the journal had an image without its bytes."""
        return self._sizes.get(image.sha256) == 0

    def _sort_in(self, cell: Cell, number: int, values: list[Value]) -> None:
        if cell.index:
            if sha256 := intact_image(values):
                self._images.setdefault(sha256, cell)
            match values:
                case [str(sha256), int(size), int()]:
                    self._sizes.setdefault(sha256, size)
        elif event_row(number, values) is not None:
            self._events.setdefault(number, cell)
        elif self.base is None:
            self.base = stored_base(values)
