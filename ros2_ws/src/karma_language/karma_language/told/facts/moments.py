# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Days and times that were told, and how they are said again. "--05-12" where the year doesn't matter."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from karma_language.things import Span
from karma_language.vocabulary.words import MONTHS
from karma_language.zone import local_zone

_VALUE = re.compile(r"(?:(?P<year>\d{4})|-)-(?P<month>\d\d)-(?P<day>\d\d)(?: (?P<at>\d\d:\d\d))?$")


@dataclass(frozen=True)
class Moment:
    """A day, or a time of a day."""

    day: date
    hour: int | None = None
    minute: int = 0
    yearless: bool = False
    """Whether no year was said."""
    said: str = field(default="", compare=False)

    @property
    def span(self) -> Span:
        """Return the day as a stretch of time, or the time as a moment."""
        day = datetime(self.day.year, self.day.month, self.day.day, tzinfo=local_zone())
        start = day + timedelta(hours=self.hour or 0, minutes=self.minute)
        offset = int((start.utcoffset() or timedelta()).total_seconds())
        if self.hour is not None:
            return Span(text=self.said, at=start.timestamp(), offset=offset)
        until = (start + timedelta(days=1)).timestamp()
        return Span(text=self.said, since=start.timestamp(), until=until, offset=offset)


def spoken(value: str) -> str:
    """Return a value for people: "12 May 2026 at 01:40", a day of every year as "12 May"; "yours" for "mine"."""
    if value.casefold() in ("mine", "ours"):
        return "yours"
    match = _VALUE.match(value)
    if match is None or not 1 <= int(match["month"]) <= 12:
        return value
    date_said = f"{int(match['day'])} {MONTHS[int(match['month']) - 1].capitalize()}"
    return date_said + (f" {match['year']}" if match["year"] else "") + (f" at {match['at']}" if match["at"] else "")
