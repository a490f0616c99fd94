# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What happened: events of the journal, read from where they are asked for, and no more of them than are wanted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from karma_memory.encoding import dumps
from karma_memory.events import OWN_KINDS, Event, EventKind
from karma_memory.journal import Entry, Journal
from karma_memory.journal.compacted import is_stub
from karma_memory.journal.transaction import decode_row
from karma_memory.scene import MAX_STAMP, InvalidEventError, check_id, check_range, check_stamp

KINDS = frozenset(EventKind) - {*OWN_KINDS, EventKind.READING}
"""Events that are shown; the others are the memory's own notes."""
USUAL_EVENTS = 500
MAX_EVENTS = 5000
"""Events of a page, where nothing else is asked for, and most of them."""
MOST_BYTES = 32 << 20
"""Of the events of a page and their pictures; the first one may be larger."""


@dataclass(frozen=True)
class EventQuery:
    """Which events are asked for; see karma_interfaces/GetEvents. Malformed ones raise InvalidEventError."""

    since: float = 0.0
    until: float = MAX_STAMP
    """Only what happened from then to then, seconds."""
    after: int = 0
    """Only events after this sequence."""
    kinds: frozenset[EventKind] = frozenset()
    """Empty: all of KINDS."""
    user: str = ""
    """Only what carries this name, and what carries none and belongs to an instruction of theirs or changes what they
    said; empty: all."""
    newest: bool = False
    """Of more than fit the newest, not the oldest."""
    whole: bool = False
    """With nodes, edges and pictures."""
    limit: int = USUAL_EVENTS

    def __post_init__(self) -> None:
        for name in ("since", "until"):
            object.__setattr__(self, name, check_stamp(name, getattr(self, name)))
        if self.until < self.since:
            raise InvalidEventError(f"until ({self.until:.3f} s) is before since ({self.since:.3f} s); exchange them")
        check_range("after", self.after, 0, math.inf)
        if refused := self.kinds - KINDS:
            shown = ", ".join(f"{kind.value} ({kind.name})" for kind in sorted(KINDS))
            raise InvalidEventError(
                f"events of kind {min(refused)} are unknown, or the memory's own notes; ask for {shown}"
            )
        object.__setattr__(self, "kinds", frozenset(map(EventKind, self.kinds)) or KINDS)
        check_id("user", self.user, empty=True)
        check_range("limit", self.limit, 1, MAX_EVENTS)

    @property
    def marks(self) -> tuple[tuple[str, ...], ...]:
        """What the canonical JSON of these events has, of each list one: so that the others need not be parsed."""
        kinds = tuple(f'"kind":"{kind.name}"' for kind in sorted(self.kinds))
        whose = (f'"user":{dumps(self.user)}', '"episode":"', '"target":"') if self.user else ()
        return tuple(filter(None, (kinds if self.kinds != KINDS else (), whose)))


@dataclass(frozen=True)
class Happened:
    """A page of what happened."""

    entries: tuple[Entry, ...]
    """In the journal's order."""
    last: int
    """Sequence of the newest event that was looked at."""


def happened(journal: Journal, query: EventQuery, last: int, owner: Callable[[Event], str | None]) -> Happened:
    """Return events up to the sequence `last`; `owner` says whose one is, "" for nobody's, None where it is not shown.

    Events whose content was dropped are left out. CorruptJournalError; JournalError.
    """
    entries: list[Entry] = []
    size, full = 0, False
    for row in journal.rows_within(
        query.after, last, since=query.since, before=query.until, marks=query.marks, newest=query.newest
    ):
        if is_stub(row.body):
            continue
        event = decode_row(journal.location, row.sequence, row.body, bare=not query.whole)
        whose = owner(event)
        if whose is None or event.kind not in query.kinds or query.user not in ("", whose):
            continue
        event = journal.with_picture(event)
        size += len(row.body) + (len(event.image.data) if event.image is not None else 0)
        if entries and size > MOST_BYTES:
            full = True
        else:
            entries.append(Entry(row.sequence, event))
            full = len(entries) == query.limit
        if full:
            break
    if query.newest:
        entries.reverse()
    return Happened(tuple(entries), entries[-1].sequence if full and not query.newest else last)


def known_since(journal: Journal) -> float:
    """Return since when the past is known event by event, seconds: the horizon, or when the first thing happened."""
    horizon = journal.horizon()
    if horizon.sequence:
        return horizon.stamp
    before = journal.sequence_at(0.0, 0)  # the memory's own first notes, of no time
    return next((row.stamp for row in journal.rows(before, before + 1)), 0.0)
