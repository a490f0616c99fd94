# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Copy what is intact of a damaged journal to a new file. The damaged one is only read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from karma_memory.encoding import decode_event, encode_event
from karma_memory.events import Event
from karma_memory.journal.compacted import is_stub, pack
from karma_memory.journal.durable import remove_database
from karma_memory.journal.errors import JournalError
from karma_memory.journal.file_remains import FileRemains
from karma_memory.journal.opening import is_database, postgres_module
from karma_memory.journal.remains import Remains
from karma_memory.journal.sqlite import SqliteJournal
from karma_memory.journal.transaction import Row
from karma_memory.scene import InvalidEventError

BATCH = 500
"""Events that are committed together to the new file."""


@dataclass(frozen=True)
class SalvageReport:
    """What `salvage` could read."""

    kept: int
    """Events copied."""
    lost: int
    """Sequences up to the highest one that is known of at which no intact event is."""
    images_lost: int
    """Events kept whose picture is damaged. They name it still; an event that brings it again brings it back."""


def salvage(source: str | os.PathLike[str], destination: str | os.PathLike[str]) -> SalvageReport:
    """Copy every intact event of `source` to a new journal at `destination`, in order, with new sequences.

    `source`, a file or `postgresql://…`, is only read. `destination` is a file, there complete or not at all.
    JournalError when `source` doesn't exist or `destination` does.
    """
    destination = Path(destination).expanduser()
    if destination.exists():
        raise JournalError(f"{destination} exists; salvage writes a new file only")
    part = destination.with_name(destination.name + ".part")
    remove_database(part, ".lock")  # of an attempt that was killed
    try:
        with _remains(source) as remains:
            report = _copy(remains, part)
        part.replace(destination)
    finally:
        remove_database(part, ".lock")
    return report


def _remains(source: str | os.PathLike[str]) -> AbstractContextManager[Remains]:
    if is_database(source):
        remains: AbstractContextManager[Remains] = postgres_module("database_remains").opened(str(source))
        return remains
    path = Path(source).expanduser()
    if not path.is_file():
        raise JournalError(f"{path} does not exist")
    return nullcontext(FileRemains(path))


def _copy(remains: Remains, destination: Path) -> SalvageReport:
    kept = images_lost = 0
    highest = remains.committed
    seen: set[str] = set()
    base = remains.base
    horizon = 0
    with SqliteJournal(destination) as journal:
        for part in _parts(remains.rows()):
            with journal.transaction() as transaction:
                for row in part:
                    highest = max(highest, row.sequence)
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
