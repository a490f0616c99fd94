# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of all memories after the newest event: what is committed to the journal, they observe, in its order."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from karma_memory.encoding import encode_event
from karma_memory.events import Event, EventKind
from karma_memory.journal import (
    CompactedError,
    DuplicateEventError,
    Journal,
    JournalError,
    JournalFullError,
    Transaction,
)
from karma_memory.journal.following import JournalFollower
from karma_memory.journal.group_commit import Batch, GroupCommit
from karma_memory.projection import EditError
from karma_memory.recall.query import Record
from karma_memory.scene import InvalidEventError
from karma_memory.short_term.memory import settings_to_json
from karma_memory.short_term.policy import PolicySettings
from karma_memory.state.history import History
from karma_memory.state.state import MemoryState, reading_of

logger = logging.getLogger(__name__)

MAX_ACCESSES = 4096
"""Uses of short-term memory that wait for the next commit; beyond that the oldest are dropped."""
OBSERVED_INSIDE = 64
"""Events of others that are observed while nobody else can commit; more before that."""


class UnknownRecordError(KeyError):
    """No memory has a record of this id now."""

    def __str__(self) -> str:
        return str(self.args[0])


class LiveState:
    """All memories in step with the journal, which only this one appends to in this process.

    Read `state` with `lock` held. Recalls don't wait for commits, commits wait for each other only.
    """

    applied: int = 0
    """Sequence of the newest event that every memory has observed."""
    clock: float = 0.0
    """Stamp of that event, for those that the memory writes itself."""

    def __init__(self, journal: Journal, history: History, image_bytes: int, observed: Callable[[], None]) -> None:
        """`observed` is called after new events were observed. Call `load` before anything else."""
        self._journal = journal
        self._history = history
        self._image_bytes = image_bytes
        self._observed = observed
        self.state = MemoryState(PolicySettings())
        """Empty before `load` and after `close`."""
        self.lock = threading.RLock()
        self.write_lock = threading.Lock()
        """Held from before a commit until its events are observed: they are observed in the journal's order."""
        self.commits = GroupCommit(self._commit_group, self.write_lock)
        self._accesses: deque[Event] = deque(maxlen=MAX_ACCESSES)
        self._refusal = ""
        """Why the last commit found no room, and what to do; empty when it found some."""
        self._follower: JournalFollower | None = None

    @property
    def trouble(self) -> str:
        """Why nothing is remembered now, or events that other processes commit aren't observed; empty: all is well."""
        if self._refusal:
            return f"nothing is remembered now: {self._refusal}"
        return self._follower.trouble if self._follower else ""

    def load(self, settings: PolicySettings) -> None:
        """Bring all memories to the state of the journal; an empty one begins with the settings. JournalError."""
        if self._journal.last_sequence == 0:
            event = self.configuration(settings)
            with self._journal.transaction() as transaction:
                if transaction.last_sequence == 0:  # several servers that begin it do so once
                    transaction.add([event], [encode_event(event)])
        self._take_over(self._journal.last_sequence)

    def follow(self) -> None:
        """Keep no more pictures than there may be now; observe from now on what other processes commit."""
        with self.write_lock, self._journal.transaction() as transaction:
            transaction.bound_images(self._image_bytes, self._images)
        if self._journal.shared:
            self._follower = JournalFollower(self._journal, lambda: self.applied, self._follow)

    def close(self) -> None:
        """Close the journal, stop to follow it, and keep nothing of what it told: a user may be erased from it."""
        if self._follower is not None:
            self._follower.stop()
        self._journal.close()
        if self._follower is not None:
            self._follower.join()
        with self.lock:
            self.state = MemoryState(PolicySettings())

    def commit(self, events: Sequence[Event], *, checked: bool = True) -> list[int]:
        """Commit events, all or none, let every memory observe them, and return their sequences.

        `checked`: refuse edits that make no sense, rather than ignore them. DuplicateEventError, InvalidEventError,
        EditError, UnknownRecordError, BusyError, JournalError.
        """
        return self.commits.submit(Batch(tuple(events), checked=checked))

    def note_access(self, units: tuple[str, ...]) -> None:
        """Let the next commit say that these memory units were used."""
        self._accesses.append(Event(new_id(), EventKind.ACCESS, self.clock, accessed=units))

    def flush(self) -> None:
        """Commit which memory units were used; where there was no room, see whether there is some again."""
        if self._refusal and not self._accesses:
            self.note_access(())
        if self._accesses:
            self.commit(())

    def now(self) -> tuple[int, dict[str, Any]]:
        """Return the sequence of the newest event and the state after it; see MemoryState.snapshot."""
        if not self._refusal:  # what is kept can be taken elsewhere
            self.flush()
        with self.write_lock, self.lock:
            return self.applied, self.state.snapshot()

    def configuration(self, settings: PolicySettings) -> Event:
        """Return the event that changes the settings of short-term memory."""
        return Event(new_id(), EventKind.CONFIGURE, self.clock, text=settings_to_json(settings))

    def record(self, record_id: str) -> Record | None:
        """Return a current record, or None."""
        with self.lock:
            return self.state.index.records.get(record_id)

    def owner(self, record_id: str) -> str:
        """Return whose a record is, and so what is done to it; "" where it is nobody's."""
        record = self.record(record_id)
        return record.user if record else ""

    def owned(self, record_id: str, user: str) -> Record:
        """Return a record; refuse one that belongs to another user (nobody in particular may touch all)."""
        record = self.record(record_id)
        if record is None:
            raise UnknownRecordError(f"no memory has a record {record_id!r} now")
        if record.user and user and record.user != user:
            raise EditError(f"record {record_id!r} belongs to {record.user!r}; {user!r} can't change it")
        return record

    def _commit_group(self, batches: Sequence[Batch]) -> None:
        """Commit pending accesses and `batches`, and observe what is new. With the write lock; see GroupCommit."""
        accesses = [self._accesses.popleft() for _ in range(len(self._accesses))]
        try:
            with self._caught_up() as transaction:
                used = transaction.add(accesses, [encode_event(event) for event in accesses])
                new = dict(zip(used, accesses, strict=True))
                for batch in batches:
                    try:
                        if batch.checked:
                            self._check_edits(batch.events)
                        batch.sequences = transaction.add(batch.events, batch.bodies)
                    except (EditError, UnknownRecordError, DuplicateEventError, InvalidEventError) as error:
                        batch.error = error
                        continue
                    for sequence, event in zip(batch.sequences, batch.events, strict=True):
                        new.setdefault(sequence, event)  # the same event again is as it was at first
                if any(event.image is not None for event in new.values()):
                    transaction.bound_images(self._image_bytes, self._images)
        except BaseException as error:
            self._accesses.extendleft(reversed(accesses))
            if isinstance(error, JournalFullError):
                self._refusal = str(error)
            raise
        if new:
            self._refusal = ""
        with self.lock:
            for sequence, event in sorted(new.items()):
                if sequence > self.applied:
                    self._observe(sequence, event)
        self._observed()

    @contextmanager
    def _caught_up(self) -> Iterator[Transaction]:
        """Begin to append, after all that others committed was observed: the most of it while they can commit, too."""
        while True:
            with self._journal.transaction() as transaction:
                before = transaction.before
                if before - self.applied <= OBSERVED_INSIDE:
                    self._catch_up(before)
                    yield transaction
                    return
            self._catch_up(before)

    def _images(self) -> set[str]:
        """Return the pictures that memory units refer to."""
        with self.lock:
            return {unit.image.sha256 for unit in self.state.short_term.units() if unit.image is not None}

    def _follow(self) -> None:
        """Observe what other processes have committed."""
        with self.write_lock:
            self._catch_up(self._journal.last_sequence)
        self._observed()

    def _catch_up(self, until: int) -> None:
        """Observe the events up to the sequence `until` that others committed, in order. With the write lock."""
        if until < self.applied:
            raise JournalError(
                f"{self._journal.location} ends with event {until}, but event {self.applied} was there before: it was "
                "put back to an older state. Start this memory server again"
            )
        if until == self.applied:
            return
        try:
            for entry in self._journal.read(self.applied, until):
                with self.lock:
                    self._observe(entry.sequence, entry.event)
        except CompactedError:  # by another process, while this one was away
            self._take_over(until)

    def _observe(self, sequence: int, event: Event) -> None:
        self.state.apply(event)
        self.clock = event.stamp
        self.applied = sequence

    def _take_over(self, last: int) -> None:
        """Go on from the state after the event `last`, or a later one where that is not known any more."""
        started = time.perf_counter()
        while True:
            try:
                state, after = self._history.after(last)
            except CompactedError:
                last, before = self._journal.last_sequence, last
                if last == before:
                    raise
            else:
                break
        newest = next(self._journal.rows(max(0, last - 1), last), None)
        state.short_term.counters = type(state.short_term.counters)()
        with self.lock:
            self.state, self.applied, self.clock = state, last, newest.stamp if newest else 0.0
        logger.info(
            "%d events in %s, %d of them from a stored state, loaded in %.2f s",
            last,
            self._journal.location,
            after,
            time.perf_counter() - started,
        )

    def _check_edits(self, events: Sequence[Event]) -> None:
        """Refuse an edit that its memory can't make now, and one of a record that another one of `events` edits."""
        targets = set()
        told = {event.target: reading_of(event) for event in events if event.kind is EventKind.READING}
        for event in events:
            if event.kind is not EventKind.EDIT or self._journal.sequence_of(event.id) is not None:
                continue
            if event.target in targets:
                raise EditError(f"record {event.target!r} is edited twice in one call; edit what the first edit made")
            targets.add(event.target)
            with self.lock:
                record = self.owned(event.target, event.user)
                if record.user and not event.user:
                    raise EditError(f"record {record.id!r} belongs to a user; say who changes it")
                self.state.projections[record.kind].check_edit(record.id, event.text)
                if event.text and (memory := self.state.understanding.get(record.kind)) is not None:
                    reading = told.get(event.id)
                    memory.check_told(event.text, reading.told if reading else ())


def new_id() -> str:
    """Return an id for an event."""
    return str(uuid.uuid4())
