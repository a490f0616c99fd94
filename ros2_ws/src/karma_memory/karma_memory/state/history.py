# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the memories knew after some of the journal's events, and which of these events are still needed."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain

from karma_memory.events import Event, EventKind
from karma_memory.journal import (
    BASE_VERSION,
    Base,
    CompactedError,
    Entry,
    Horizon,
    Journal,
    SnapshotStore,
)
from karma_memory.journal.compacted import upgraded
from karma_memory.journal.group_commit import BusyError
from karma_memory.short_term.policy import PolicySettings
from karma_memory.state.collector import collector_kept_away
from karma_memory.state.state import MemoryState

logger = logging.getLogger(__name__)

PAST_STATES = 2
"""States of the past that are kept for further questions about the same time, and to go on from."""
NEAR = 500
"""Events that a kept state observes sooner than a stored one is read."""
PAST_CALLERS = 2
"""Questions about the past that are served or wait at the same time; they are served one by one."""
DROPPED_TOGETHER = 500
"""Events whose content is dropped in one transaction: whoever remembers waits no longer."""
KEPT_KINDS = frozenset(
    {EventKind.TOLD, EventKind.FEEDBACK, EventKind.EDIT, EventKind.EPISODE_START, EventKind.EPISODE_END}
)
"""Events that never lose their content: what people said, and the frame of what was tried. Nor does what carries a
user: all of it must be found when that user is to be forgotten."""


class PastUnknownError(ValueError):
    """The journal was compacted, so that it isn't known any more what was known then."""


@dataclass(eq=False)
class _Past:
    """What was known at a time."""

    time: float
    """Seconds."""
    horizon: Horizon
    """Of the journal when the state was made."""
    observed: int
    """Sequence of the last event that the state knows of: of those after it that there were, none had happened."""
    state: MemoryState


