# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Judging an answer by its words: the things, places, numbers and times that it names, yes, no, and "I don't know"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from karma_eval.answers import (
    MINUTE,
    admitted,
    count_before,
    denies,
    number_in,
    quotes_in,
    says,
    says_yes,
    times_in,
    unquoted,
)
from karma_eval.ask.home import plain
from karma_language.vocabulary import household
from karma_language.vocabulary.states import STATES
from karma_language.vocabulary.terms import STOP_WORDS, plural_of, stems, words

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
            found[category] = found.get(category, 0) + count_before(text[: match.start()])
        return found

    def rooms_in(self, text: str) -> list[str]:
        """Return the rooms that a text names, in order; of those that are called alike, all.

        "guest room" is not the bedroom, though it is one.
        """
        exact = {self._kinds[name] for name in self._rooms if says(text, plain(name))}
        found: dict[str, int] = {}
        for name, called in self._rooms.items():
            places = [at for one in called if (at := _at(one, text)) >= 0]
            if places and (says(text, plain(name)) or self._kinds[name] not in exact):
                found[name] = min(places)
        return sorted(found, key=found.__getitem__)

    def _places(self, truth: Truth, text: str) -> bool:
        text = _NOT_SEEN.sub("", text)
        said, rooms, wanted = self.named(unquoted(text)), self.rooms_in(text), truth.spots
        if len(wanted) == 1 and rooms and wanted[0].room and rooms[0] != wanted[0].room:
            return False
        fine = {_whole(spot.category) for spot in (*wanted, *truth.also)} | {*map(_whole, truth.others)}
        return (
            {_whole(spot.category) for spot in wanted if spot.category} <= said.keys() <= fine
            and {spot.room for spot in wanted if spot.room_too or not spot.category} <= {*rooms}
            and {*rooms} <= {spot.room for spot in (*wanted, *truth.also)}
        )

    def _things(self, truth: Truth, text: str) -> bool:
        said = self.named(unquoted(text) if not truth.sentences else text)
        wanted = {_whole(one): number for one, number in truth.things.items()}
        if truth.nothing and not denies(text):
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


def _timely(truth: Truth, text: str) -> bool:
    """Whether people would take a time that is named for the right one: within ten minutes, or a sixth of its age."""
    return any(
        abs(told - time) <= max(10 * MINUTE, (truth.now - time) / 6)
        for told in times_in(text, truth.now)
        for time in truth.times
    )


def _told(sentence: str, text: str) -> bool:
    """Whether a sentence is told: half of the words that say something."""
    wanted, said = _content(sentence), _content(text)
    return len(wanted & said) >= 0.5 * len(wanted)


def _quoted(sentence: str, text: str) -> bool:
    """Whether a sentence is quoted; in a text without quotes, whether all of it is told."""
    quotes = quotes_in(text)
    return any(words(quote) == words(sentence) for quote in quotes) if quotes else tells(sentence, text)


def tells(sentence: str, text: str) -> bool:
    """Whether all of a sentence is told in a text."""
    return _content(sentence) <= _content(text)


def _content(text: str) -> set[str]:
    return {stem for word in words(text) if word not in STOP_WORDS for stem in stems(word)}


def _names_one(persons: Iterable[str], text: str) -> bool:
    forms = ("I|me|myself" if one == "I" else f"(?i:{re.escape(one)})" for one in persons)
    return re.search(rf"\b(?:{'|'.join(forms)})\b", unquoted(text)) is not None


def _asserts(text: str) -> bool:
    """Whether an answer that begins with a doubt says something after all: "I don't know, but it is on the sofa"."""
    return re.search(r"\b(?:but|probably|perhaps) (?:it|he|she|they|you|the|I|on|in)\b", text) is not None


def _at(name: str, text: str) -> int:
    found = re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)
    return found.start() if found else -1


def _whole(category: str) -> str:
    """Return the piece of furniture that a category is a part of: Sink of SinkBasin."""
    return category.removesuffix("Basin")
