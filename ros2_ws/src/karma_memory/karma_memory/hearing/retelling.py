# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users told again in other words takes the place of what they told before; the journal says so."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from karma_memory.events import Event, EventKind
from karma_memory.journal import JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.profile.paraphrases import Paraphrases
from karma_memory.profile.projected import record_id
from karma_memory.recall.embedder import Embedder, EmbedderError
from karma_memory.state.live import LiveState, new_id

logger = logging.getLogger(__name__)

WAITING = 1000
"""Events that wait until somebody sees whether they say in other words what was known; more are not looked at."""


class Told(NamedTuple):
    """An event in which a user told something."""

    event: str
    user: str
    stamp: float


class Retelling:
    """Knowledge that waits to be compared by meaning with what was known. `note` and `merge` may run at once."""

    def __init__(self, live: LiveState, embedder: Callable[[], Embedder]) -> None:
        self._live = live
        self._embedder = embedder
        self._paraphrases: Paraphrases | None = None
        self.waiting: deque[Told] = deque(maxlen=WAITING)

    def note(self, events: Iterable[Event]) -> bool:
        """Keep what was read of users' words, in events that were observed, until `merge`; return whether any waits."""
        read = (event for event in events if event.kind is EventKind.READING)
        self.waiting.extend(Told(event.target, event.user, event.stamp) for event in read)
        return bool(self.waiting)

    def merge(self) -> None:
        """Compare what waits; it waits on where there is no model."""
        while self.waiting:
            told = self.waiting[0]
            with self._live.lock:
                known = self._live.state.profile.profiles.comparable(told.event)
            try:
                self._paraphrases = self._paraphrases or Paraphrases(self._embedder())
                edits = [_merging(told, older, newer) for older, newer in self._paraphrases.superseded(known)]
                if edits:
                    self._live.commit(edits, checked=False)
            except EmbedderError:  # which the worker has logged
                return
            except (JournalError, BusyError) as error:
                logger.warning("event %s may say in other words what was known: %s", told.event, error)
            self.waiting.popleft()


def _merging(told: Told, older: str, newer: str) -> Event:
    """Return the event by which newer knowledge takes the place of older."""
    target, message = record_id(older), record_id(newer)
    return Event(new_id(), EventKind.EDIT, told.stamp, user=told.user, target=target, message=message)
