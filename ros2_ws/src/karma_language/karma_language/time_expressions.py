# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""When a question is about: "this morning", "yesterday at eight", "in the last hour", "since I left" (no: not a time).

Times are resolved against the moment of speaking, in the robot's zone.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo

from karma_language.reading import Span

_NUMBERS = {
    **{
        word: number
        for number, word in enumerate(
            ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
        )
    },
    **{"a": 1, "an": 1, "half an": 0.5, "a couple of": 2, "a few": 3, "several": 5},
}
_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0, "month": 2592000.0}
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_PARTS = {
    "morning": (5, 12),
    "noon": (11, 14),
    "lunchtime": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (21, 24),
    "breakfast": (6, 10),
    "lunch": (11, 14),
    "dinner": (17, 21),
}
_NUMBER = r"(?P<n>\d+(?:\.\d+)?|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_UNIT = rf"(?P<unit>{'|'.join(_UNITS)})s?"
_PART = rf"(?P<part>{'|'.join(_PARTS)})"
_CLOCK = (
    r"(?P<hour>\d{1,2}|" + "|".join(list(_NUMBERS)[:12]) + r")(?:[:.](?P<minute>[0-5]\d))?\s*"
    r"(?P<half>[ap]\.?m\b\.?|o['’]?clock|in the (?:morning|afternoon|evening))?"
)
_PATTERNS = tuple(
    (name, re.compile(rf"(?<![\w<]){pattern}(?!\w)", re.IGNORECASE))
    for name, pattern in (
        ("ago", rf"(?:about |around |some )?{_NUMBER} {_UNIT} ago"),
        ("lasting", rf"(?:in|for|over|during|within) the (?:last|past) (?:{_NUMBER} )?{_UNIT}"),
        ("lasting", rf"the (?:last|past) (?:{_NUMBER} )?{_UNIT}"),
        (
            "day",
            rf"(?P<lead>since |before |until |by |after )?(?P<day>yesterday|today|tonight|last night)(?: (?:in the )?{_PART})?(?:,? at (?:about |around )?{_CLOCK})?",
        ),
        (
            "day",
            rf"(?P<lead>since |before |until |by |after )?this {_PART}(?P<day>)?(?P<hour>)?(?P<minute>)?(?P<half>)?",
        ),
        (
            "weekday",
            rf"(?P<lead>since |before |until |by |after |on )?(?:last )?(?P<weekday>{'|'.join(_DAYS)})(?: {_PART})?(?:,? at (?:about |around )?{_CLOCK})?",
        ),
        ("week", r"(?P<lead>since )?(?P<week>this|last) week"),
        ("clock", rf"(?P<lead>at|since|before|after|until|by|around|about) {_CLOCK}"),
        ("part", rf"(?P<lead>since|before|after|at|in the|during) {_PART}"),
        ("now", r"(?P<now>just now|right now|now|at the moment|currently|a moment ago|recently|lately)"),
    )
)


def take_time(text: str, now: float, zone: tzinfo) -> tuple[str, Span | None]:
    """Return the text without the time that it names, and the time; None for none. `now`: seconds, when it was said."""
    for name, pattern in _PATTERNS:
        match = pattern.search(text)
        if match is None:
            continue
        span = _span(name, match, now, zone)
        if span is not None:
            rest = f"{text[: match.start()]} {text[match.end() :]}"
            return re.sub(r"\s+([?.!,])", r"\1", " ".join(rest.split())), span
    return text, None


def _span(name: str, match: re.Match[str], now: float, zone: tzinfo) -> Span | None:
    said, group = match[0].strip(), match.groupdict()
    if name == "now":
        recent = said.casefold() in ("recently", "lately")
        return Span(text=said, since=now - (3 if recent else 0) * 86400.0 - 600.0, until=now)
    if name == "ago":
        return Span(text=said, at=now - _seconds(group))
    if name == "lasting":
        return Span(text=said, since=now - _seconds(group), until=now)
    today = datetime.fromtimestamp(now, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    day = _day(group, today)
    if name == "week":
        monday = today - timedelta(days=today.weekday())
        begin = monday - timedelta(days=7 * (group["week"].casefold() == "last"))
        return _led(group.get("lead"), said, begin, begin + timedelta(days=7), now)
    if group.get("hour"):
        return _at(group, said, day, now)
    begin, end = day, day + timedelta(days=1)
    part = (group.get("part") or "").casefold() or {"last night": "night", "tonight": "evening"}.get(
        (group.get("day") or "").casefold(), ""
    )
    if part:
        first, last = _PARTS[part]
        begin, end = day + timedelta(hours=first), day + timedelta(hours=last)
        if part == "night":
            end = day + timedelta(hours=30)
    return _led(group.get("lead"), said, begin, end, now)


def _day(group: dict[str, str | None], today: datetime) -> datetime:
    named = (group.get("day") or "").casefold()
    if named in ("yesterday", "last night"):
        return today - timedelta(days=1)
    if weekday := group.get("weekday"):
        back = (today.weekday() - _DAYS.index(weekday.casefold())) % 7
        return today - timedelta(days=back or 7)
    return today


def _at(group: dict[str, str | None], said: str, day: datetime, now: float) -> Span | None:
    """Return a time of the clock: of the half of the day that was last, where it is not said."""
    word = (group["hour"] or "").casefold()
    hour = int(word) if word.isdigit() else int(_NUMBERS[word])
    half = (group.get("half") or "").casefold()
    if hour > 24:
        return None
    if (
        half.startswith("p")
        or "afternoon" in half
        or "evening" in half
        or (group.get("part") in ("evening", "afternoon", "night"))
    ):
        hour = hour % 12 + 12
    elif half.startswith("a") or "morning" in half or group.get("part") == "morning":
        hour %= 12
    moment = day + timedelta(hours=hour, minutes=int(group.get("minute") or 0))
    if (
        not half
        and not group.get("part")
        and hour < 12
        and (moment + timedelta(hours=12)).timestamp() <= now
        and hour < 7
    ):
        moment += timedelta(hours=12)
    if moment.timestamp() > now and not (group.get("day") or group.get("weekday")):
        moment -= timedelta(days=1)
    lead = (group.get("lead") or "").strip().casefold()
    stamp = moment.timestamp()
    if lead in ("since", "after"):
        return Span(text=said, since=stamp, until=now)
    if lead in ("before", "until", "by"):
        return Span(text=said, until=stamp)
    return Span(text=said, at=stamp)


def _led(lead: str | None, said: str, begin: datetime, end: datetime, now: float) -> Span:
    word = (lead or "").strip().casefold()
    if word in ("since",):
        return Span(text=said, since=begin.timestamp(), until=now)
    if word == "after":
        return Span(text=said, since=end.timestamp(), until=now)
    if word in ("before", "until", "by"):
        return Span(text=said, until=begin.timestamp())
    return Span(text=said, since=begin.timestamp(), until=min(end.timestamp(), max(now, begin.timestamp())))


def _seconds(group: dict[str, str | None]) -> float:
    word = (group.get("n") or "one").casefold()
    number = _NUMBERS.get(word)
    return (float(word) if number is None else float(number)) * _UNITS[(group["unit"] or "").casefold()]
