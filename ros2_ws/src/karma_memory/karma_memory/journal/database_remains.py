# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is left of a damaged journal in PostgreSQL, read block by block, without the indexes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

import psycopg

from karma_memory.events import Image
from karma_memory.journal.compacted import Base
from karma_memory.journal.errors import CorruptJournalError
from karma_memory.journal.postgres_link import Link, parsed
from karma_memory.journal.postgres_schema import SCHEMA, Connection, identify, one
from karma_memory.journal.remains import event_row, intact_image, stored_base
from karma_memory.journal.transaction import Row

TOGETHER = 64
"""Blocks that are read with one statement, where they are intact, and half as many rows."""
SMALLEST_ROW = 28
"""Bytes of a row and its pointer, at least."""
EVENT = "sequence, textsend(id), stamp, textsend(body), checksum"
"""Texts as bytes: damaged ones may be no UTF-8."""
DAMAGE = (
    psycopg.errors.DataCorrupted,
    psycopg.errors.IndexCorrupted,
    psycopg.errors.InternalError_,
    psycopg.errors.IoError,
    psycopg.errors.UndefinedFile,
    psycopg.errors.ProgramLimitExceeded,
)
"""What PostgreSQL says of blocks and rows that it can't make sense of."""


@contextmanager
def opened(conninfo: str) -> Iterator[DatabaseRemains]:
    """Find what is intact, as of now: a memory server may go on meanwhile. JournalError; NewerSchemaError."""
    location, parameters = parsed(conninfo)
    link = Link(location, parameters)
    try:
        with link.use() as connection:
            connection.execute("SET default_transaction_isolation = 'repeatable read'")
            connection.execute("SET default_transaction_read_only = on")
            connection.execute("SET enable_seqscan = off")  # it reads blocks that were not asked for
            with connection.transaction():
                yield DatabaseRemains(connection, location)
    finally:
        link.close()


class DatabaseRemains:
    """Where the intact rows of a damaged journal are; within one transaction."""

    def __init__(self, connection: Connection, location: str) -> None:
        self._connection = connection
        self.committed = self._committed(location)
        self.base: Base | None = next(filter(None, self._bases()), None)
        self._events: dict[int, str] = {}
        """Sequence → where the row is (ctid)."""
        for place, *values in self._scan("events", EVENT):
            if (row := _row(values)) is not None:
                self._events.setdefault(row.sequence, place)
        self._sizes = {_text(sha256): size for _, sha256, size in self._scan("pictures", "textsend(sha256), size")}
        """Bytes of each picture that is named; 0 where they were dropped."""
        self._images = {_text(sha256): place for place, sha256 in self._scan("images", "textsend(sha256)")}

    def rows(self) -> Iterator[Row]:
        """Yield the intact rows of events, in order."""
        places = (place for _, place in sorted(self._events.items()))
        while part := list(islice(places, TOGETHER // 2)):
            rows = [_row(values[1:]) for values in self._at("events", EVENT, part)]
            yield from sorted(row for row in rows if row is not None)

    def image(self, image: Image) -> Image:
        """Return the image with its bytes, where they are intact."""
        place = self._images.get(image.sha256)
        for _, data in () if place is None else self._at_intact("images", "data", [place]):
            if intact_image((image.sha256, data)):
                return replace(image, data=data)
        return image

    def was_dropped(self, image: Image) -> bool:
        """Whether the journal had an image without its bytes."""
        return self._sizes.get(image.sha256) == 0

    def _committed(self, location: str) -> int:
        try:
            with self._connection.transaction():
                identify(self._connection, location)
                return int(one(self._connection.execute("SELECT last FROM journal"))[0])
        except (CorruptJournalError, psycopg.errors.UndefinedColumn, *DAMAGE):
            return 0  # of an older version, or damaged like the rest

    def _bases(self) -> Iterator[Base | None]:
        for _, *values, checksum in self._scan("base", "sequence, stamp, version, state, textsend(checksum)"):
            yield stored_base([*values, _text(checksum)])

    def _scan(self, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield place (ctid) and columns of all rows of a table that can be read."""
        blocks, rows = one(
            self._connection.execute(
                "SELECT pg_relation_size(%s) / size, size / %s FROM "
                "(SELECT current_setting('block_size')::integer AS size) AS blocks",
                (f"{SCHEMA}.{table}", SMALLEST_ROW),
            )
        )
        for first in range(0, blocks, TOGETHER):
            numbers = range(first, min(first + TOGETHER, blocks))
            yield from self._at_intact(table, columns, [f"({b},{i})" for b in numbers for i in range(1, rows + 1)])

    def _at_intact(self, table: str, columns: str, places: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return those of the rows at these places that can be read: where one can't, the halves are tried."""
        try:
            with self._connection.transaction():
                return self._at(table, columns, places)
        except DAMAGE:
            half = len(places) // 2
            if not half:
                return []
            return self._at_intact(table, columns, places[:half]) + self._at_intact(table, columns, places[half:])

    def _at(self, table: str, columns: str, places: Sequence[str]) -> list[tuple[Any, ...]]:
        statement = f"SELECT ctid::text, {columns} FROM {table} WHERE ctid = ANY(%s::tid[])"  # noqa: S608 - our names
        return self._connection.execute(statement, (list(places),), binary=True).fetchall()


def _row(values: Sequence[object]) -> Row | None:
    """Return the row of an event, None where its checksum doesn't fit."""
    sequence, event_id, stamp, body, checksum = values
    return event_row(sequence, [None, _text(event_id), stamp, _text(body), checksum])


def _text(value: object) -> str:
    """Return the text of these bytes; what is no UTF-8 in it fits no checksum then."""
    return value.decode(errors="replace") if isinstance(value, bytes) else ""
