# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who lives here: what a guest, an agent or somebody unknown says or does counts for nobody but themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karma_memory.events import Event, EventKind

TARGET = "household"
"""Of the events that say whether a user lives here."""


class Household:
    """Those who live here: a function of the events that say so. Where nobody is named, everybody counts."""

    def __init__(self) -> None:
        self._members: dict[str, None] = {}

    @property
    def members(self) -> tuple[str, ...]:
        """Those who live here; none where that is not known."""
        return tuple(self._members)

    def counts(self, user: str) -> bool:
        """Whether what somebody says and does may count for others; "" is nobody in particular."""
        return not self._members or user in self._members

    def observe(self, event: Event) -> None:
        """Take in that somebody lives here from now on, or does no more."""
        if event.kind is EventKind.CONFIGURE and event.user and event.target == TARGET:
            self._members.pop(event.user, None)
            if event.text:
                self._members[event.user] = None

    def snapshot(self) -> list[str]:
        """Return the state as JSON."""
        return [*self._members]

    def restore(self, state: Iterable[str]) -> None:
        """Take over a state."""
        self._members = dict.fromkeys(state)

    def changes(self, members: Iterable[str]) -> Iterator[tuple[str, bool]]:
        """Yield whose place has to change, and whether they live here, so that these are all who do."""
        wanted = dict.fromkeys(members)
        yield from ((user, False) for user in self._members if user not in wanted)
        yield from ((user, True) for user in wanted if user not in self._members)
