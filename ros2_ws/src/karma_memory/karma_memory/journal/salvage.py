# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Copy what is intact of a damaged journal to a new one. The damaged file is only read."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from karma_memory.encoding import decode_event, encode_event
from karma_memory.events import Event, Image
from karma_memory.journal import schema
from karma_memory.journal.compacted import Base, is_stub, unpack
from karma_memory.journal.errors import JournalError
from karma_memory.journal.sqlite import SqliteJournal
from karma_memory.journal.store import Row
from karma_memory.scene import InvalidEventError

SMALLEST_ROW = 64
"""Bytes; no event takes less on disk. Bounds the search for rows when the table cannot be walked."""
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
    """Events kept without their picture."""


def salvage(source: str | os.PathLike[str], destination: str | os.PathLike[str]) -> SalvageReport:
    """Copy every intact event of `source` to a new journal at `destination`, in order, with new sequences.

    Works on a copy: `source` is not touched. JournalError when `source` doesn't exist or `destination` does.
    """
    source, destination = Path(source).expanduser(), Path(destination).expanduser()
    if not source.is_file():
        raise JournalError(f"{source} does not exist")
    if destination.exists():
        raise JournalError(f"{destination} exists; salvage writes a new file only")
    with tempfile.TemporaryDirectory(prefix="karma-salvage-") as folder:
        copy = Path(folder) / "journal.sqlite3"
        shutil.copyfile(source, copy)
        log = Path(f"{source}-wal")
        if log.exists():
            shutil.copyfile(log, f"{copy}-wal")
        connection = sqlite3.connect(copy, isolation_level=None)
        try:
            return _copy(connection, destination, copy.stat().st_size)
        finally:
            connection.close()


def _copy(connection: sqlite3.Connection, destination: Path, size: int) -> SalvageReport:
    kept = images_lost = highest = 0
    seen: set[str] = set()
    base = _read_base(connection)
    horizon = 0
    with SqliteJournal(destination) as journal:
        for part in _parts(_intact_rows(connection, size)):
            with journal.transaction() as transaction:
                for row in part:
                    highest = row.sequence
                    event = _read_event(row)
                    if row.id in seen or (event is None and (base is None or not is_stub(row.body))):
                        continue
                    seen.add(row.id)
                    kept += 1
                    if base is not None and row.sequence <= base.horizon.sequence:
                        horizon = kept
                    if event is None:
                        transaction.add_stub(row.id, row.stamp, row.body)
                        continue
                    if event.image is not None:
                        image = _read_image(connection, event.image)
                        images_lost += image is None
                        event = replace(event, image=image)
                    transaction.add([event], [encode_event(event)])
        if base is not None:
            with journal.transaction() as transaction:
                transaction.set_base(replace(base, horizon=replace(base.horizon, sequence=horizon)))
    return SalvageReport(kept, highest - kept, images_lost)


def _parts(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while part := list(islice(rows, BATCH)):
        yield part


def _intact_rows(connection: sqlite3.Connection, size: int) -> Iterator[Row]:
    """Yield the rows whose checksum fits, each looked up on its own: a damaged page costs only its rows."""
    try:
        highest = int(connection.execute("SELECT coalesce(max(sequence), 0) FROM events").fetchone()[0])
    except sqlite3.DatabaseError:
        highest = size // SMALLEST_ROW
    for sequence in range(1, highest + 1):
        try:
            row = connection.execute(
                "SELECT id, stamp, body, checksum FROM events WHERE sequence = ?", (sequence,)
            ).fetchone()
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            continue
        if row is None or not all(map(isinstance, row, (str, float, str, int))):
            continue
        event_id, stamp, body, checksum = row
        if schema.row_checksum(sequence, event_id, stamp, body) == checksum:
            yield Row(sequence, event_id, stamp, body, checksum)


def _read_event(row: Row) -> Event | None:
    """Return the event of a row; None where its content was dropped, or can't be read."""
    try:
        return decode_event(row.body)
    except InvalidEventError:
        return None


def _read_base(connection: sqlite3.Connection) -> Base | None:
    """Return the state at the horizon; None where there is none, or it is damaged."""
    try:
        row = connection.execute("SELECT sequence, stamp, version, state, checksum FROM base").fetchone()
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return None
    return None if row is None else unpack(*row)


def _read_image(connection: sqlite3.Connection, image: Image) -> Image | None:
    """Return the image with its bytes, or None where they are damaged."""
    try:
        row = connection.execute("SELECT data FROM images WHERE sha256 = ?", (image.sha256,)).fetchone()
    except sqlite3.DatabaseError:
        return None
    if row is None or not isinstance(row[0], bytes) or hashlib.sha256(row[0]).hexdigest() != image.sha256:
        return None
    return replace(image, data=row[0])
