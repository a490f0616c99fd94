# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an open memory shows to people who look on."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

from karma_memory.browsing.events import EventQuery, Happened, happened, known_since
from karma_memory.browsing.records import Browsed, browse
from karma_memory.episodic.episodes import KIND as EPISODIC
from karma_memory.events import Event
from karma_memory.journal import CompactedError, Entry, Journal
from karma_memory.privacy.belongings import events_of
from karma_memory.recall.query import Query
from karma_memory.scene import check_range, check_stamp
from karma_memory.short_term.memory import Contents
from karma_memory.state.history import History
from karma_memory.state.live import LiveState


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
            query = state.permitted(query)
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
        """Return whose an event is (see Belongings), "" for nobody's, None where it is not shown."""
        said = self._first_said(event)
        kind, _, changed = said.target.partition(":")
        instruction = said.episode or (changed if kind == EPISODIC else "")
        with self._live.lock:
            state = self._live.state
            whose = said.user
            if instruction and not whose:
                episode = state.episodic.episode(instruction)
                if episode is None and not state.consents.all_agree:
                    return None  # it was forgotten, and nobody knows whose it was
                whose = episode.user if episode is not None else ""
            return whose if state.may_use(whose) else None

    def _first_said(self, event: Event) -> Event:
        """Return what made the record that an event without a name changes; any other event itself."""
        before = math.inf
        while not (event.user or event.episode) and (entry := self._maker(event.target)) and entry.sequence < before:
            event, before = entry.event, entry.sequence
        return event

    def _maker(self, record_id: str) -> Entry | None:
        """Return the event that a record is called after; None for what the robot saw, which is nobody's."""
        for event_id in events_of(record_id):
            with suppress(CompactedError):  # what people said always has its content
                if (entry := self._journal.find(event_id)) is not None:
                    return entry
        return None
