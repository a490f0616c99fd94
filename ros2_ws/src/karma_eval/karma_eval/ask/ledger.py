# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot saw, did and heard, kept by the generator itself: the truth of every answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from karma_eval.ask.home import Home, Thing
from karma_language.vocabulary import household

AT_ONCE = 60.0
"""Seconds between leaving a place and being at another that belong together: the robot carries it."""


@dataclass
class Spell:
    """A thing as it was seen for a while, without change."""

    place: str
    relation: str
    room: str
    states: dict[str, str]
    since: float
    seen: float
    """When it was last seen so."""
    until: float = math.inf
    """When it was found otherwise, or gone."""

    def alike(self, thing: Thing) -> bool:
        """Whether a thing is so."""
        return (self.place, self.relation, self.states) == (thing.place, thing.relation, thing.states)


@dataclass
class Deed:
    """An instruction and what the robot did for it."""

    user: str
    text: str
    verb: str
    """move, bring, throw, clean, slice, open, close, switch on, switch off."""
    thing: str
    """Id; of what was never seen, its category."""
    start: float
    end: float = 0.0
    place: str = ""
    reason: str = ""
    """Why it failed, or was refused; "" where it did not."""
    refused: bool = False


@dataclass
class Heard:
    """Something that somebody told of a thing."""

    stamp: float
    user: str
    text: str
    category: str
    thing: str = ""
    """Id of what they say that they moved."""
    place: str = ""
    """Id of where they say that they put it."""
    owner: str = ""
    """Whose it is, where they told that."""


@dataclass(frozen=True)
class Change:
    """A thing that was found otherwise."""

    thing: str
    before: Spell
    after: Spell | None
    """None where it was not found again at once."""

    @property
    def is_move(self) -> bool:
        """Whether it is no longer where it was."""
        one, other = self.before, self.after
        return other is None or (one.place, one.relation) != (other.place, other.relation)

    @property
    def rooms(self) -> set[str]:
        """Where it was, and is."""
        return {self.before.room, self.after.room if self.after is not None else ""}


@dataclass
class Ledger:
    """The robot's life until now."""

    home: Home
    began: float = 0.0
    spells: dict[str, list[Spell]] = field(default_factory=dict)
    deeds: list[Deed] = field(default_factory=list)
    heard: list[Heard] = field(default_factory=list)
    rooms: dict[str, float] = field(default_factory=dict)
    """Rooms that the robot was in → when it last looked there."""
    opened: set[str] = field(default_factory=set)
    """Ids of what the robot looked into."""

    def see(self, thing: Thing, stamp: float) -> None:
        """Note that a thing was seen as it is."""
        spells = self.spells.setdefault(thing.id, [])
        last = spells[-1] if spells else None
        if last is not None and last.until == math.inf:
            if last.alike(thing):
                last.seen = stamp
                return
            last.until = stamp
        spells.append(Spell(thing.place, thing.relation, thing.room, dict(thing.states), stamp, stamp))

    def miss(self, thing_id: str, stamp: float) -> None:
        """Note that a thing was not where it was believed to be."""
        self.spells[thing_id][-1].until = stamp

    def believed(self, thing_id: str) -> Spell | None:
        """Return how a thing is believed to be; None where that is not known."""
        spells = self.spells.get(thing_id)
        return spells[-1] if spells and spells[-1].until == math.inf else None

    def only_told(self, thing_id: str) -> Heard | None:
        """Return who said last that they moved a thing that was not seen since."""
        seen = self.spells[thing_id][-1].seen
        return next((one for one in reversed(self.heard) if one.thing == thing_id and one.stamp > seen), None)

    def cut(self) -> set[str]:
        """Return the kinds of which slices were seen."""
        return {household().kind(self.home.things[one].category).whole for one in self.spells} - {""}

    def of(self, category: str) -> list[str]:
        """Return the ids of the things of a kind that were ever seen."""
        return [one for one in self.spells if self.home.things[one].category == category]

    def present(self, place: str) -> list[str]:
        """Return the ids of what is believed to be on or in something."""
        return [one for one in self.spells if (spell := self.believed(one)) is not None and spell.place == place]

    def changes(self, since: float, until: float) -> Iterator[Change]:
        """Yield what was found otherwise in a stretch of time."""
        for thing, ever in self.spells.items():
            spells = [one for one in ever if one.relation != "held"]
            for before, after in zip(spells, [*spells[1:], None], strict=True):
                at_once = after is not None and after.since - before.until < AT_ONCE
                if since <= before.until <= until:
                    yield Change(thing, before, after if at_once else None)
                if after is not None and not at_once and since <= after.since <= until:  # found again
                    yield Change(thing, before, after)
