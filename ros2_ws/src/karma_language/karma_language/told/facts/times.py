# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Times in English sentences: found, resolved against the moment of speaking, and taken out of the text.

Times are in the local time zone. A day without a year is the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta

from karma_language.phrases.times import MINUTES, NUMBERS
from karma_language.told.facts.moments import Moment
from karma_language.vocabulary.words import DAYS, MONTHS, WEEKDAYS
from karma_language.zone import local_time

_NUMBERS = {**NUMBERS, "a": 1, "an": 1, "a couple of": 2, "a few": 3}

_MONTH = "(?P<month>" + "|".join(f"{m}|{m[:3]}(?![a-z])" for m in MONTHS) + ")"
_NTH = "|".join(sorted(DAYS, key=len, reverse=True))
_NUMBER = r"(?P<n>\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_CLOCK = (
    r"(?P<clock>(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap]\.?m\b\.?)|(?P<hour24>[01]?\d|2[0-3]):(?P<minute24>[0-5]\d)"
    r"|(?P<oclock>\d{1,2}) o'?clock|(?P<noon>noon|midday|midnight))"
)
_BARE = r"(?P<bare>1?\d|2[0-3])(?![\d:.]\d| ?[-/]|\w| (?-i:[A-Z]))"
""""Tomorrow at 9", not "tomorrow at 9 Elm Street"."""
_DATE = "|".join(
    (
        r"(?P<iso>\d{4}-\d{2}-\d{2})",
        rf"(?:the )?(?P<day>\d{{1,2}}|(?:{_NTH})(?= of))(?:st|nd|rd|th)?(?: of)? {_MONTH}\.?(?:,? (?P<year>\d{{4}}))?",
        rf"{_MONTH.replace('month', 'month2')}\.? (?:the )?(?P<day2>\d{{1,2}}|{_NTH})(?:st|nd|rd|th)?\b"
        r"(?:,? (?P<year2>\d{4}))?",
        r"(?P<day3>the \d{1,2}(?:st|nd|rd|th)\b)",
        r"(?P<after>the day after tomorrow)",
        r"(?P<near>today|tonight|tomorrow|yesterday)",
        rf"(?:(?P<which>next|this|coming|the coming) )?(?P<weekday>{'|'.join(WEEKDAYS)})s?\b",
        rf"(?:in|within) {_NUMBER} (?P<unit>day|week|month|year)s?(?:'s? time)?",
        r"(?P<span>(?:this|next|the coming|the next|the end of (?:this|the|next)) (?:weekend|week|month|year))",
    )
)
_PART = r"(?: (?:in the )?(?P<part>morning|noon|afternoon|evening|night))?"
_SPOKEN = re.compile(
    r"\b(?P<lead>on|by|until|till|up to|through|from|since|for|at|in|before|of)?\s*"
    rf"\b(?:(?:{_DATE}){_PART}(?:,? (?:at |around |from )?{_CLOCK}|,? at {_BARE})?"
    rf"|(?:at |around )?{_CLOCK.replace('(?P<', '(?P<b_')}(?: on)? (?:{_DATE.replace('(?P<', '(?P<b_')}))(?!\w)",
    re.IGNORECASE,
)
_LASTING = re.compile(rf"\bfor (?:the next |another |about )?{_NUMBER} (?P<unit>day|week|month)s?\b", re.IGNORECASE)
_HOURS = "|".join(NUMBERS)
_CLOCK_ALONE = re.compile(rf"\b(?P<lead>at|until|till|from|by|for)\s+{_CLOCK}", re.IGNORECASE)
_BARE_ALONE = re.compile(
    rf"\b(?P<lead>at|until|till|by)\s+(?:(?P<part>{'|'.join(sorted(MINUTES, key=len, reverse=True))})"
    r"(?: minutes)? (?P<of>past|to) )?"
    rf"(?P<bare>\d{{1,2}}|{'|'.join(NUMBERS)})"
    r"(?=\s*(?:$|[,;.!]|(?:and|or|so|sharp|to(?! (?:\d|" + _HOURS + r")\b)|today|because|before|after|with)\b))",
    re.IGNORECASE,
)
""""At 8", of what there is to do: in other words it may be a number of anything."""
_WAKING = 7
"""Hour from which on a time without "am" or "pm" may be in the morning."""
_PARTS = {"morning": 9, "noon": 12, "afternoon": 15, "evening": 19, "night": 21}


@dataclass(frozen=True)
class SpokenTime:
    """A time and the preposition before it: "until Friday" says something else than "on Friday"."""

    moment: Moment
    lead: str

    @property
    def is_end(self) -> bool:
        """Whether something holds until then."""
        return self.lead in ("until", "till", "up to", "through", "lasting")


