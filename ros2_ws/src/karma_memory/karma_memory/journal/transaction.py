# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is written to a journal together: rows, of events that are there once, and the pictures that they name."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from karma_memory.encoding import decode_event, encode_event
from karma_memory.events import Event, Image
from karma_memory.journal.compacted import PackedBase, is_stub, make_stub
from karma_memory.journal.errors import CorruptJournalError, DuplicateEventError
from karma_memory.journal.schema import row_checksum
from karma_memory.scene import InvalidEventError


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


def row(sequence: int, event_id: str, stamp: float, body: str) -> Row:
    """Return an event as it is stored, or what is left of it, with its checksum."""
    return Row(sequence, event_id, stamp, body, row_checksum(sequence, event_id, stamp, body))


def row_of(sequence: int, event: Event) -> Row:
    """Return an event as it is stored."""
    return row(sequence, event.id, event.stamp, encode_event(event))


def stubs(entries: Iterable[Entry]) -> list[Row]:
    """Return what is stored of events without their content."""
    return [row(entry.sequence, entry.event.id, entry.event.stamp, make_stub(entry.event)) for entry in entries]


class Transaction(ABC):
    """Events that are about to be committed together. Nobody else can append to the journal until it ends."""

    def __init__(self, location: str, last_sequence: int) -> None:
        self.before = last_sequence
        """Sequence of the newest event when the transaction began, whoever wrote it."""
        self.last_sequence = last_sequence
        """Sequence of the newest event, the added ones included."""
        self._location = location
        self.size = 0
        """About the bytes that are written."""
        self._mentioned: set[str] = set()
        """Pictures of the events that were added."""

    def add(self, events: Sequence[Event], bodies: Sequence[str]) -> list[int]:
        """Add events with their canonical JSON, all or none, and return their sequences in order.

        An event that is already in the journal keeps its first sequence. DuplicateEventError when an id stands for
        another event already, InvalidEventError for a picture that is unknown and comes without its bytes: the
        transaction can go on without these events then.
        """
        if not events:
            return []
        known = dict(self._known([event.id for event in events]))
        rows: list[Row] = []
        sequences: list[int] = []
        images: dict[str, Image] = {}
        mentions: dict[str, int] = {}
        for event, body in zip(events, bodies, strict=True):
            if event.id in known:
                sequence, first = known[event.id]
                self._check_repeated(event, sequence, first)
                sequences.append(sequence)
                continue
            sequence = self.last_sequence + len(rows) + 1
            rows.append(row(sequence, event.id, event.stamp, body))
            known[event.id] = sequence, body
            sequences.append(sequence)
            if event.image is not None:
                mentions[event.image.sha256] = sequence
                if event.image.data or event.image.sha256 not in images:
                    images[event.image.sha256] = event.image
        self._insert(rows, self._new_images(images))
        self._mention(mentions)
        self._mentioned |= mentions.keys()
        self.last_sequence += len(rows)
        return sequences

    def bound_images(self, limit: int, referred: Callable[[], Collection[str]]) -> int:
        """Drop the bytes of pictures until those left have at most `limit` together; return how many lost them.

        The least recently remembered go first, of those that neither `referred` returns nor an event of this
        transaction names; where these don't suffice, of the others.
        """
        excess = self._image_bytes() - limit
        if excess <= 0:
            return 0
        kept = self._mentioned.union(referred())
        others = (picture for picture in self._held_images() if picture[0] not in kept)
        last = (picture for picture in self._held_images() if picture[0] in kept)
        victims: list[str] = []
        for sha256, size, _ in itertools.chain(others, last):
            victims.append(sha256)
            excess -= size
            if excess <= 0:
                break
        self._drop_images(victims)
        return len(victims)

    def drop_images(self, until: int) -> int:
        """Drop the bytes of pictures that no event after the sequence `until` names; return how many lost them."""
        old = itertools.takewhile(lambda held: held[2] <= until, self._held_images())
        victims = [sha256 for sha256, _, _ in old]
        self._drop_images(victims)
        return len(victims)

    def set_base(self, base: PackedBase) -> None:
        """Store the state of all memories at a horizon; content of events up to there can be dropped then."""
        self._write("DELETE FROM base", [()])
        self._write("INSERT INTO base VALUES (?, ?, ?, ?, ?)", [base])
        self.size += len(base.state)

    def add_stub(self, event_id: str, stamp: float, body: str) -> None:
        """Add an event that lost its content before, in another journal."""
        sequence = self.last_sequence + 1
        self._insert([row(sequence, event_id, stamp, body)], [])
        self.last_sequence = sequence

    def note_picture(self, image: Image) -> None:
        """Let events name a picture whose bytes were dropped before, in another journal."""
        if image.sha256 not in self._known_images([image.sha256]):
            self._insert([], [image])
            self._drop_images([image.sha256])

    def drop(self, stubs: Sequence[Row]) -> None:
        """Drop the content of events up to the horizon; their ids, sequences and stamps stay. See `stubs`."""
        self._replace(stubs)
        self.size += sum(len(row.body) for row in stubs)

    def rewrite(self, rows: Sequence[Row], erased_images: Sequence[str]) -> None:
        """Put other events in the place of those with the same sequences, and take pictures out of the journal.

        What was there before may still be in the files: Journal.expunge.
        """
        self._write(
            "UPDATE events SET id = ?, stamp = ?, body = ?, checksum = ? WHERE sequence = ?",
            [(row.id, row.stamp, row.body, row.checksum, row.sequence) for row in rows],
        )
        values = [(sha256,) for sha256 in erased_images]
        self._write("DELETE FROM images WHERE sha256 = ?", values)
        self._write("DELETE FROM pictures WHERE sha256 = ?", values)

    @abstractmethod
    def _write(self, statement: str, values: Sequence[tuple[object, ...]]) -> None:
        """Run a statement, which has a `?` for each value, once with each of these values."""

    @abstractmethod
    def _known(self, ids: Sequence[str]) -> Mapping[str, tuple[int, str]]:
        """Return sequence and body of those events that are in the journal, added ones included."""

    @abstractmethod
    def _known_images(self, hashes: Sequence[str]) -> Mapping[str, int]:
        """Return those of the pictures that are in the journal, added ones included: bytes, 0 for dropped ones."""

    def _insert(self, rows: Sequence[Row], images: Sequence[Image]) -> None:
        """Insert what is new."""
        self._write("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
        self._write("INSERT INTO images VALUES (?, ?)", [(image.sha256, image.data) for image in images])
        self._write(
            "INSERT INTO pictures VALUES (?, ?, 0) ON CONFLICT (sha256) DO UPDATE SET size = excluded.size",
            [(image.sha256, len(image.data)) for image in images],
        )
        self.size += sum(len(row.body) for row in rows) + sum(len(image.data) for image in images)

    def _mention(self, mentions: Mapping[str, int]) -> None:
        """Note the newest event of each of these pictures."""
        self._write(
            "UPDATE pictures SET sequence = ? WHERE sha256 = ?",
            [(sequence, sha256) for sha256, sequence in mentions.items()],
        )

    def _drop_images(self, hashes: Sequence[str]) -> None:
        """Delete the bytes of pictures."""
        values = [(sha256,) for sha256 in hashes]
        self._write("DELETE FROM images WHERE sha256 = ?", values)
        self._write("UPDATE pictures SET size = 0 WHERE sha256 = ?", values)

    @abstractmethod
    def _image_bytes(self) -> int:
        """Return the bytes of all pictures together."""

    @abstractmethod
    def _held_images(self) -> Iterator[tuple[str, int, int]]:
        """Yield the pictures that have bytes, how many, and the last event that names each, in the order of these.

        Fetch few at a time.
        """

    @abstractmethod
    def _replace(self, rows: Sequence[Row]) -> None:
        """Change body and checksum of rows."""

    def _new_images(self, images: Mapping[str, Image]) -> list[Image]:
        """Return the pictures to store: each once, by content."""
        known = self._known_images(list(images)) if images else {}
        for image in images.values():
            if not image.data and image.sha256 not in known:
                raise InvalidEventError(
                    f"picture {image.sha256[:12]}… is not in the journal and came without its bytes"
                )
        return [image for image in images.values() if image.data and not known.get(image.sha256)]

    def _check_repeated(self, event: Event, sequence: int, body: str) -> None:
        """Refuse an id that was used for something else; stamp and scene may differ: the server fills them in."""
        if is_stub(body):
            same = make_stub(event) == body
        else:
            first = decode_row(self._location, sequence, body)
            same = replace(first, stamp=event.stamp, scene=event.scene) == event
        if not same:
            raise DuplicateEventError(
                f"event id {event.id!r} already stands for a different event (sequence {sequence}); "
                "give every event an id of its own, for instance a UUID"
            )


def decode_row(location: str, sequence: int, body: str, *, bare: bool = False) -> Event:
    """Return the event in a row of the journal at `location`; `bare`: see decode_event. CorruptJournalError."""
    try:
        return decode_event(body, bare=bare)
    except InvalidEventError as error:
        raise CorruptJournalError(location, f"event {sequence} cannot be read: {error}") from error
