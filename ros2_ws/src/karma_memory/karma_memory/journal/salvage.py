# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Copy what is intact of a damaged journal to a new one. The damaged file is only read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from karma_memory.encoding import decode_event, encode_event
from karma_memory.events import Event, Image
from karma_memory.journal import schema
from karma_memory.journal.compacted import Base, is_stub, pack, unpack
from karma_memory.journal.errors import JournalError
from karma_memory.journal.pages import BadCellError, Cell, Pages, Value
from karma_memory.journal.sqlite import SqliteJournal
from karma_memory.journal.store import Row
from karma_memory.scene import InvalidEventError

BATCH = 500
"""Events that are committed together to the new file."""


@dataclass(frozen=True)
class SalvageReport:
    """What `salvage` could read."""

    kept: int
    """Events copied."""
    lost: int
    """Sequences up to the highest one found at which no intact event is."""
    images_lost: int
    """Events kept whose picture is damaged. They name it still; an event that brings it again brings it back."""


def salvage(source: str | os.PathLike[str], destination: str | os.PathLike[str]) -> SalvageReport:
    """Copy every intact event of `source` to a new journal at `destination`, in order, with new sequences.

    `source` is only read. `destination` is there complete or not at all. JournalError when `source` doesn't exist or
    `destination` does.
    """
    source, destination = Path(source).expanduser(), Path(destination).expanduser()
    if not source.is_file():
        raise JournalError(f"{source} does not exist")
    if destination.exists():
        raise JournalError(f"{destination} exists; salvage writes a new file only")
    part = destination.with_name(destination.name + ".part")
    _remove(part)  # of an attempt that was killed
    try:
        report = _copy(_Remains(Pages(source)), part)
        part.replace(destination)
    finally:
        _remove(part)
    return report


def _remove(journal: Path) -> None:
    for suffix in ("", "-wal", "-shm", ".lock"):
        Path(f"{journal}{suffix}").unlink(missing_ok=True)


def _copy(remains: _Remains, destination: Path) -> SalvageReport:
    kept = images_lost = highest = 0
    seen: set[str] = set()
    base = remains.base
    horizon = 0
    with SqliteJournal(destination) as journal:
        for part in _parts(remains.rows()):
            with journal.transaction() as transaction:
                for row in part:
                    highest = row.sequence
                    event = _read_event(row)
                    compacted = base is not None and row.sequence <= base.horizon.sequence
                    if row.id in seen or (event is None and not (compacted and is_stub(row.body))):
                        continue
                    seen.add(row.id)
                    kept += 1
                    if compacted:
                        horizon = kept
                    if event is None:
                        transaction.add_stub(row.id, row.stamp, row.body)
                        continue
                    if event.image is not None:
                        event = replace(event, image=remains.image(event.image))
                        if event.image is not None and not event.image.data:
                            images_lost += not remains.was_dropped(event.image)
                            transaction.note_picture(event.image)
                    transaction.add([event], [encode_event(event)])
        if base is not None:
            with journal.transaction() as transaction:
                transaction.set_base(pack(replace(base, horizon=replace(base.horizon, sequence=horizon))))
    return SalvageReport(kept, highest - kept, images_lost)


def _parts(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while part := list(islice(rows, BATCH)):
        yield part


def _read_event(row: Row) -> Event | None:
    """Return the event of a row; None where its content was dropped, or can't be read."""
    try:
        return decode_event(row.body)
    except InvalidEventError:
        return None


class _Remains:
    """Where the intact rows of a damaged journal are. Of several versions the one that is found first counts."""

    def __init__(self, pages: Pages) -> None:
        self.base: Base | None = None
        """The state at the horizon; None where there is none, or it is damaged."""
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
            if (row := _event_row(sequence, self._pages.record(cell)[1])) is not None:
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
            if sha256 := _intact_image(values):
                self._images.setdefault(sha256, cell)
            match values:
                case [str(sha256), int(size), int()]:
                    self._sizes.setdefault(sha256, size)
        elif _event_row(number, values) is not None:
            self._events.setdefault(number, cell)
        elif self.base is None:
            self.base = _base(values)


def _event_row(sequence: int, values: list[Value]) -> Row | None:
    """Return the row of an event, None where it is none or its checksum doesn't fit."""
    match values:
        case [None, str(event_id), (float() | int()) as stamp, str(body), int(checksum)]:
            if schema.row_checksum(sequence, event_id, float(stamp), body) == checksum:
                return Row(sequence, event_id, float(stamp), body, checksum)
    return None


def _intact_image(values: list[Value]) -> str:
    """Return the sha256 of a row that is an intact picture, else ""."""
    match values:
        case [str(sha256), bytes(data)] if hashlib.sha256(data).hexdigest() == sha256:
            return sha256
    return ""


def _base(values: list[Value]) -> Base | None:
    """Return the base of a row, None where it is none, or damaged."""
    match values:
        case [int(sequence), (float() | int()) as stamp, int(version), bytes(state), str(checksum)]:
            return unpack(sequence, float(stamp), version, state, checksum)
    return None