def mark_times(text: str, now: float, *, to_come: bool = False) -> tuple[str, list[SpokenTime]]:
    """Return the text with each time replaced by " @0 ", " @1 ", …, and the times. `now`: seconds, when it was said.

    `to_come`: of what there is to do, "at 8" is a time, too: the next that a clock shows so.
    """
    today = local_time(now).date()
    found: list[SpokenTime] = []

    def put(spoken: SpokenTime) -> str:
        found.append(spoken)
        return f" @{len(found) - 1} "

    def lasting(match: re.Match[str]) -> str:
        return put(SpokenTime(Moment(_later(today, match), said=match[0].strip(" .")), "lasting"))

    def spoken(match: re.Match[str]) -> str:
        moment = _moment(match, today)
        if moment is None:
            return match.group(0)
        lead = (match.group("lead") or "").lower()
        kept = f"{match.group('lead')} " if lead == "of" else ""
        return kept + put(SpokenTime(replace(moment, said=match[0].strip(" .")), lead))

    def clock(match: re.Match[str]) -> str:
        hour, minute = _clock(match.groupdict().get)
        if hour is None or hour > 23:
            return match.group(0)
        return put(SpokenTime(Moment(today, hour, minute, said=match[0].strip(" .")), match.group("lead").lower()))

    def bare(match: re.Match[str]) -> str:
        word = match.group("bare").lower()
        hour = int(word) if word.isdigit() else NUMBERS[word]
        if not 0 < hour <= 12:
            return match.group(0)
        minutes = MINUTES.get((match.group("part") or "").lower(), 0)
        minutes = -minutes if (match.group("of") or "").lower() == "to" else minutes
        return put(SpokenTime(_next_clock(hour, now, match[0].strip(" ."), minutes), match.group("lead").lower()))

    for pattern, function in ((_LASTING, lasting), (_SPOKEN, spoken), (_CLOCK_ALONE, clock)):
        text = pattern.sub(function, text)
    return (_BARE_ALONE.sub(bare, text) if to_come else text), found


def _next_clock(hour: int, now: float, said: str, minutes: int) -> Moment:
    """Return when a clock shows an hour from 1 to 12, and minutes past or to it, next; nobody means 3 at night."""
    time = local_time(now)
    passed = time.hour * 60 + time.minute
    ahead = next(at for at in range(hour * 60 + minutes, 48 * 60, 12 * 60) if at // 60 % 24 >= _WAKING and at > passed)
    return Moment(time.date() + timedelta(days=ahead // 1440), ahead // 60 % 24, ahead % 60, said=said)


def _later(today: date, match: re.Match[str]) -> date:
    n = match.group("n").lower()
    number = int(n) if n.isdigit() else _NUMBERS[n]
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[match.group("unit").lower()]
    return today + timedelta(days=number * days)


def _moment(match: re.Match[str], today: date) -> Moment | None:
    prefix = "b_" if match.group("b_clock") else ""

    def group(name: str) -> str | None:
        value = match.groupdict().get(prefix + name)
        return None if value is None else str(value).lower()

    moment = _day(group, today)
    if moment is None:
        return None
    hour, minute = _clock(group)
    if hour is None and not prefix and (part := group("part")):
        hour = _PARTS[part]
    if hour is None and group("near") == "tonight":
        hour = _PARTS["evening"]
    if hour is not None and hour > 23:
        return None
    return replace(moment, hour=hour, minute=minute)


def _day(group: Callable[[str], str | None], today: date) -> Moment | None:
    """Return the day of a match, None when there is no such day (30 February)."""
    try:
        if iso := group("iso"):
            return Moment(date.fromisoformat(iso))
        for suffix in ("", "2"):
            if (day := group(f"day{suffix}")) and (month := group(f"month{suffix}")):
                number = next(i for i, name in enumerate(MONTHS, 1) if name.startswith(month[:3]))
                nth = DAYS.get(day) or int(day)
                year = group(f"year{suffix}")
                if year:
                    return Moment(date(int(year), number, nth))
                return Moment(_next_yearly(number, nth, today), yearless=True)
        if day := group("day3"):
            return Moment(_next_monthly(int("".join(c for c in day if c.isdigit())), today))
    except ValueError:
        return None
    if group("after"):
        return Moment(today + timedelta(days=2))
    if near := group("near"):
        return Moment(today + timedelta(days={"tomorrow": 1, "yesterday": -1}.get(near, 0)))
    if weekday := group("weekday"):
        ahead = (WEEKDAYS.index(weekday) - today.weekday()) % 7
        return Moment(today + timedelta(days=ahead or 7))
    if n := group("n"):
        number = int(n) if n.isdigit() else _NUMBERS[n]
        days = {"day": 1, "week": 7, "month": 30, "year": 365}[group("unit") or "day"]
        return Moment(today + timedelta(days=number * days))
    if span := group("span"):
        return Moment(_end_of(span, today))
    return None


def _next_yearly(month: int, day: int, today: date) -> date:
    for year in range(today.year, today.year + 8):  # 29 February
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found >= today:
            return found
    raise ValueError(f"there is no day {day} in month {month}")


def _next_monthly(day: int, today: date) -> date:
    first = today.replace(day=1)
    for _ in range(4):
        with suppress(ValueError):
            if (found := first.replace(day=day)) >= today:
                return found
        first = (first + timedelta(days=32)).replace(day=1)
    raise ValueError(f"no month has a day {day}")


def _end_of(span: str, today: date) -> date:
    """Return the last day of "this week", "next month", "the end of the month"."""
    after = "next" in span.split()
    unit = span.split()[-1]
    if unit in ("week", "weekend"):
        return today + timedelta(days=6 - today.weekday() + 7 * after)
    if unit == "year":
        return date(today.year + after, 12, 31)
    first = today.replace(day=1)
    for _ in range(1 + after):
        first = (first + timedelta(days=32)).replace(day=1)
    return first - timedelta(days=1)


def _clock(group: Callable[[str], str | None]) -> tuple[int | None, int]:
    if hour := group("hour"):
        half = (group("half") or "").lower()
        return int(hour) % 12 + (12 if half.startswith("p") else 0), int(group("minute") or 0)
    if hour := group("hour24"):
        return int(hour), int(group("minute24") or 0)
    if hour := group("oclock"):
        return int(hour) + (12 if int(hour) < 7 else 0), 0  # in a home, three o'clock is in the afternoon
    if hour := group("bare"):
        return int(hour) + (12 if int(hour) < 7 else 0), 0
    if noon := group("noon"):
        return (0 if noon.lower() == "midnight" else 12), 0
    return None, 0
