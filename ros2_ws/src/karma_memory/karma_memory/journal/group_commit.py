# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Group commit: calls that come while another one waits for the disk share the next transaction."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from karma_memory.encoding import encode_event
from karma_memory.events import Event, EventKind
from karma_memory.journal import JournalError, JournalFullError

MAX_WAITING = 256
"""Calls that wait to be committed; more that have events are refused."""


class BusyError(RuntimeError):
    """Too much is asked for at the same time; ask again in a moment."""


@dataclass(eq=False)
class Batch:
    """The events of one call, which are committed all or none."""

    events: Sequence[Event]
    checked: bool = True
    """Whether its edits must make sense; those that don't are ignored by the memories otherwise."""
    bodies: list[str] = field(init=False)
    sequences: list[int] = field(init=False, default_factory=list)
    error: Exception | None = field(init=False, default=None)
    """Why none of it was committed."""
    done: bool = field(init=False, default=False)
    turn: threading.Event = field(init=False, default_factory=threading.Event)
    """Set when the batch is done, or its caller is to lead."""

    def __post_init__(self) -> None:
        self.bodies = [encode_event(event) for event in self.events]

    @property
    def edits(self) -> bool:
        """Whether it depends on what the memories say when it is committed."""
        return any(event.kind is EventKind.EDIT for event in self.events)


class GroupCommit:
    """A queue of batches. The caller at its head commits what has queued up behind it, for all of them.

    A batch that edits is the first of its group: what it edits is the state after all batches before it.
    """

    def __init__(self, commit: Callable[[Sequence[Batch]], None], lock: threading.Lock) -> None:
        """`commit` commits batches and sets `sequences` of each, or `error` of one that can't be; called with `lock`.

        When it raises, it has committed none; where the disk is full, each batch is then tried on its own.
        """
        self._commit = commit
        self._lock = lock
        self._queue_lock = threading.Lock()
        self._queue: deque[Batch] = deque()
        self._led = False
        """Whether a caller leads, or was told to."""

    def submit(self, batch: Batch) -> list[int]:
        """Return the sequences of a batch when it is committed, or raise why it isn't. BusyError: too many wait."""
        with self._queue_lock:
            if batch.events and len(self._queue) >= MAX_WAITING:
                raise BusyError(f"{MAX_WAITING} calls wait to be committed; try again in a moment")
            self._queue.append(batch)
            leads, self._led = not self._led, True
        if not leads:
            self._wait(batch)
        if not batch.done:
            self._lead(batch)
        if batch.error is not None:
            raise batch.error
        return batch.sequences

    def _wait(self, batch: Batch) -> None:
        """Wait until a batch is done, or its caller is to lead."""
        try:
            batch.turn.wait()
        except BaseException:
            with self._queue_lock:
                withdrawn = batch in self._queue
                if withdrawn:
                    self._queue.remove(batch)
            if withdrawn and batch.turn.is_set():
                self._hand_over()
            raise

    def _lead(self, own: Batch) -> None:
        """Commit the group at the head of the queue, which begins with `own`, and let the next one lead."""
        group: list[Batch] = []
        try:
            with self._lock:
                group = self._next_group()
                self._try(group)
        except BaseException:
            with self._queue_lock:  # the caller is told; those that waited with it are committed by the next
                self._queue.extendleft(reversed(group))
                self._queue.remove(own)
            raise
        else:
            for batch in group:
                batch.done = True
                batch.turn.set()
        finally:
            self._hand_over()

    def _hand_over(self) -> None:
        with self._queue_lock:
            heir = self._queue[0] if self._queue else None
            self._led = heir is not None
        if heir is not None:
            heir.turn.set()

    def _try(self, group: Sequence[Batch]) -> None:
        for batch in group:
            batch.error = None
        try:
            self._commit(group)
        except JournalError as error:
            if len(group) > 1 and isinstance(error, JournalFullError):
                for batch in group:  # there may be room for those without the largest
                    self._try([batch])
                return
            for batch in group:
                batch.error = error

    def _next_group(self) -> list[Batch]:
        with self._queue_lock:
            group = [self._queue.popleft()]
            while self._queue and not self._queue[0].edits:
                group.append(self._queue.popleft())
        return group
