# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an open memory does for its users: it keeps what they agreed to, and shows them what that is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karma_memory.events import Event, EventKind
from karma_memory.journal import Journal
from karma_memory.privacy.belongings import of_the_world
from karma_memory.privacy.consent import Consent, consent_event
from karma_memory.privacy.household import TARGET
from karma_memory.state.live import LiveState, new_id
from karma_memory.users.personal_data import held, personal_data

_LATER = (EventKind.SKILL_OUTCOME, EventKind.EPISODE_END)
"""What belongs to an instruction that was begun before."""


class Users:
    """The users of one memory. Thread-safe.

    To erase one, close the memory, call `karma_memory.users.erasure.forget_user`, and open it again: all that it has
    made from the journal is made anew.
    """

    def __init__(self, journal: Journal, live: LiveState, *, assume_consent: bool) -> None:
        """`assume_consent`: what concerns a user is kept unless that user said otherwise."""
        self._journal = journal
        self._live = live
        self._assume_consent = assume_consent

    def set_consent(self, user: str, consent: Consent, stamp: float) -> None:
        """Remember what a user agrees to from now on; what is there already stays. InvalidEventError; JournalError."""
        self._live.commit([consent_event(new_id(), stamp, user, consent)])

    def set_household(self, members: Iterable[str], stamp: float) -> None:
        """Remember who lives here from now on; nobody: everybody counts alike. InvalidEventError; JournalError."""
        with self._live.lock:
            changes = list(self._live.state.household.changes(members))
        events = [
            Event(new_id(), EventKind.CONFIGURE, stamp, user=user, target=TARGET, text="member" if lives_here else "")
            for user, lives_here in changes
        ]
        if events:
            self._live.commit(events)

    def retentions(self) -> dict[str, float]:
        """Return for how long, in seconds, what concerns a user is kept, of those users who set a limit."""
        with self._live.lock:
            return self._live.state.consents.retentions()

    def kept(self, events: Sequence[Event]) -> list[Event | None]:
        """Return of each event what may be kept: all of it, what it says of the world, or nothing.

        What goes on of an instruction that was forgotten meanwhile says something of the world only.
        """
        with self._live.lock:
            consents, episodic = self._live.state.consents, self._live.state.episodic
            begun = {event.episode for event in events if event.kind is EventKind.EPISODE_START}

            def forgotten(event: Event) -> bool:
                unknown = event.episode not in begun and episodic.episode(event.episode) is None
                return event.kind in _LATER and bool(event.user and event.episode) and unknown

            return [
                of_the_world(event, event.id)
                if forgotten(event)
                else consents.kept(event, unless_asked=self._assume_consent)
                for event in events
            ]

    def data(self, user: str, *, pictures: bool = False) -> dict[str, Any]:
        """Return as JSON everything that is kept of a user; see personal_data. ValueError without a user."""
        with self._live.lock:
            last, state = self._live.applied, self._live.state
            records, consent = held(state, user), state.consents.of(user)
        return personal_data(self._journal, last, user, records, consent, pictures=pictures)
