# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A journal to a portable file, and back."""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from typing import BinaryIO

from karma_memory.encoding import Json, encode_event
from karma_memory.events import Event
from karma_memory.journal.compacted import BASE_VERSION, Base, Horizon, is_stub, pack
from karma_memory.journal.durable import whole_file
from karma_memory.journal.errors import JournalError, JournalFullError
from karma_memory.journal.portable_file import FORMAT, VERSION, PortableFile, PortableFileError, Stub, Writer
from karma_memory.journal.store import Journal
from karma_memory.journal.transaction import Entry, Transaction

BATCH = 500
"""Events that are imported together, at most."""
BATCH_BYTES = 16 * 1024 * 1024
"""Bytes of pictures after which a batch is committed early."""

Progress = Callable[[int, int], None]
"""Called now and then with the events that are done and how many there are."""


@dataclass(frozen=True)
class Imported:
    """What `import_journal` did."""

    added: int
    known: int
    """Events that the journal had already."""
    left_out: int = 0
    """Events without content, which only a new journal can take over."""


def export_journal(
    journal: Journal,
    destination: str | os.PathLike[str],
    state: Json,
    *,
    until: int | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the events up to sequence `until` (None: all) and `state`, that of all memories then; return their number.

    `destination` is there complete or not at all. JournalError when it exists and `overwrite` isn't set, or when the
    disk doesn't take it.
    """
    destination = Path(destination).expanduser()
    if destination.exists() and not overwrite:
        raise JournalError(f"{destination} exists; name another file, or say that it may be overwritten")
    events = journal.last_sequence if until is None else until
    base = journal.base()
    if base is not None and base.horizon.sequence > events:
        raise JournalError(f"{journal.location} was compacted beyond event {events} meanwhile; export it again")
    with _written(destination) as file:
        writer = Writer(file)
        writer.line({"format": FORMAT, "version": VERSION, "journal": journal.uuid, "events": events})
        if base is not None:
            writer.line({"base": {**vars(base), "horizon": vars(base.horizon)}})
        pictures: set[str] = set()
        for row in journal.rows(0, events):
            content = json.loads(row.body)
            if is_stub(row.body):
                writer.line({"sequence": row.sequence, "id": row.id, "stamp": row.stamp, **content})
            else:
                sha256 = content.get("image", {}).get("sha256")
                if sha256 is not None and sha256 not in pictures:
                    pictures.add(sha256)
                    data = journal.image(sha256)
                    writer.line({"picture": None if data is None else base64.b64encode(data).decode("ascii")})
                writer.line({"sequence": row.sequence, "event": content})
            if progress is not None and (row.sequence % BATCH == 0 or row.sequence == events):
                progress(row.sequence, events)
        writer.line({"state": state, "version": BASE_VERSION})
        if journal.horizon() != (base.horizon if base else Horizon()):
            raise JournalError(f"{journal.location} was compacted meanwhile; export it again")
        writer.seal()
    return events


def import_journal(
    file: PortableFile,
    journal: Journal,
    *,
    until: int | None = None,
    progress: Progress | None = None,
    take: Callable[[Event], Event | None] = lambda event: event,
) -> Imported:
    """Append the events of an exported file that `journal` doesn't have, in their order, with their ids.

    `until`: only those up to that sequence; PortableFileError where the file was compacted beyond. The whole file is
    checked before the first event is appended. An empty journal becomes a copy, with the same uuid. After a failure or
    a kill, do it again: what is there already is passed over. `take`: what to append for an event, None for nothing,
    of a journal that is not empty. PortableFileError; DuplicateEventError when an id stands
    for a different event in the journal; JournalError.
    """
    file.verify()
    before = journal.last_sequence
    left_out = 0
    events = file.events if until is None else min(until, file.events)
    if file.base is not None and file.base.horizon.sequence > events:
        horizon = file.base.horizon.sequence
        raise PortableFileError(f"{file.path} knows what came up to event {horizon} as one state only, not {events}")
    items = islice(file.items(), events)
    if before == 0:
        journal.adopt(file.journal)
        if file.base is not None:
            _begin_copy(items, file.base, journal)
    refused: list[str] = []
    for batch in _batches(items if before == 0 else _taken(items, journal, take, refused)):
        left_out += sum(isinstance(item, Stub) and journal.sequence_of(item.id) is None for item in batch)
        with journal.transaction() as transaction:
            _add(batch, transaction)
        if progress is not None:
            progress(batch[-1].sequence, events)
    added = journal.last_sequence - before
    left_out += len(refused)
    return Imported(added, events - added - left_out, left_out)


def _taken(
    items: Iterable[Entry | Stub], journal: Journal, take: Callable[[Event], Event | None], refused: list[str]
) -> Iterator[Entry | Stub]:
    """Yield what is to be appended, and note the ids of what is not."""
    for item in items:
        if isinstance(item, Stub) or journal.sequence_of(item.event.id) is not None:
            yield item
        elif (event := take(item.event)) is not None:
            yield replace(item, event=event)
        else:
            refused.append(item.event.id)


def _begin_copy(items: Iterator[Entry | Stub], base: Base, journal: Journal) -> None:
    """Commit a base with the events up to its horizon: neither means anything without the other."""
    with journal.transaction() as transaction:
        if transaction.last_sequence:
            raise JournalError(f"{journal.location} was begun by somebody else meanwhile; import into an empty one")
        transaction.set_base(pack(base))
        for batch in _batches(islice(items, base.horizon.sequence)):
            for stubs, part in groupby(batch, lambda item: isinstance(item, Stub)):
                if not stubs:
                    _add(part, transaction)
                    continue
                for stub in part:
                    if isinstance(stub, Stub):
                        transaction.add_stub(stub.id, stub.stamp, stub.body)
        if transaction.last_sequence != base.horizon.sequence:
            raise PortableFileError("an event id stands there twice; export the journal again")


def _batches(items: Iterator[Entry | Stub]) -> Iterator[list[Entry | Stub]]:
    """Yield the events in parts that fit into memory."""
    size = 0
    batch: list[Entry | Stub] = []
    for item in items:
        batch.append(item)
        if isinstance(item, Entry) and item.event.image is not None:
            size += len(item.event.image.data)
        if len(batch) == BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _add(items: Iterable[Entry | Stub], transaction: Transaction) -> None:
    """Add those of the events that have their content."""
    events = [item.event for item in items if isinstance(item, Entry)]
    for event in events:
        if event.image is not None and not event.image.data:
            transaction.note_picture(event.image)
    transaction.add(events, [encode_event(event) for event in events])


@contextlib.contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    """Give the file to write, and turn the system's errors into ours."""
    try:
        with whole_file(path) as file:
            yield file
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise JournalFullError(f"no room for {path}: {error.strerror}; free some space and try again") from error
        raise JournalError(f"cannot write {path}: {error}") from error
