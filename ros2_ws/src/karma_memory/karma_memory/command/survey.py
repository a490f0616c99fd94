# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is in a journal, whether it is whole, how it grows, and what to do about it. The journal stays as it is."""

from __future__ import annotations

import math
import shlex
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from karma_memory.events import OWN_KINDS, EventKind
from karma_memory.journal.errors import JournalError
from karma_memory.journal.opening import is_database, open_journal, postgres_module
from karma_memory.journal.schema import SCHEMA_VERSION
from karma_memory.journal.store import Journal

DAY_S, YEAR_S = 86_400.0, 365 * 86_400.0
SHORTEST_S = DAY_S
"""Of a life from which a year is foreseen."""
MUCH = 1e9
"""Bytes in a year from which on a journal is worth compacting."""


@dataclass(frozen=True)
class Survey:
    """What was found."""

    location: str
    uuid: str
    schema: int
    newest_schema: int
    """What this karma_memory brings a journal to when a memory server opens it."""
    size_bytes: int
    events: int
    kinds: dict[str, int]
    """Kind → events with their content, most first."""
    users: dict[str, int]
    scenes: dict[str, int]
    """Name → events, most first."""
    first: float | None
    last: float | None
    """Seconds, the robot's clock; of events that are not the memory's own."""
    pictures: int
    picture_bytes: int
    compacted: int
    """Events that lost their content."""
    horizon: int
    """The last event that may have lost it."""

    @property
    def year_bytes(self) -> float | None:
        """How big it will be a year from now, if it goes on as it did; None where it has lived less than a day.

        The pace is that of the events with content, between the first and the last of them. Each costs what one does
        now, on average: their rows and their pictures.
        """
        if self.first is None or self.last is None or self.last - self.first < SHORTEST_S or not self.events:
            return None
        new = sum(self.kinds.values()) * YEAR_S / (self.last - self.first)
        return self.size_bytes + new * self.size_bytes / self.events

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {**asdict(self), "year_bytes": self.year_bytes, "advice": self.advice()}

    def advice(self) -> list[str]:
        """Return what to do, in sentences; a journal that was surveyed is whole."""
        said = []
        if self.schema < self.newest_schema:
            said.append(
                f"The next memory server that opens it brings it from schema {self.schema} to {self.newest_schema}, "
                "which older versions can't read: make a backup first."
            )
        year, place = self.year_bytes, shlex.quote(self.location)
        if year is not None and year > MUCH:
            said.append(
                f"It grows fast: python3 -m karma_memory.command compact {place} 90d keeps what is known, not how it "
                "came to be known more than 90 days ago; the memory server's past_period does it by itself."
            )
        if (
            year is not None
            and not is_database(self.location)
            and year - self.size_bytes > (free := shutil.disk_usage(self.location).free)
        ):
            said.append(
                f"The disk has {free / 1e9:.3g} GB left, less than it grows in a year: make room, or compact it."
            )
        if self.users:
            said.append(
                "What people said is kept until they want otherwise: ./karma memory consent --user NAME --days N"
            )
        if not is_database(self.location):
            said.append(f"Keep a copy elsewhere: ./karma memory backup FILE --database {place}")
        return said


def survey(
    journal: Journal, *, whole: bool = False, progress: Callable[[int, int], None] = lambda done, of: None
) -> Survey:
    """Read a journal from its beginning. With `whole`, check all of it, too: CorruptJournalError where it is not."""
    if whole:
        journal.verify()
    kinds: Counter[str] = Counter()
    users: Counter[str] = Counter()
    scenes: Counter[str] = Counter()
    pictures: dict[str, int] = {}
    first, last, events = math.inf, -math.inf, journal.last_sequence
    for entry in journal.read(0, events, skip_compacted=True):
        event = entry.event
        kinds[event.kind.name] += 1
        users[event.user] += 1
        scenes[event.scene] += 1
        if event.kind < EventKind.ACCESS:  # the memory's own events say little about when things happened
            first, last = min(first, event.stamp), max(last, event.stamp)
        if event.image is not None and event.image.sha256 not in pictures:
            pictures[event.image.sha256] = len(journal.image(event.image.sha256) or b"") if whole else 0
        progress(entry.sequence, events)
    known = first <= last
    return Survey(
        location=journal.location,
        uuid=journal.uuid,
        schema=journal.schema_version,
        newest_schema=postgres_module("postgres_schema").VERSION if is_database(journal.location) else SCHEMA_VERSION,
        size_bytes=journal.size_bytes,
        events=events,
        kinds=dict(kinds.most_common()),
        users={name: number for name, number in users.most_common() if name},
        scenes={name: number for name, number in scenes.most_common() if name},
        first=first if known else None,
        last=last if known else None,
        pictures=len(pictures),
        picture_bytes=sum(pictures.values()),
        compacted=events - kinds.total(),
        horizon=journal.horizon().sequence,
    )


def memories_below(folder: Path) -> list[Path]:
    """Return the files of the memories below a folder in which something happened, and of those that can't be read.

    One that a graph left which never worked, as in a scene that was not there, has its server's settings only.
    """
    return sorted(filter(_lived, folder.expanduser().rglob("*.sqlite3")))


def _lived(path: Path) -> bool:
    try:
        with open_journal(path, verify=False, read_only=True) as journal:
            events = (entry.event for entry in journal.read(skip_compacted=True))
            return journal.horizon().sequence > 0 or any(event.user or event.kind not in OWN_KINDS for event in events)
    except (JournalError, OSError):
        return True
