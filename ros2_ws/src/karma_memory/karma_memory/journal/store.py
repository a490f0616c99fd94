# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a journal is, wherever it is stored: events in one order, committed before they are acknowledged."""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from karma_memory.encoding import encode_event
from karma_memory.events import Event
from karma_memory.journal.compacted import Base, Horizon, is_stub, unpack
from karma_memory.journal.errors import CompactedError, CorruptJournalError
from karma_memory.journal.schema import row_checksum
from karma_memory.journal.transaction import Entry, Row, Transaction, decode_row

Marks = Sequence[Sequence[str]]
"""Lists of texts."""
READ_CHUNK = 1000
"""Rows that one read holds in memory."""
EVENTS = "SELECT sequence, id, stamp, body, checksum FROM events WHERE"
LOOKED_AT = 10_000
"""Rows that one read looks at, where it looks for some: others, who read too, wait no longer."""

SomeJournal = TypeVar("SomeJournal", bound="Journal")


class Journal(ABC):
    """An append-only sequence of events: 1, 2, 3, … without gaps, in the order in which they were committed.

    Threads may append and read concurrently. Close it, or use it as a context manager.
    """

    shared: ClassVar[bool]
    """Whether other processes may append to it while this one has it open."""
    location: str
    """Where it is, for people; without a password."""
    path: Path
    """Its file, or the name from which those of the local files that belong to it are made."""
    uuid: str
    """Identifies the journal, wherever it is copied to."""
    schema_version: int
    """Of its tables."""
    has_text: ClassVar[str]
    """The condition that an event's body has a text in it, with a `?` for that."""

    @property
    @abstractmethod
    def last_sequence(self) -> int:
        """Sequence of the newest event, 0 when there is none; also the number of events."""

    @property
    @abstractmethod
    def size_bytes(self) -> int:
        """Bytes on disk."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin to append: what was added is committed, and on disk, when the context is left without an error.

        With an error nothing was appended. JournalFullError; JournalError.
        """

    @abstractmethod
    def reclaim(self) -> None:
        """Give the room of what was dropped back to the system, where that is much. JournalFullError."""

    @abstractmethod
    def expunge(self) -> None:
        """Write all files anew, so that no byte of what was dropped or replaced is left in them. All others wait.

        JournalError, where somebody reads; JournalFullError.
        """

    @abstractmethod
    def wait(self, after: int, timeout: float) -> bool:
        """Wait until there is an event after the sequence `after` that another process wrote; False after `timeout` s.

        To be called by one thread; `close` ends it with False.
        """

    @abstractmethod
    def adopt(self, uuid: str) -> None:
        """Make an empty journal a copy of another one, whose `uuid` this is. JournalError when it has events."""

    @abstractmethod
    def close(self) -> None:
        """Wait for what is being read and written, then close. May be called again; other calls raise JournalError."""

    @abstractmethod
    def _fetch(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query, which has a `?` for each value."""

    def sequence_at(self, at: float, after: int) -> int:
        """Return the sequence of the last event before the first one after `after` that happened after `at`."""
        rows = self._fetch(
            "SELECT coalesce("
            "(SELECT sequence - 1 FROM events WHERE stamp > ? AND sequence > ? ORDER BY sequence LIMIT 1), "
            "(SELECT max(sequence) FROM events), 0)",
            (at, after),
        )
        return int(rows[0][0])

    def parted_at(self, at: float, after: int) -> int:
        """Return the sequence, `after` or later, that best parts the events after `after` by the time `at`.

        Of those up to it that happened later, and those after it that did not, there are as few as can be: stamps of a
        clock that was wrong for a while count little.
        """
        rows = self._fetch(
            "SELECT sequence FROM (SELECT sequence, sum(CASE WHEN stamp <= ? THEN 1 ELSE -1 END) "
            "OVER (ORDER BY sequence) AS lead FROM events WHERE sequence > ?) AS scored "
            "WHERE lead > 0 ORDER BY lead DESC, sequence LIMIT 1",
            (at, after),
        )
        return int(rows[0][0]) if rows else after

    def newest_stamp(self, until: int) -> float:
        """Return the latest time at which an event up to the sequence `until` happened; 0 without one."""
        return float(self._fetch("SELECT coalesce(max(stamp), 0) FROM events WHERE sequence <= ?", (until,))[0][0])

    def horizon(self) -> Horizon:
        """Return since when the past is known event by event."""
        rows = self._fetch("SELECT sequence, stamp FROM base")
        return Horizon(int(rows[0][0]), float(rows[0][1])) if rows else Horizon()

    def append(self, events: Sequence[Event]) -> list[int]:
        """Commit events, all or none, and return their sequences in order.

        An event that is already in the journal keeps its first sequence. Returns only when the events are on disk.
        DuplicateEventError when an id stands for another event already; JournalFullError; JournalError.
        """
        bodies = [encode_event(event) for event in events]
        with self.transaction() as transaction:
            return transaction.add(events, bodies)

    def read(
        self, after: int = 0, until: int | None = None, *, at: float | None = None, skip_compacted: bool = False
    ) -> Iterator[Entry]:
        """Yield the events with `after` < sequence ≤ `until`, in order; with `at`, only those that happened by then.

        Every row is checked, with `at` every one of those; CorruptJournalError names the first damaged one.
        CompactedError at an event whose content was dropped, unless `skip_compacted`.
        """
        if at is None:
            rows = self.rows(after, until)
        else:
            rows = self.rows_within(after, self.last_sequence if until is None else until, before=at)
        for row in rows:
            if not (skip_compacted and is_stub(row.body)):
                yield self._entry(row)

    def find(self, event_id: str) -> Entry | None:
        """Return the event with this id. CompactedError when its content was dropped."""
        row = self._row(event_id)
        return None if row is None else self._entry(row)

    def sequence_of(self, event_id: str) -> int | None:
        """Return the sequence of the event with this id, though its content may have been dropped."""
        row = self._row(event_id)
        return None if row is None else row.sequence

    def image(self, sha256: str) -> bytes | None:
        """Return the bytes of a picture that came with an event; None where none did, or they were dropped."""
        rows = self._fetch(
            "SELECT size, data FROM pictures LEFT JOIN images USING (sha256) WHERE sha256 = ?", (sha256,)
        )
        if not rows or rows[0] == (0, None):
            return None
        data: bytes | None = rows[0][1]
        if data is None or hashlib.sha256(data).hexdigest() != sha256:
            raise CorruptJournalError(self.location, f"picture {sha256[:12]}… is damaged or missing")
        return data

    def with_picture(self, event: Event) -> Event:
        """Return an event with the bytes of its picture; without the picture where they were dropped."""
        if event.image is None:
            return event
        data = self.image(event.image.sha256)
        return replace(event, image=None if data is None else replace(event.image, data=data))

    def base(self) -> Base | None:
        """Return the state at the horizon, None where every event has its content."""
        rows = self._fetch("SELECT sequence, stamp, version, state, checksum FROM base")
        if not rows:
            return None
        base = unpack(*rows[0])
        if base is None:
            raise CorruptJournalError(self.location, f"the state at event {rows[0][0]} is damaged")
        if base.horizon.sequence > self.last_sequence:
            raise CorruptJournalError(
                self.location, f"the state at event {rows[0][0]} is there, but only {self.last_sequence} events are"
            )
        return base

    def verify(self) -> None:
        """Check every row and the state at the horizon. CorruptJournalError names the first damaged one."""
        self.base()
        horizon = self.horizon().sequence
        for row in self.rows():
            if row.sequence > horizon and is_stub(row.body):
                horizon = self.horizon().sequence  # another process may have compacted the journal meanwhile
            if row.sequence > horizon and is_stub(row.body):
                raise CorruptJournalError(self.location, f"the content of event {row.sequence} is missing")

    def __enter__(self: SomeJournal) -> SomeJournal:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def rows(self, after: int = 0, until: int | None = None) -> Iterator[Row]:
        """Yield the events with `after` < sequence ≤ `until` as stored. CorruptJournalError at a damaged one."""
        last = self.last_sequence
        last = last if until is None else min(until, last)
        while after < last:
            for stored in self._rows(after, last) or [(None,) * len(Row._fields)]:
                after += 1
                yield self._checked(stored, after)

    def rows_within(
        self,
        after: int,
        until: int,
        *,
        since: float = 0.0,
        before: float = math.inf,
        marks: Marks = (),
        newest: bool = False,
    ) -> Iterator[Row]:
        """Yield the events with `after` < sequence ≤ `until` that happened from `since` to `before`, as stored.

        Of these, the ones whose body has of each of `marks` at least one text. In order, or the `newest` first; few are
        read at a time, so that whoever has enough stops early. CorruptJournalError at a damaged one.
        """
        while after < until:
            first = max(after, until - LOOKED_AT) if newest else after
            last = until if newest else min(until, after + LOOKED_AT)
            stored = self._rows_within(first, last, since, before, marks=marks, newest=newest)
            rows = [self._checked(row, row[0]) for row in stored]
            yield from rows
            if newest:
                until = rows[-1].sequence - 1 if rows else first
            else:
                after = rows[-1].sequence if rows else last

    def _rows(self, after: int, until: int) -> list[tuple[Any, ...]]:
        """Return the first READ_CHUNK rows with `after` < sequence ≤ `until`, in order."""
        return self._fetch(
            f"{EVENTS} sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?", (after, until, READ_CHUNK)
        )

    def _rows_within(
        self, after: int, until: int, since: float, before: float, *, marks: Marks, newest: bool
    ) -> list[tuple[Any, ...]]:
        """Return up to READ_CHUNK of the rows that `rows_within` yields: the last of them with `newest`, or the first.

        With `newest` in reverse.
        """
        marked = "".join(f" AND ({' OR '.join([self.has_text] * len(texts))})" for texts in marks)
        return self._fetch(
            f"{EVENTS} sequence > ? AND sequence <= ? AND stamp >= ? AND stamp <= ?{marked} "
            f"ORDER BY sequence {'DESC' if newest else 'ASC'} LIMIT ?",
            (after, until, since, before, *chain(*marks), READ_CHUNK),
        )

    def _row(self, event_id: str) -> Row | None:
        """Return the row of an event."""
        rows = self._fetch(f"{EVENTS} id = ?", (event_id,))
        return self._checked(rows[0], rows[0][0]) if rows else None

    def _checked(self, stored: tuple[object, ...], expected: object) -> Row:
        """Refuse a row that is missing or that its checksum doesn't fit."""
        sequence, event_id, stamp, body, checksum = stored
        if (
            isinstance(sequence, int)
            and sequence == expected
            and isinstance(event_id, str)
            and isinstance(stamp, float)
            and isinstance(body, str)
            and isinstance(checksum, int)
            and row_checksum(sequence, event_id, stamp, body) == checksum
        ):
            return Row(sequence, event_id, stamp, body, checksum)
        raise CorruptJournalError(self.location, f"event {expected} is damaged or missing")

    def _entry(self, row: Row) -> Entry:
        if is_stub(row.body):
            raise CompactedError(
                f"the content of event {row.sequence} was dropped when {self.location} was compacted: what came up to "
                f"event {self.horizon().sequence} is known as one state only"
            )
        return Entry(row.sequence, decode_row(self.location, row.sequence, row.body))