class History:
    """States of the memories, rebuilt from snapshots, the journal's base and its events."""

    def __init__(self, journal: Journal, snapshots: SnapshotStore, complete: Callable[[MemoryState], None]) -> None:
        """`complete` adds to a state of the past what is no function of the journal: vectors."""
        self._journal = journal
        self._snapshots = snapshots
        self._complete = complete
        self._past: list[_Past] = []
        """The one that was asked for last is the last."""
        self._lock = threading.Lock()
        self._callers = threading.Semaphore(PAST_CALLERS)

    def close(self) -> None:
        """Keep no state of the past."""
        with self._lock:
            self._past.clear()

    def after(self, last: int) -> tuple[MemoryState, int]:
        """Return the state after the event `last`, and the sequence from which the events had to be replayed.

        CompactedError when another process compacted the journal beyond that event.
        """
        while True:
            horizon = self._journal.horizon().sequence
            try:
                state, start, _ = self._replayed(last, last)
            except CompactedError:
                if not horizon < self._journal.horizon().sequence <= last:
                    raise
            else:
                return state, start

    @contextmanager
    def at(self, time: float, last: int) -> Iterator[MemoryState]:
        """Give the state after those of the events up to `last` that had happened at `time`, to one caller at a time.

        PastUnknownError for a time before the horizon; BusyError.
        """
        if not self._callers.acquire(blocking=False):
            raise BusyError("other questions about the past are being answered; ask again in a moment")
        try:
            with self._lock:
                yield self._past_state(time, last)
        finally:
            self._callers.release()

    def compact(self, before: float, last: int, store: Callable[[Base], None]) -> int:
        """Let `store` make what was known before `before` (seconds) the journal's base; return its sequence.

        Nothing changes where that is no later than the base that there is. At least the event `last` stays after it. An
        event that a wrong clock stamped much later is part of the base when most of those after it are.
        """
        sequence = min(self._journal.parted_at(before, self._journal.horizon().sequence), last - 1)
        if sequence > self._journal.horizon().sequence:
            try:
                state, _ = self.after(sequence)
            except CompactedError:  # beyond that, by another process
                return self._journal.horizon().sequence
            stamp = min(before, self._journal.newest_stamp(sequence))
            store(Base(Horizon(sequence, stamp), BASE_VERSION, state.snapshot()))
        return self._journal.horizon().sequence

    def droppable(self, needed: Collection[str]) -> Iterator[list[Entry]]:
        """Yield, in parts, the events up to the horizon whose content isn't needed. `needed`: ids of some that are."""
        part: list[Entry] = []
        for entry in self._journal.read(0, self._journal.horizon().sequence, skip_compacted=True):
            if _is_kept(entry.event) or entry.event.id in needed:
                continue
            part.append(entry)
            if len(part) == DROPPED_TOGETHER:
                yield part
                part = []
        yield part

    def _past_state(self, time: float, last: int) -> MemoryState:
        horizon = self._journal.horizon()
        if time < horizon.stamp:
            raise PastUnknownError(
                f"what was known at {time:.3f} s is not known any more: the journal was compacted, and tells the past "
                f"since {horizon.stamp:.3f} s"
            )
        last = max(last, horizon.sequence)  # what this process has yet to observe may be in the base
        try:
            until = min(last, self._journal.sequence_at(time, horizon.sequence))
            state, _, observed = self._replayed(until, last, time, self._take(time, horizon))
        except CompactedError:
            if self._journal.horizon() == horizon:
                raise
            return self._past_state(time, last)  # another process compacted the journal meanwhile
        self._complete(state)
        self._past = [*self._past, _Past(time, horizon, observed, state)][-PAST_STATES:]
        return state

    def _take(self, time: float, horizon: Horizon) -> _Past | None:
        """Take the kept state of the nearest time not after `time` from which one can go on to there; None without one.

        A state observes events in the journal's order, so none that happened in between may come before what it has
        observed.
        """
        self._past = [past for past in self._past if past.horizon == horizon]
        for past in sorted(self._past, key=lambda past: past.time, reverse=True):
            since = math.nextafter(past.time, math.inf)
            if past.time <= time and not any(
                self._journal.rows_within(horizon.sequence, past.observed, since=since, before=time)
            ):
                self._past.remove(past)
                return past
        return None

    def _replayed(
        self, until: int, last: int, at: float = math.inf, kept: _Past | None = None
    ) -> tuple[MemoryState, int, int]:
        """Return a state with the events up to `last` that had happened at `at`: all of those up to `until` had.

        It goes on from the `kept` one, if there is one, or the newest stored one where that is much newer; with it come
        the sequences of what it went on from and of the last event that it observed.
        """
        with collector_kept_away() if kept is None else nullcontext():
            start, state = self._stored(until, kept)
            if kept is None and start > until:
                raise CompactedError(f"{self._journal.location} was compacted up to event {start}, beyond {until}")
            observed = start
            for entry in chain(self._journal.read(start, until), self._journal.read(max(start, until), last, at=at)):
                state.apply(entry.event)
                observed = entry.sequence
        return state, start, observed

    def _stored(self, until: int, kept: _Past | None) -> tuple[int, MemoryState]:
        """Return the newest state not after event `until` that can be taken over, and its sequence."""
        since = self._journal.horizon().sequence if kept is None else kept.observed + NEAR
        while (snapshot := self._snapshots.load(self._fits, until, since=since)) is not None:
            state = begin(None)
            try:
                state.restore(snapshot.state)
            except Exception as error:  # noqa: BLE001 - it is a cache: whatever is in it, the journal has all
                logger.warning(
                    "the snapshot at event %d cannot be used (%s: %s); an older one or the journal is",
                    snapshot.sequence,
                    type(error).__name__,
                    error,
                )
                until = snapshot.sequence - 1
            else:
                return snapshot.sequence, state
        if kept is not None:
            return kept.observed, kept.state
        base = self._journal.base()
        return base.horizon.sequence if base else 0, begin(base)

    def _fits(self, sequence: int, event_id: str) -> bool:
        return self._journal.sequence_of(event_id) == sequence


def history_of(journal: Journal) -> History:
    """Return the states of the memories, without vectors: for who asks for none."""
    return History(journal, SnapshotStore(journal.path, journal.uuid), lambda state: None)


def stored_state(journal: Journal) -> MemoryState:
    """Return the state after the newest event of a journal that nobody writes to."""
    return history_of(journal).after(journal.last_sequence)[0]


def begin(base: Base | None) -> MemoryState:
    """Return the state at the horizon: that of a journal's base, or none yet. NewerSchemaError, JournalError."""
    state = MemoryState(PolicySettings())  # the journal says what they were changed to
    if base is None:
        return state
    state.restore(upgraded(base.state, base.version, base.horizon.sequence))
    return state


def _is_kept(event: Event) -> bool:
    return event.kind in KEPT_KINDS or bool(event.episode or event.user)
