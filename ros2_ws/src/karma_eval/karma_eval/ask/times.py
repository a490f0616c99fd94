# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Times as people name them, and what they mean."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone

HOUR, DAY = 3600.0, 86_400.0
_CLOCKS = ("at {hour} o'clock", "at {hour}:00", "at {hour12} {half}", "at {hour}:30")
_LONG_AGO = (
    ("two months ago", 60),
    ("last year", 365),
    ("three weeks ago", 21),
    ("last month", 30),
    ("a year ago", 365),
)
_TO_COME = (
    ("tomorrow at noon", 17),
    ("tomorrow", 24),
    ("tomorrow morning", 14),
    ("next week", 168),
    ("in two hours", 2),
)
_PARTS = (("morning", 6, 12), ("afternoon", 12, 18), ("evening", 18, 22))


@dataclass(frozen=True)
class Named:
    """A time in words: a moment, or a stretch."""

    text: str
    """As an adverb: "at 10:30", "yesterday morning"."""
    since: float
    until: float

    @property
    def noun(self) -> str:
        """As it is said behind a preposition: "since 10:30"."""
        return self.text.removeprefix("at ").removeprefix("on ")


def moments(now: float, began: float, rng: random.Random) -> Iterator[Named]:
    """Yield times between `began` and `now` (seconds), in random order: moments and stretches."""
    midnight = now - now % DAY
    found = []
    for day in range(3):
        start = midnight - day * DAY
        lead = ("", "yesterday ", datetime.fromtimestamp(start, timezone.utc).strftime("on %A "))[day]
        for hour in range(8, 19):
            for pattern in _CLOCKS:
                if (pattern.startswith("at {hour} ") and hour > 12) or (day and "o'clock" in pattern):
                    continue
                moment = start + hour * HOUR + 1800.0 * pattern.endswith("30")
                text = pattern.format(hour=hour, hour12=(hour - 1) % 12 + 1, half="am" if hour < 12 else "pm")
                if began <= moment <= now - 1800.0:
                    found.append(Named(f"{lead}{text}", moment, moment))
    for hours, words in ((1, "an hour ago"), (2, "two hours ago"), (3, "3 hours ago"), (5, "five hours ago")):
        found.append(Named(words, now - hours * HOUR, now - hours * HOUR))
    found += stretches(now, began)
    rng.shuffle(found)
    return iter(found)


def stretches(now: float, began: float) -> list[Named]:
    """Return the stretches of time that people name, as far as the robot was there all the time."""
    midnight = now - now % DAY
    found = [Named("today", midnight, now), Named("yesterday", midnight - DAY, midnight)]
    for part, first, last in _PARTS:
        if midnight + last * HOUR <= now + 1800.0:
            found.append(Named(f"this {part}", midnight + first * HOUR, midnight + last * HOUR))
        found.append(Named(f"yesterday {part}", midnight - DAY + first * HOUR, midnight - DAY + last * HOUR))
    return [one for one in found if one.until > began and (one.since >= began or one.since + 8 * HOUR > began)]


def near(time: Named) -> Named:
    """Return a stretch with the hours around it that some people count to it: the evening may begin at five."""
    around = 0.0 if time.since == time.until or time.text in ("today", "yesterday") else HOUR
    return replace(time, since=time.since - around, until=time.until + around)


def before_all(now: float, rng: random.Random) -> Named:
    """Return a time before the robot came."""
    text, days = rng.choice(_LONG_AGO)
    return Named(text, now - days * DAY, now - days * DAY)


def to_come(now: float, rng: random.Random) -> Named:
    """Return a time that has not come."""
    text, hours = rng.choice(_TO_COME)
    return Named(text, now + hours * HOUR, now + hours * HOUR)
