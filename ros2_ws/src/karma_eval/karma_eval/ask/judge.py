# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Judging an answer by its words: the things, places, numbers and times that it names, yes, no, and "I don't know"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum
from functools import cached_property

from karma_eval.ask.home import plain
from karma_language.vocabulary import household
from karma_language.vocabulary.states import STATES
from karma_language.vocabulary.terms import STOP_WORDS, plural_of, stems, words
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
_OPEN = re.compile(r"\b(?:can ?not|can[’']t|do not|don[’']t) (?:tell|know|say) (?:whether|which|if)\b", re.IGNORECASE)
"""What an answer leaves open: "a mug, but I can't tell whether it is green"."""
_NOT_SEEN = re.compile(r"\bI (?:have not|haven[’']t|did not|didn[’']t) look[^.;]*", re.IGNORECASE)
"""Places that an answer names since the robot has not looked there."""
_DOUBTS = re.compile(
    r"(?:sorry, )?(?:I (?:do not|don[’']t|cannot|can[’']t) (?:know|say|tell)|no idea|I(?: am|[’']m) not sure)\b",
    re.IGNORECASE,
)
"""How an answer begins that is neither yes nor no."""


class Verdict(str, Enum):
    """What an answer is worth."""

    RIGHT = "right"
    UNKNOWN = "unknown"
    """It admits not to know what it could."""
    FALSE = "false"


@dataclass(frozen=True)
class Spot:
    """A place as an answer may name it."""

    category: str
    """Of the furniture; "" where the room is all."""
    room: str
    """Its name in the home: guest_room."""
    room_too: bool = False
    """Whether the furniture alone does not tell it: there is such furniture in other rooms."""


@dataclass(frozen=True)
class Truth:
    """What a right answer says. Of what is empty or None nothing is asked."""

    now: float
    admits: bool = False
    """Only admitting not to know is right."""
    may_admit: bool = False
    """Admitting it is right, too."""
    yes: bool | None = None
    number: int | None = None
    spots: tuple[Spot, ...] = ()
    """Each has to be named, and no other."""
    also: tuple[Spot, ...] = ()
    """May be named after those."""
    things: Mapping[str, int] = field(default_factory=dict)
    """Categories that have to be named, with their number; 0: any."""
    others: frozenset[str] = frozenset()
    """Categories that may be named."""
    nothing: bool = False
    """There is nothing to name."""
    times: tuple[float, ...] = ()
    """One of them has to be named, within what people accept, or as a stretch of time until now."""
    sentences: tuple[str, ...] = ()
    """Each has to be told, in these or other words."""
    persons: tuple[str, ...] = ()
    """One of them has to be named: "you" for who asks, "I" for the robot."""
    never: tuple[str, ...] = ()
    """Sentences that must not be told."""
    told: str = ""
    """A sentence that is an answer where it is quoted, whatever else is said: what somebody told, and nobody saw."""
    shown: str = ""
    """The word that shows a yes or no to whoever can only be searched: a state, or what is there."""


