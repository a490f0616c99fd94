# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a question is answered with: what was seen, done and said, each with its time, and what is not known and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from karma_language.vocabulary.words import noted


@dataclass(frozen=True)
class Sighting:
    """A thing as it was seen, or told to be, from a time on."""

    object_id: str
    category: str
    """As in the scene graph: "CoffeeTable"."""
    seen: float
    """When it was last seen so, seconds."""
    since: float = 0.0
    """When it was first seen so, seconds."""
    until: float | None = None
    """When it was found to be otherwise; None: not yet."""
    name: str = ""
    """What people call it, where they do."""
    place: str = ""
    """Category of what holds it; "" for the floor, a room, or unknown."""
    place_id: str = ""
    relation: str = ""
    """on, in, under, near, held; "" where no place is known."""
    room: str = ""
    """Name of the room, for people: "kitchen", "guest room"; "" where it is not known."""
    states: Mapping[str, str] = field(default_factory=dict)
    by: str = ""
    """Who said so; "" for what the robot saw itself."""
    owner: str = ""
    """Whose it is, as in `Thing.owner`; "" where nobody told who asks."""
    record: str = ""
    """Id of the recollection that it rests on."""
    image: str = ""
    """Digest (SHA-256) of a picture of it; "" for none."""


@dataclass(frozen=True)
class Move:
    """A thing that was found elsewhere, or otherwise, than before."""

    before: Sighting | None
    """None: it was not known before."""
    after: Sighting | None
    """None: it was gone, and has not been seen since."""
    by_robot: bool = False

    @property
    def elsewhere(self) -> bool:
        """Whether it is at another place, and not only otherwise."""
        if self.before is None or self.after is None:
            return True
        return (self.before.place_id, self.before.relation) != (self.after.place_id, self.after.relation)

    @property
    def otherwise(self) -> bool:
        """Whether it is in another state."""
        return self.before is None or self.after is None or self.before.states != self.after.states


@dataclass(frozen=True)
class Done:
    """A skill that the robot used, and with what, as categories: "PutObject", "Apple", "Fridge"."""

    skill: str
    thing: str
    place: str = ""


@dataclass(frozen=True)
class Deed:
    """Something that the robot did, or tried."""

    stamp: float
    """When it ended, seconds."""
    text: str
    """The instruction, in the words of who gave it; "" for what it did by itself, or for somebody else."""
    user: str = ""
    succeeded: bool = True
    why: str = ""
    """Why it failed."""
    done: tuple[Done, ...] = ()
    """What it did for it; of what is asked about a kind of deed, only that."""
    ended: bool = True
    """Whether it is over."""
    record: str = ""


@dataclass(frozen=True)
class Said:
    """Something that a person told."""

    stamp: float
    text: str
    """Their words."""
    user: str = ""
    own: bool = True
    """Whether who asks told it; else nobody in particular did."""
    answer: str = ""
    """What of it answers the question, where that is known."""
    room: str = ""
    """Name of the room of the place that it names; "" where it names none, or that is not known."""
    record: str = ""

    @property
    def words(self) -> str:
        """Their words without what a pronoun in them means."""
        return noted(self.text)[1].strip()


class Gap(str, Enum):
    """Why something is not known."""

    NEVER_SEEN = "never_seen"
    """No such thing was ever seen."""
    OTHERS = "others"
    """Such things are known, and they are somebody else's."""
    NOT_LOOKED = "not_looked"
    """The place was never looked at, or into."""
    NO_STATE = "no_state"
    """The thing was seen, and whether it is so can't be told from what was seen."""
    NOT_THEN = "not_then"
    """Nothing was noted at that time."""
    UNSURE = "unsure"
    """What was told is near to it, and may answer it."""
    NOBODY_SAID = "nobody_said"
    """Nobody told anything about it."""
    NO_SUCH_WORD = "no_such_word"
    """The vocabulary has no such thing, and nothing in the home is called so."""
    NOT_HERE = "not_here"
    """The memory does not keep such things (routes, sizes …) for this scene."""
    NO_SUCH_FLOOR = "no_such_floor"
    """No such floor is known."""
    FUTURE = "future"
    """The time that is asked about has not come."""


@dataclass(frozen=True)
class Evidence:
    """All that the memory has on a question, best first."""

    now: float
    """When it was asked, seconds."""
    sightings: tuple[Sighting, ...] = ()
    moves: tuple[Move, ...] = ()
    deeds: tuple[Deed, ...] = ()
    said: tuple[Said, ...] = ()
    gap: Gap | None = None
    """Why the question has no answer; None where it has one."""
    look: tuple[str, ...] = ()
    """Categories of the places that would have to be looked at, or into, to know."""
    looked: float | None = None
    """When the place that is asked about was last looked at or into, seconds."""
    number: float | None = None
    """Of COUNT and HOW_OFTEN: how many; of HOW_LONG: seconds; of SIZE: square metres of a room, metres of a thing."""
    elsewhere: tuple[Sighting, ...] = ()
    """Of EXISTS at a place: such things that are not there."""
    names: tuple[str, ...] = ()
    """Of ROUTE: rooms on the way; of ABLE: what the robot can do; of ROBOT: floor, room, place."""

    @property
    def quoted(self) -> bool:
        """Whether what people told is all that there is."""
        return bool(self.said) and not (self.sightings or self.moves or self.deeds)


@dataclass(frozen=True)
class Answered:
    """An answer for a person."""

    text: str
    known: bool
    """Whether the question is answered; else the text says why it is not."""
    age: float | None = None
    """Seconds since what it rests on was seen, done or said."""
    records: tuple[str, ...] = ()
    """Ids of the recollections that it rests on."""
    image: str = ""
    """Digest of a picture; "" for none."""
    look: tuple[str, ...] = ()
    """What would have to be looked at to know."""
    pictured: str = ""
    """Id of what the picture shows."""
