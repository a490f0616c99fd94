# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""When a question is about: "this morning", "yesterday at eight", "in the last hour", "before lunch", "on 3 May".

Times are resolved against the moment of speaking, in the local time zone. Of the time to come, only that it is is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from karma_language.things import Span
from karma_language.vocabulary.words import DAYS, MONTHS, WEEKDAYS, each
from karma_language.zone import local_time

_ONES = each("one two three four five six seven eight nine ten eleven twelve thirteen fourteen")
NUMBERS = {word: number for number, word in enumerate(_ONES, 1)}
"""The numbers that people say as words, as far as they are common at home."""
_AMOUNTS = {
    **NUMBERS,
    **{
        "half an": 0.5,
        "a quarter of an": 0.25,
        "quarter of an": 0.25,
        "three quarters of an": 0.75,
        "a couple of": 2,
        "a couple": 2,
        "a few": 3,
        "several": 5,
        "a": 1,
        "an": 1,
    },
}
_UNITS = {
    "second": 1.0,
    "sec": 1.0,
    "minute": 60.0,
    "min": 60.0,
    "hour": 3600.0,
    "hr": 3600.0,
    "day": 86400.0,
    "week": 604800.0,
    "month": 2592000.0,
    "year": 31557600.0,
}
_FEASTS = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "new year's": (1, 1),
    "new year": (1, 1),
    "valentine's day": (2, 14),
    "halloween": (10, 31),
}
"""Days with a name → month, day."""
MINUTES = {"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_PARTS = {
    "morning": (5, 12),
    "noon": (12, 13),
    "lunchtime": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (21, 30),
    "breakfast": (6, 10),
    "lunch": (11, 14),
    "dinner": (17, 21),
    "midnight": (0, 1),
    "day": (0, 24),
}
"""Part of a day → the hours at which it begins and ends, from midnight."""
_MOMENTS = {"noon": "at 12:00", "midnight": "at 0:00"}
_NOW = ("now", "right now", "at the moment", "currently")
_ISO_DATE = re.compile(r"[\dW-]+")
_DAY_NAMED = {"day", "weekday", "date", "feast"}
_LEADS = "since|before|after|until|till|by|from"