class Judge:
    """Judges answers about one home."""

    def __init__(self, categories: Iterable[str], rooms: Mapping[str, str]) -> None:
        """`categories`: of all that is in the home; `rooms`: name of a room → its kind."""
        self._rooms = {name: {plain(name), household().room_name(kind)} for name, kind in rooms.items()}
        self._kinds = dict(rooms)
        named: dict[str, str] = {}
        for most in (1, None):  # what one kind is called first is not what another is called, too
            for category in sorted({*categories}):
                for name in (household().kind(category).noun, *household().kind(category).names)[:most]:
                    for form in (name, plural_of(name)):
                        named.setdefault(form.casefold(), _whole(category))
        self._named = named

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = sorted(self._named, key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b", re.IGNORECASE)

    def judge(self, truth: Truth, text: str, *, known: bool) -> Verdict:
        """Return what an answer is worth. `known`: whether it says to be one."""
        admits = not known or admitted(text)
        if truth.admits:
            admits = admits or _OPEN.search(text) is not None
            false = (known and _asserts(text)) or any(_quoted(one, text) for one in truth.never)
            return Verdict.RIGHT if admits and not false else Verdict.FALSE
        wrong = self.faults(truth, text)
        if not wrong:
            return Verdict.RIGHT
        if admits:
            return Verdict.RIGHT if truth.may_admit else Verdict.UNKNOWN
        return Verdict.FALSE

    def faults(self, truth: Truth, text: str) -> list[str]:
        """Return what is not as it should be in an answer."""
        if truth.told and _quoted(truth.told, text):
            return []
        checks: list[tuple[str, object, Callable[[], bool]]] = [
            ("yes or no", truth.yes is not None, lambda: _agrees(truth, text)),
            ("number", truth.number is not None and truth.yes is None, lambda: number_in(text) == truth.number),
            ("places", truth.spots, lambda: self._places(truth, text)),
            ("things", truth.things or truth.nothing, lambda: self._things(truth, text)),
            ("time", truth.times, lambda: _timely(truth, text)),
            ("words", truth.sentences, lambda: all(_told(one, text) for one in truth.sentences)),
            ("person", truth.persons, lambda: not admitted(text) and _names_one(truth.persons, text)),
            ("too much", truth.never, lambda: not any(_quoted(one, text) for one in truth.never)),
        ]
        return [name for name, asked, right in checks if asked and not right()]

    def holds(self, truth: Truth, text: str) -> bool:
        """Whether a text that was found, and answers nothing by itself, holds what a right answer says."""
        wanted = {_whole(one) for one in (*truth.things, *(spot.category for spot in truth.spots)) if one}
        return (
            wanted <= self.named(text).keys()
            and {spot.room for spot in truth.spots} <= {*self.rooms_in(text)}
            and (not truth.times or _timely(truth, text))
            and all(_told(one, text) for one in truth.sentences)
            and (not truth.persons or _names_one((*truth.persons, "asked", "said"), text))
        )

    def named(self, text: str) -> dict[str, int]:
        """Return the categories that a text names, in order, with how many of each it says."""
        found: dict[str, int] = {}
        for match in self._pattern.finditer(text):
            category = self._named[match[0].casefold()]
            number = _COUNTED.findall(" ".join(text[: match.start()].split()[-2:]))
            found[category] = found.get(category, 0) + (_value(number[-1]) if number else 1)
        return found

    def rooms_in(self, text: str) -> list[str]:
        """Return the rooms that a text names, in order; of those that are called alike, all.

        "guest room" is not the bedroom, though it is one.
        """
        exact = {self._kinds[name] for name in self._rooms if _at(plain(name), text) >= 0}
        found: dict[str, int] = {}
        for name, called in self._rooms.items():
            places = [at for one in called if (at := _at(one, text)) >= 0]
            if places and (_at(plain(name), text) >= 0 or self._kinds[name] not in exact):
                found[name] = min(places)
        return sorted(found, key=found.__getitem__)

    def _places(self, truth: Truth, text: str) -> bool:
        text = _NOT_SEEN.sub("", text)
        said, rooms, wanted = self.named(_QUOTED.sub("", text)), self.rooms_in(text), truth.spots
        if len(wanted) == 1 and rooms and wanted[0].room and rooms[0] != wanted[0].room:
            return False
        fine = {_whole(spot.category) for spot in (*wanted, *truth.also)} | {*map(_whole, truth.others)}
        return (
            {_whole(spot.category) for spot in wanted if spot.category} <= said.keys() <= fine
            and {spot.room for spot in wanted if spot.room_too or not spot.category} <= {*rooms}
            and {*rooms} <= {spot.room for spot in (*wanted, *truth.also)}
        )

    def _things(self, truth: Truth, text: str) -> bool:
        said = self.named(_QUOTED.sub("", text) if not truth.sentences else text)
        wanted = {_whole(one): number for one, number in truth.things.items()}
        if truth.nothing and _NEGATION.search(text) is None:
            return False
        right = all(one in said and number in (0, said[one]) for one, number in wanted.items())
        return right and said.keys() <= {*wanted, *map(_whole, truth.others)}


def _agrees(truth: Truth, text: str) -> bool:
    """Whether an answer says yes or no as the truth does; where that is a matter of a number, this will do."""
    opposite = STATES[truth.shown][2] if truth.shown in STATES else ""
    if opposite and words(text)[:1] not in (["yes"], ["no"]):
        named = {truth.shown, opposite} & {*words(text)}
        if len(named) == 1:
            return truth.shown in named  # "the lamp is off"
    if _DOUBTS.match(text):
        return False
    said = number_in(text)
    return said == truth.number if truth.number is not None and said is not None else says_yes(text) is truth.yes


def admitted(text: str) -> bool:
    """Whether an answer begins with admitting not to know."""
    return _ADMITS.search(re.split(r"[.:;!?]", text)[0]) is not None


def says_yes(text: str) -> bool | None:
    """Return whether an answer says yes or no."""
    said = words(text)
    if said[:1] in (["yes"], ["no"]):
        return said[0] == "yes"
    first = re.split(r"[.;!?]", _QUOTED.sub("", text))[0]
    return _NEGATION.search(first) is None


def number_in(text: str) -> int | None:
    """Return the first number that is neither a time nor a duration; None where none is said."""
    said = _LASTING.sub("", _AGO.sub("", _CLOCK.sub("", text)))
    if _COUNTED.findall(said)[1:]:
        said = re.sub(r"^(?:yes|no), ", "", said, flags=re.IGNORECASE)
    found = _COUNTED.search(said)
    return _value(found[1]) if found else None


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


def _timely(truth: Truth, text: str) -> bool:
    """Whether people would take a time that is named for the right one: within ten minutes, or a sixth of its age."""
    return any(
        abs(told - time) <= max(10 * MINUTE, (truth.now - time) / 6)
        for told in times_in(text, truth.now)
        for time in truth.times
    )


def _amount(word: str) -> float:
    return 0.5 if word.lower() == "half an" else float(_value(word))


def _value(word: str) -> int:
    said = word.lower()
    return int(said) if said.isdecimal() else _NUMBERS.get(said, _WORTH.get(said, 1))


def _told(sentence: str, text: str) -> bool:
    """Whether a sentence is told: half of the words that say something."""
    wanted, said = _content(sentence), _content(text)
    return len(wanted & said) >= 0.5 * len(wanted)


def _quoted(sentence: str, text: str) -> bool:
    """Whether a sentence is quoted; in a text without quotes, whether all of it is told."""
    quotes = _QUOTED.findall(text)
    return any(words(quote) == words(sentence) for quote in quotes) if quotes else tells(sentence, text)


def tells(sentence: str, text: str) -> bool:
    """Whether all of a sentence is told in a text."""
    return _content(sentence) <= _content(text)


def _content(text: str) -> set[str]:
    return {stem for word in words(text) if word not in STOP_WORDS for stem in stems(word)}


def _names_one(persons: Iterable[str], text: str) -> bool:
    forms = ("I|me|myself" if one == "I" else f"(?i:{re.escape(one)})" for one in persons)
    return re.search(rf"\b(?:{'|'.join(forms)})\b", _QUOTED.sub("", text)) is not None


def _asserts(text: str) -> bool:
    """Whether an answer that begins with a doubt says something after all: "I don't know, but it is on the sofa"."""
    return re.search(r"\b(?:but|probably|perhaps) (?:it|he|she|they|you|the|I|on|in)\b", text) is not None


def _at(name: str, text: str) -> int:
    found = re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)
    return found.start() if found else -1


def _whole(category: str) -> str:
    """Return the piece of furniture that a category is a part of: Sink of SinkBasin."""
    return category.removesuffix("Basin")
