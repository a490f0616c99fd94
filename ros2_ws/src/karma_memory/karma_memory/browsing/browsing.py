# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an open memory shows to people who look on."""

from __future__ import annotations

import math
from dataclasses import replace

from karma_memory.browsing.events import EventQuery, Happened, happened, known_since
from karma_memory.browsing.records import Browsed, browse
from karma_memory.events import Event
from karma_memory.history import History
from karma_memory.journal import Journal
from karma_memory.live import LiveState
from karma_memory.recall.query import Query
from karma_memory.scene import check_range, check_stamp
from karma_memory.short_term.memory import Contents


class Browsing:
    """Looks at one memory and changes nothing. Thread-safe.

    What is kept of a user who withdrew their consent is shown to nobody here; Users.data shows it to them.
    """

    def __init__(self, journal: Journal, history: History, live: LiveState) -> None:
        self._journal = journal
        self._history = history
        self._live = live

    def records(self, query: Query, offset: int = 0) -> Browsed:
        """Return a page of what the memories hold, now or at `query.at`; see `browse`.

        InvalidEventError; PastUnknownError for a time before the horizon; BusyError when others ask about the past.
        """
        check_range("offset", offset, 0, math.inf)
        with self._live.lock:
            state = self._live.state
            if query.user and not state.may_use(query.user):
                query = replace(query, user="")
            if query.at is None:
                return browse(state, query, offset)
        with self._history.at(query.at, self._live.applied) as past:
            return browse(past, query, offset)

    def events(self, query: EventQuery) -> Happened:
        """Return events that the memories know of; see `happened`. CorruptJournalError; JournalError."""
        return happened(self._journal, query, self._live.applied, self._owner)

    def span(self) -> tuple[float, float]:
        """Return since when it can be asked what was known, and when the newest event happened, seconds."""
        return known_since(self._journal), self._live.clock

    def short_term(self, at: float | None = None) -> Contents:
        """Return what short-term memory holds, or held at `at`, seconds; what happened since the start is of now only.

        InvalidEventError; PastUnknownError for a time before the horizon; BusyError when others ask about the past.
        """
        if at is None:
            with self._live.lock:
                return self._live.state.short_term.contents()
        with self._history.at(check_stamp("at", at), self._live.applied) as past:
            return replace(past.short_term.contents(), lookups=0, hits=0, evictions=0, evicted=())

    def short_term_version(self) -> tuple[int, int]:
        """Return what is the same while the contents of short-term memory are."""
        with self._live.lock:
            return self._live.applied, self._live.state.short_term.counters.lookups

    def _owner(self, event: Event) -> str | None:
        with self._live.lock:
            state = self._live.state
            episode = state.episodic.episode(event.episode) if event.episode and not event.user else None
            whose = event.user or (episode.user if episode is not None else "")
            return whose if state.may_use(whose) else None