def _any(words: Iterable[str]) -> str:
    """Return a pattern for any of some words, the longest first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


_LEAD = rf"(?:(?P<from>{_LEADS}) |(?:on|at|in|during|over) )?(?:about |around |the )?"
_AMOUNT = rf"(?P<amount>\d+(?:\.\d+)?|{_any(_AMOUNTS)})"
_UNIT = rf"(?P<unit>{_any(_UNITS)})s?"
_PART = rf"(?P<part>{_any(_PARTS)})"
_PAST = rf"(?P<past>(?:{_any(MINUTES)}|\d{{1,2}}) (?:past|to))"
_HALF = r"(?P<half>[ap]\.?m\b\.?|o'?clock|(?:in the|this) (?:morning|afternoon|evening)|at night)"
_CLOCK = rf"(?:{_PAST} )?(?P<hour>\d{{1,2}}|{_any(NUMBERS)})(?:[:.](?P<minute>[0-5]\d))?(?: ?{_HALF})?"
_AT_CLOCK = rf"(?:,? (?:at |around |about )+{_CLOCK})?"
_NAMED_DAY = r"(?P<day>the day before yesterday|yesterday|today|tonight|last night|the other day)"
_WEEKDAY = rf"(?:last |this )?(?P<weekday>{_any(WEEKDAYS)})"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_DAY_OF = rf"(?:{_NTH} (?:of )?|{_any(DAYS)} of ){_any(MONTHS)}|{_any(MONTHS)} (?:the )?(?:{_NTH}|{_any(DAYS)})"
_FEAST = rf"(?:last )?(?P<feast>{_any(_FEASTS)})(?: day\b)?"
_DATE = rf"(?:(?P<date>{_DAY_OF})|{_FEAST})"
WEEKDAY = rf"\b{_any(WEEKDAYS)}s?\b"
ORDINAL = r"\b\d{1,2}(?:st|nd|rd|th)\b"
DATE = rf"\b(?:{_DAY_OF})\b"
TIME_OF_DAY = (
    rf"\b(?:{_any(MINUTES)} (?:past|to) {_any(NUMBERS)}|\d{{1,2}}[:.][0-5]\d(?: ?[ap]\.?m\b)?|\d{{1,2}} ?[ap]\.?m\b"
    rf"|(?:\d{{1,2}}|{_any(NUMBERS)}) o'?clock|(?:(?<=\bat )|(?<=\bby )|(?<=\buntil )|(?<=\bbefore )|(?<=\bafter ))"
    rf"(?:\d{{1,2}}|{_any(NUMBERS)})\b)(?: (?:in the|this) (?:morning|afternoon|evening)| at night)?"
)
"""Patterns of times as people tell them, wherever they stand."""
_PATTERNS = tuple(
    re.compile(rf"(?<![\w<]){pattern}(?!\w)", re.IGNORECASE)
    for pattern in (
        rf"(?P<coming>tomorrow(?: {_PART})?|next (?:week|month|year|{_any(WEEKDAYS)}))",
        rf"(?:(?P<lead>since|from|until|before) )?(?:about |around |some )?{_AMOUNT} {_UNIT} ago",
        rf"(?:(?:in|for|over|during|within) )?the (?P<lasting>last|past) (?:{_AMOUNT} )?{_UNIT}(?P<more> and a half)?",
        rf"(?:{_NAMED_DAY} |(?:on )?{_WEEKDAY} )?between (?P<between>{_CLOCK})"
        rf" and (?P<and>[0-9]{{1,2}}|{_any(NUMBERS)})(?: ?[ap]\.?m\b\.?| o'?clock)?",
        rf"(?:(?:(?P<lead>{_LEADS}) )?{_NAMED_DAY}|{_LEAD}(?:{_WEEKDAY}|{_DATE}))"
        rf"(?:,? (?:in the |at )?{_PART})?{_AT_CLOCK}",
        rf"(?:(?P<lead>{_LEADS})|at|around|about) {_CLOCK}(?:,? (?:{_NAMED_DAY}|on {_WEEKDAY}))?",
        rf"(?:(?P<lead>{_LEADS}) )?(?:earlier this|this|all|the whole) {_PART}",
        r"(?:(?P<lead>since|before) |over |at |during )?(?P<which>this|last|the(?= weekend)) "
        r"(?P<period>weekend|week|month|year)",
        rf"(?:(?P<lead>{_LEADS}) |in |during )(?:(?P<month>{_any(MONTHS)})(?: (?:of )?(?P<year>(?:19|20)\d\d))?"
        r"|(?:the year )?(?P<year_alone>(?:19|20)\d\d))",
        rf"(?:(?P<lead>{_LEADS}) |at |in |during )(?:the )?(?!day){_PART}",
        r"(?P<now>just now|right now|now|at the moment|currently|a moment ago|a while ago|recently|lately"
        r"|these days|earlier)",
    )
)
_CLAUSE = re.compile(
    r"(?<=\w)(?: ?,)? (?:while|when|whilst|since|before|after|until)"
    r" (?!<|did |does |do |is |are |was |were |has |have |had )[^?.!]+",
    re.IGNORECASE,
)
_RECENT = {"recently": 3, "lately": 3, "these days": 3, "a while ago": 1, "earlier": 1}
"""Words for a stretch of time up to now → how many days they go back."""


def take_time(text: str, now: float) -> tuple[str, Span | None]:
    """Return the text without the time that it names, and the time; None for none. `now`: seconds, when it was said."""
    for pattern in _PATTERNS:
        if (match := pattern.search(text)) is not None:
            group = {name: value.casefold() for name, value in match.groupdict().items() if value}
            span = _span(group, match[0].strip(), now)
            if span is not None:
                return _without(text, match), span
    return text, None


def time_said(text: str, now: float) -> Span | None:
    """Return the time that a text is, and nothing else: "yesterday", "3 pm", "5 min ago", ISO 8601; None for no time.

    A date is its whole day; now, noon and midnight are moments.
    """
    said = " ".join(text.split())
    if said.casefold() in _NOW:
        return Span(text=said, at=now)
    try:
        begin = datetime.fromisoformat(said)
        begin = begin if begin.tzinfo is not None else begin.replace(tzinfo=local_time(now).tzinfo)
        if _ISO_DATE.fullmatch(said):
            return Span(text=said, since=begin.timestamp(), until=(begin + timedelta(days=1)).timestamp())
        return Span(text=said, at=begin.timestamp())
    except (ValueError, OverflowError, OSError):
        pass
    for words in (_MOMENTS.get(said.casefold(), said), f"at {said}"):
        rest, span = take_time(words, now)
        if span is not None and not rest.strip():
            return span
    return None


def take_clause(text: str) -> tuple[str, Span | None]:
    """Return the text without a clause of time ("while I was away"), and the words, which only memory can resolve."""
    match = _CLAUSE.search(text)
    return (text, None) if match is None else (_without(text, match), Span(text=match[0].strip()))


def _without(text: str, match: re.Match[str]) -> str:
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    return re.sub(r" +([?.!,])", r"\1", " ".join(rest.split()))


def _span(group: dict[str, str], said: str, now: float) -> Span | None:
    """Return the span of a match, None where its numbers are no time. `group`: the parts that were said."""
    if "now" in group:
        return Span(text=said, since=now - 86400.0 * _RECENT.get(group["now"], 0) - 600.0, until=now)
    if "unit" in group:
        ago = (_amount(group.get("amount", "one")) + 0.5 * ("more" in group)) * _UNITS[group["unit"]]
        lasting = "lasting" in group or group.get("lead") in ("since", "from")
        if group.get("lead") in ("until", "before"):
            return Span(text=said, until=now - ago)
        return Span(text=said, since=now - ago, until=now) if lasting else Span(text=said, at=now - ago)
    if "coming" in group:
        return Span(text=said, since=now + 86400.0)
    try:
        today = local_time(now).replace(hour=0, minute=0, second=0, microsecond=0)
        if "month" in group or "year_alone" in group:
            return _led(group, said, *_month(group, today), now)
        if "period" in group:
            return _led(group, said, *_period(group, today), now)
        day = _day(group, today)
        if "between" in group:
            begin = _clock(group, day, now)
            end = _clock({**group, "hour": group["and"], "minute": "0"}, day, now)
            return Span(text=said, since=begin.timestamp(), until=end.timestamp())
        if "hour" in group:
            moment = _clock(group, day, now)
            return _led(group, said, moment, moment, now)
        first, last = _PARTS[_part(group)] if _part(group) else (0, 24)
        if not _DAY_NAMED & group.keys() and (day + timedelta(hours=first)).timestamp() > now:
            day -= timedelta(days=1)
        return _led(group, said, day + timedelta(hours=first), day + timedelta(hours=last), now)
    except (ValueError, OverflowError):
        return None


def _led(group: dict[str, str], said: str, begin: datetime, end: datetime, now: float) -> Span | None:
    """Return what a word such as "since" or "before" makes of a moment or a stretch; None for the future."""
    lead, start = group.get("lead") or group.get("from", ""), begin.timestamp()
    if start > now:
        return Span(text=said, since=start) if "year_alone" in group else None
    if lead in ("since", "from"):
        return Span(text=said, since=start, until=now)
    if lead == "after":
        return Span(text=said, since=min(end.timestamp(), now), until=now)
    if lead:
        return Span(text=said, until=start)
    return Span(text=said, at=start) if begin == end else Span(text=said, since=start, until=min(end.timestamp(), now))


def _part(group: dict[str, str]) -> str:
    said = group.get("part", "")
    return said or {"last night": "night", "tonight": "evening"}.get(group.get("day", ""), "")


def _period(group: dict[str, str], today: datetime) -> tuple[datetime, datetime]:
    """Return when this or the last week, month or year began, and when it ended."""
    last = group["which"] == "last"
    if group["period"] == "weekend":  # the last one that has begun
        begin = today - timedelta(days=(today.weekday() - 5) % 7)
        return begin, begin + timedelta(days=2)
    if group["period"] == "week":
        begin = today - timedelta(days=today.weekday() + 7 * last)
        return begin, begin + timedelta(days=7)
    if group["period"] == "year":
        begin = today.replace(year=today.year - last, month=1, day=1)
        return begin, begin.replace(year=begin.year + 1)
    begin = today.replace(day=1)
    if last:
        begin = (begin - timedelta(days=1)).replace(day=1)
    return begin, (begin + timedelta(days=31)).replace(day=1)


def _month(group: dict[str, str], today: datetime) -> tuple[datetime, datetime]:
    """Return when a month or a year that is named began, and when it ended: the last such month that has begun."""
    if alone := group.get("year_alone"):
        begin = today.replace(year=int(alone), month=1, day=1)
        return begin, begin.replace(year=begin.year + 1)
    begin = today.replace(year=int(group.get("year", today.year)), month=MONTHS.index(group["month"]) + 1, day=1)
    if begin > today and "year" not in group:
        begin = begin.replace(year=begin.year - 1)
    return begin, (begin + timedelta(days=31)).replace(day=1)


def _day(group: dict[str, str], today: datetime) -> datetime:
    """Return the midnight at which the day that is meant began: the last such day."""
    if weekday := group.get("weekday"):
        return today - timedelta(days=(today.weekday() - WEEKDAYS.index(weekday)) % 7 or 7)
    if date := group.get("date"):
        spelled = max((day for day in DAYS if day in date), key=len, default="")
        number = DAYS.get(spelled) or int("".join(filter(str.isdecimal, date)))
        day = today.replace(month=next(n for n, month in enumerate(MONTHS, 1) if month in date), day=number)
        return day if day <= today else day.replace(year=day.year - 1)
    if feast := group.get("feast"):
        month, number = _FEASTS[feast]
        day = today.replace(month=month, day=number)
        return day if day <= today else day.replace(year=day.year - 1)
    back = {"yesterday": 1, "last night": 1, "the day before yesterday": 2, "the other day": 2}
    return today - timedelta(days=back.get(group.get("day", ""), 0))


def _clock(group: dict[str, str], day: datetime, now: float) -> datetime:
    """Return the time of the clock: of the half of the day that was last, where that is not said."""
    word, half = group["hour"], group.get("half", "")
    hour, minute = NUMBERS[word] if word in NUMBERS else int(word), int(group.get("minute", 0))
    if past := group.get("past", ""):
        said, _, way = past.rpartition(" ")
        minute = (MINUTES[said] if said in MINUTES else int(said)) * (-1 if way == "to" else 1)
    late = half.startswith("p") or "noon" in half or "evening" in half or "night" in half
    if late or _part(group) in ("evening", "afternoon", "dinner"):
        hour = hour % 12 + 12
    elif half.startswith("a") or "morning" in half or _part(group) == "morning":
        hour %= 12
    if hour > 24:
        raise ValueError(hour)
    moment = day.replace(hour=hour % 24) + timedelta(minutes=minute)
    unsure = not half.startswith(("a", "p", "in", "this")) and not _part(group)
    if unsure and hour < 7 and (moment + timedelta(hours=12)).timestamp() <= now:
        moment += timedelta(hours=12)
    if moment.timestamp() > now and not _DAY_NAMED & group.keys():
        moment -= timedelta(days=1)
    return moment


def _amount(word: str) -> float:
    return float(_AMOUNTS[word]) if word in _AMOUNTS else float(word)
