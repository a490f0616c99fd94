# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a journal is, wherever it is stored: events in one order, committed before they are acknowledged."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import ClassVar, NamedTuple, TypeVar

from karma_memory.encoding import decode_event, encode_event
from karma_memory.events import Event, Image
from karma_memory.journal.errors import CorruptJournalError, DuplicateEventError
from karma_memory.journal.schema import row_checksum
from karma_memory.scene import InvalidEventError

READ_CHUNK = 1000
"""Rows that one read holds in memory."""

SomeJournal = TypeVar("SomeJournal", bound="Journal")


@dataclass(frozen=True)
class Entry:
    """An event and its place in the journal."""

    sequence: int
    event: Event


class Row(NamedTuple):
    """An event as it is stored."""

    sequence: int
    id: str
    stamp: float
    body: str
    """Canonical JSON (karma_memory.encoding)."""
    checksum: int


class Transaction(ABC):
    """Events that are about to be committed together. Nobody else can append to the journal until it ends."""

    def __init__(self, location: str, last_sequence: int) -> None:
        self.before = last_sequence
        """Sequence of the newest event when the transaction began, whoever wrote it."""
        self.last_sequence = last_sequence
        """Sequence of the newest event, the added ones included."""
        self._location = location

    def add(self, events: Sequence[Event], bodies: Sequence[str]) -> list[int]:
        """Add events with their canonical JSON, all or none, and return their sequences in order.

        An event that is already in the journal keeps its first sequence. DuplicateEventError when an id stands for
        another event already, InvalidEventError for a picture that is unknown and comes without its bytes: the
        transaction can go on without these events then.
        """
        known = dict(self._known([event.id for event in events]))
        rows: list[Row] = []
        sequences: list[int] = []
        images: dict[str, Image] = {}
        for event, body in zip(events, bodies, strict=True):
            if event.id in known:
                sequence, first = known[event.id]
                self._check_repeated(event, sequence, first)
                sequences.append(sequence)
                continue
            sequence = self.last_sequence + len(rows) + 1
            rows.append(Row(sequence, event.id, event.stamp, body, row_checksum(sequence, event.id, event.stamp, body)))
            known[event.id] = sequence, body
            sequences.append(sequence)
            if event.image is not None and (event.image.data or event.image.sha256 not in images):
                images[event.image.sha256] = event.image
        self._insert(rows, self._new_images(images))
        self.last_sequence += len(rows)
        return sequences

    @abstractmethod
    def _known(self, ids: Sequence[str]) -> Mapping[str, tuple[int, str]]:
        """Return sequence and body of those events that are in the journal, added ones included."""

    @abstractmethod
    def _known_images(self, hashes: Sequence[str]) -> set[str]:
        """Return those of the pictures that are in the journal, added ones included."""

    @abstractmethod
    def _insert(self, rows: Sequence[Row], images: Sequence[Image]) -> None:
        """Insert what is new."""

    def _new_images(self, images: Mapping[str, Image]) -> list[Image]:
        """Return the pictures to store: each once, by content."""
        stored = self._known_images(list(images)) if images else set()
        new = [image for image in images.values() if image.sha256 not in stored]
        for image in new:
            if not image.data:
                raise InvalidEventError(
                    f"picture {image.sha256[:12]}… is not in the journal and came without its bytes"
                )
        return new

    def _check_repeated(self, event: Event, sequence: int, body: str) -> None:
        """Refuse an id that was used for something else; stamp and scene may differ: the server fills them in."""
        first = _decode(self._location, sequence, body)
        if replace(first, stamp=event.stamp, scene=event.scene) != event:
            raise DuplicateEventError(
                f"event id {event.id!r} already stands for a different event (sequence {sequence}); "
                "give every event an id of its own, for instance a UUID"
            )


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
    def sequence_at(self, at: float) -> int:
        """Return the sequence of the last event before the first one that happened after `at`."""

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
    def _rows(self, after: int, until: int) -> Sequence[tuple[object, ...]]:
        """Return the first READ_CHUNK rows with `after` < sequence ≤ `until`, in order."""

    @abstractmethod
    def _row(self, event_id: str) -> tuple[object, ...] | None:
        """Return the row of an event."""

    @abstractmethod
    def _image(self, sha256: str) -> bytes | None:
        """Return the bytes of a picture as they are stored."""

    def append(self, events: Sequence[Event]) -> list[int]:
        """Commit events, all or none, and return their sequences in order.

        An event that is already in the journal keeps its first sequence. Returns only when the events are on disk.
        DuplicateEventError when an id stands for another event already; JournalFullError; JournalError.
        """
        bodies = [encode_event(event) for event in events]
        with self.transaction() as transaction:
            return transaction.add(events, bodies)

    def read(self, after: int = 0, until: int | None = None, *, at: float | None = None) -> Iterator[Entry]:
        """Yield the events with `after` < sequence ≤ `until`, in order; with `at`, only those that happened by then.

        Every row is checked; CorruptJournalError names the first damaged one.
        """
        for row in self._checked_rows(after, until):
            if at is None or row.stamp <= at:
                yield self._entry(row)

    def find(self, event_id: str) -> Entry | None:
        """Return the event with this id."""
        stored = self._row(event_id)
        return None if stored is None else self._entry(self._checked(stored, stored[0]))

    def image(self, sha256: str) -> bytes | None:
        """Return the bytes of a picture that came with an event, or None where there is none of that content."""
        data = self._image(sha256)
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            raise CorruptJournalError(self.location, f"picture {sha256[:12]}… is damaged")
        return data

    def verify(self) -> None:
        """Check every row. CorruptJournalError names the first damaged one."""
        for _ in self._checked_rows(0, None):
            pass

    def __enter__(self: SomeJournal) -> SomeJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _checked_rows(self, after: int, until: int | None) -> Iterator[Row]:
        last = self.last_sequence
        last = last if until is None else min(until, last)
        while after < last:
            for stored in self._rows(after, last) or [(None,) * len(Row._fields)]:
                after += 1
                yield self._checked(stored, after)

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
        return Entry(row.sequence, _decode(self.location, row.sequence, row.body))


def _decode(location: str, sequence: int, body: str) -> Event:
    try:
        return decode_event(body)
    except InvalidEventError as error:
        raise CorruptJournalError(location, f"event {sequence} cannot be read: {error}") from error
