# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's day in a small home, some forty things that it sees, hears and does; and what is true of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from karma_memory.scene import Point

HOUR, MINUTE = 3600.0, 60.0


@dataclass(frozen=True)
class Place:
    """A piece of furniture, and where things on it are."""

    name: str
    room: str
    at: Point


PLACES = (
    Place("kitchen table", "kitchen", (1.0, 1.0, 0.8)),
    Place("counter", "kitchen", (3.5, 0.5, 0.9)),
    Place("desk", "study", (7.0, 1.0, 0.8)),
    Place("shelf", "study", (9.0, 2.5, 1.2)),
    Place("sofa", "living room", (1.5, 6.0, 0.5)),
    Place("coffee table", "living room", (4.0, 7.0, 0.4)),
    Place("bed", "bedroom", (8.0, 7.0, 0.6)),
    Place("dresser", "bedroom", (10.5, 5.5, 1.0)),
)
THINGS = ("mug", "book", "laptop", "vase", "keys", "violin", "umbrella", "pillow", "teddy bear", "apple")
ROOM = 2
"""Things that a place has room for: what is there fits on the first lines of an answer."""
PATROL, LAST = "patrol in the morning", "patrol in the evening"
REASONS = ("it slipped out of my hand", "something is in the way", "it is too heavy")
USERS = ("ann", "bob")


@dataclass(frozen=True)
class Saying:
    """Something that people tell, and a question for it in other words."""

    words: str
    question: str
    answer: str
    """A word of it that answers the question."""


ABOUT_PEOPLE = (
    Saying("I am allergic to peanuts.", "Which food is dangerous for me?", "peanuts"),
    Saying("My sister comes to visit on Friday.", "When do we have a guest?", "friday"),
    Saying("I take my pills at nine in the evening.", "When do I need my medicine?", "nine"),
    Saying("The plumber said the boiler is leaking.", "What is broken in the heating?", "boiler"),
)
ABOUT_THINGS = (
    Saying("The {thing} was a gift from my grandmother.", "Who gave me the {thing}?", "grandmother"),
    Saying("The {thing} cost me forty euros.", "What did I pay for the {thing}?", "forty"),
)


@dataclass(frozen=True)
class Saw:
    """The robot saw a thing at a place."""

    stamp: float
    thing: str
    place: Place


@dataclass(frozen=True)
class Heard:
    """Somebody said something where the robot was."""

    stamp: float
    user: str
    saying: Saying
    place: Place


@dataclass(frozen=True)
class Did:
    """The robot put a thing at a place for somebody, or failed to."""

    stamp: float
    user: str
    thing: str
    place: Place
    reason: str = ""
    """Why it failed; "" where it did not."""

    @property
    def task(self) -> str:
        """What it was asked for."""
        return f"put the {self.thing} on the {self.place.name}"


@dataclass(frozen=True)
class Felt:
    """The robot read its own battery."""

    stamp: float
    percent: int
    place: Place

    @property
    def words(self) -> str:
        """What it read, as a sentence."""
        return f"The battery is at {self.percent} percent."


@dataclass(frozen=True)
class Patrol:
    """A round through the home."""

    name: str
    seen: tuple[Saw, ...]

    @property
    def stamp(self) -> float:
        """When it began."""
        return self.seen[0].stamp


Entry = Patrol | Saw | Heard | Did | Felt
E = TypeVar("E", Patrol, Saw, Heard, Did, Felt)


@dataclass
class Day:
    """What the robot could know, in the order of time, and the truth that follows from it."""

    now: float
    entries: list[Entry] = field(default_factory=list)
    known: dict[str, list[tuple[float, Place]]] = field(default_factory=dict)
    """Thing → when and where it was seen, or put."""
    seen: dict[str, int] = field(default_factory=dict)
    """Thing → how often it was seen."""

    def add(self, entry: Entry) -> None:
        """Let the robot see, hear or do something."""
        self.entries.append(entry)
        for one in entry.seen if isinstance(entry, Patrol) else (entry,):
            if isinstance(one, Saw):
                self.seen[one.thing] = self.seen.get(one.thing, 0) + 1
            if isinstance(one, Saw) or (isinstance(one, Did) and not one.reason):
                self.known.setdefault(one.thing, []).append((one.stamp, one.place))

    def place(self, thing: str, at: float | None = None) -> Place:
        """Return where a thing was known to be at a time; None: now."""
        return [place for stamp, place in self.known[thing] if at is None or stamp <= at][-1]

    def left(self, thing: str) -> list[Place]:
        """Return where a thing was before and is not any more."""
        return [place for place in dict.fromkeys(place for _, place in self.known[thing]) if place != self.place(thing)]

    def there(self, place: Place) -> list[str]:
        """Return what is known to be at a place now."""
        return [thing for thing in self.known if self.place(thing) == place]

    def of(self, kind: type[E]) -> list[E]:
        """Return the entries of a kind."""
        return [entry for entry in self.entries if isinstance(entry, kind)]


def make_day(now: float, rng: random.Random) -> Day:
    """Return eight hours that end now: two patrols, errands between them, things told, people who move things."""
    day = Day(now)
    where: dict[str, Place] = {}

    def free(*but: Place) -> Place:
        return rng.choice([one for one in PLACES if one not in but and [*where.values()].count(one) < ROOM])

    def move(things: Sequence[str]) -> None:
        for thing in things:
            where[thing] = free(where[thing])

    def patrol(name: str, began: float) -> None:
        order = sorted(where, key=lambda thing: PLACES.index(where[thing]))
        day.add(Patrol(name, tuple(Saw(began + 20.0 * n, thing, where[thing]) for n, thing in enumerate(order))))

    for thing in THINGS:
        where[thing] = free()
    things = rng.sample(THINGS, len(THINGS))
    moved, carried, told = things[:4], things[4:8], things[6:8]
    patrol(PATROL, now - 8 * HOUR)
    day.add(Felt(now - 7.5 * HOUR, 90, PLACES[0]))
    sayings = [*rng.sample(ABOUT_PEOPLE, 2)]
    for thing, one in zip(told, ABOUT_THINGS, strict=True):
        sayings.append(Saying(one.words.format(thing=thing), one.question.format(thing=thing), one.answer))
    for number, saying in enumerate(sayings):
        day.add(Heard(now - 6.5 * HOUR + number * 10 * MINUTE, USERS[number % 2], saying, rng.choice(PLACES)))
    day.add(Felt(now - 5 * HOUR, 62, PLACES[0]))
    failed = rng.randrange(3)
    for number, thing in enumerate(carried):
        reason = rng.choice(REASONS) if number == failed else ""
        done = Did(now - (4.5 - 0.5 * number) * HOUR, USERS[number % 2], thing, free(where[thing]), reason)
        where[thing] = where[thing] if reason else done.place
        day.add(done)
    move(moved)
    patrol(LAST, now - 2 * HOUR)
    day.add(Felt(now - 1 * HOUR, rng.randrange(20, 50), PLACES[0]))
    here = where[moved[0]]
    for number, thing in enumerate(one for one in where if where[one] == here):
        day.add(Saw(now - 4 * MINUTE + 10.0 * number, thing, here))
    last = next(one for one in ABOUT_PEOPLE if one not in sayings)
    day.add(Heard(now - 1 * MINUTE, USERS[0], last, here))
    return day
