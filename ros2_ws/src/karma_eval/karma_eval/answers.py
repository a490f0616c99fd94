# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an answer says: yes or no, a number, times, words, and that it is not known."""

from __future__ import annotations

import re
from datetime import datetime, timezone

from karma_language.vocabulary.terms import words
from karma_language.vocabulary.words import each

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
_ONES = each("zero one two three four five six seven eight nine ten eleven twelve")
_NUMBERS = {word: number for number, word in enumerate(_ONES)}
_NUMBER = rf"(?:\d+|{'|'.join(_NUMBERS)}|an?|half an)"
_UNITS = {"second": 1.0, "minute": MINUTE, "hour": HOUR, "day": DAY, "week": 7 * DAY}
_LENGTH = rf"(?P<number>{_NUMBER}) (?P<unit>{'|'.join(_UNITS)})s?"
_AGO = re.compile(rf"\b{_LENGTH} ago\b", re.IGNORECASE)
_LASTING = re.compile(rf"\b{_LENGTH}\b(?! ago)", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?:(?P<day>yesterday|today|on (?P<date>\d{1,2} [A-Z][a-z]+))\W+(?:at )?|(?P<iso>\d{4}-\d\d-\d\d) )?"
    r"\b(?P<hour>\d{1,2}):(?P<minute>\d\d)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"\b(?P<number>\d+|{'|'.join(_NUMBERS)}|an?|no|none|nothing|both|once|twice|never)\b", re.IGNORECASE
)
_WORTH = {"no": 0, "none": 0, "nothing": 0, "never": 0, "a": 1, "an": 1, "once": 1, "twice": 2, "both": 2}
_NEGATION = re.compile(r"\b(?:no|not|none|never|nothing|nobody|neither|cannot)\b|n[’']t\b", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"].*?[”\"]")
_ADMITS = re.compile(
    r"\b(?:(?:do|did|have|could|can) not|(?:do|did|have|could|ca)n[’']t|cannot|never|no idea|unable|nobody|nothing"
    r"|know of no|not (?:sure|certain|for me|that i|as far))\b",
    re.IGNORECASE,
)


def admitted(text: str) -> bool:
    """Whether an answer begins with admitting not to know."""
    return _ADMITS.search(re.split(r"[.:;!?]", text)[0]) is not None


def says_yes(text: str) -> bool:
    """Whether an answer says yes, or neither yes nor no and denies nothing."""
    said = words(text)
    if said[:1] in (["yes"], ["no"]):
        return said[0] == "yes"
    return not denies(re.split(r"[.;!?]", unquoted(text))[0])


def denies(text: str) -> bool:
    """Whether a text denies something."""
    return _NEGATION.search(text) is not None


def says(text: str, phrase: str) -> bool:
    """Whether a text holds a word or phrase."""
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE) is not None


def quotes_in(text: str) -> list[str]:
    """Return what a text quotes, with the quotes around it."""
    return _QUOTED.findall(text)


def unquoted(text: str) -> str:
    """Return a text without what it quotes."""
    return _QUOTED.sub("", text)


def number_in(text: str) -> int | None:
    """Return the first number that is neither a time nor a duration; None where none is said."""
    said = _LASTING.sub("", _AGO.sub("", _CLOCK.sub("", text)))
    if _COUNTED.findall(said)[1:]:
        said = re.sub(r"^(?:yes|no), ", "", said, flags=re.IGNORECASE)
    found = _COUNTED.search(said)
    return _value(found[1]) if found else None


def count_before(text: str) -> int:
    """Return how many of what comes behind a text that text says: one, where it ends with no number."""
    number = _COUNTED.findall(" ".join(text.split()[-2:]))
    return _value(number[-1]) if number else 1


def times_in(text: str, now: float) -> list[float]:
    """Return the times that an answer names, seconds; durations as times before `now`."""
    found = [
        now - _amount(one["number"]) * _UNITS[one["unit"].lower()]
        for one in (*_AGO.finditer(text), *_LASTING.finditer(text))
    ]
    midnight = now - now % DAY
    for one in _CLOCK.finditer(text):
        clock = int(one["hour"]) * HOUR + int(one["minute"]) * MINUTE
        start = midnight - DAY * ((one["day"] or "").lower() == "yesterday")
        if one["date"]:
            day = datetime.strptime(f"{one['date']} {datetime.fromtimestamp(now, timezone.utc).year}", "%d %B %Y")
            start = day.replace(tzinfo=timezone.utc).timestamp()
        if one["iso"]:
            start = datetime.fromisoformat(one["iso"]).replace(tzinfo=timezone.utc).timestamp()
        found.append(start + clock)
    if re.search(r"\b(?:just now|right now|a (?:minute|moment) ago)\b", text, re.IGNORECASE):
        found.append(now)
    return found


def _amount(word: str) -> float:
    return 0.5 if word.lower() == "half an" else float(_value(word))


def _value(word: str) -> int:
    said = word.lower()
    return int(said) if said.isdecimal() else _NUMBERS.get(said, _WORTH.get(said, 1))
