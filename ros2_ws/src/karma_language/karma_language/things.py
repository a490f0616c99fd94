# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What words name: things and rooms, where they are, and times."""

from __future__ import annotations

from enum import Enum

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A part of a reading: frozen, and nothing but its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Relation(str, Enum):
    """Where something is, seen from something else."""

    AT = "at"
    """At or to it: on or in it, as things usually are there."""
    ON = "on"
    IN = "in"
    UNDER = "under"
    NEAR = "near"
    LEFT_OF = "left_of"
    RIGHT_OF = "right_of"
    BEHIND = "behind"
    IN_FRONT_OF = "in_front_of"
    ABOVE = "above"
    BETWEEN = "between"


class Limit(str, Enum):
    """What a number of things says about how many there are."""

    LEAST = "least"
    MOST = "most"
    EXACTLY = "exactly"


class Thing(Value):
    """A thing, a place, a room or several of them, as the words speak of them."""

    text: str
    """As said, without article: "red mug that I used this morning"."""
    categories: tuple[str, ...] = ()
    """What it may be in the scene graph, likeliest first; empty where the vocabulary has no such word."""
    loosely: tuple[str, ...] = ()
    """What people also call so; meant where there is nothing of `categories`."""
    room: str = ""
    """Room that is meant, or in which it is said to be, as it is called: "guest room"; of "bedrooms", their kind."""
    floor: str = ""
    """The floor that is meant: upstairs, downstairs, ground, first, top …"""
    attributes: tuple[str, ...] = ()
    """Colours, states and other words that tell it from its like: red, dirty, big."""
    owner: str = ""
    """Whose it is said to be: "me" for the speaker, or a name."""
    plural: bool = False
    number: int = 0
    """How many are said to be: "two plates", and "more than one plate", too; 0 where it is not said."""
    limit: Limit = Limit.LEAST
    """Whether there may be more than that, or less: "FEWER THAN three" are two at most."""
    pronoun: bool = False
    """Whether it is only pointed to: "it", "them", "there". What was spoken of before is meant."""
    id: str = ""
    """Which one of the scene graph is meant, where that is known from what was done or said before."""
    place: Where | None = None
    """Where it is said to be."""
    every: bool = False
    """Whether all of them are meant: "all the plates", "every lamp", "everything" (then `text` is "thing")."""
    but: tuple[Thing, ...] = ()
    """Of `every`: what is not meant: "everything but the bowl"."""
    other: bool = False
    """Whether one is meant that was not spoken of yet: "the other one", "another apple"."""
    definite: bool = False
    """Whether it is spoken of as if one knew which: "the mug", "my mug", "that one"."""

    def counts(self, found: int) -> bool:
        """Whether so many are as many as is said."""
        enough, few = found >= self.number, found <= self.number or not self.number
        return {Limit.LEAST: enough, Limit.MOST: few, Limit.EXACTLY: enough and few}[self.limit]

    @property
    def last_word(self) -> str:
        """In lower case; "" for no text."""
        return (self.text.lower().split() or [""])[-1]

    @property
    def is_room(self) -> bool:
        """Whether it is a room itself, and not a thing in one: "the kitchen", not "the kitchen table"."""
        return bool(self.room) and not self.categories


class Where(Value):
    """A place beside, on or in something."""

    relation: Relation
    thing: Thing


class Span(Value):
    """A time or a stretch of time, seconds since the epoch, as the words say it.

    Without any number it is a clause ("while I was away") that says when by what happened then.
    """

    text: str
    since: float | None = None
    until: float | None = None
    at: float | None = None
    """A moment; then `since` and `until` are None."""
    offset: int = 0
    """Seconds that the clock of who spoke was ahead of UTC: which day it was there."""
    lead: str = ""
    """Of a clause: before, after, since, while …"""
    deed: str = ""
    """Of a clause about what was done: the verb's base form: "move" of "before you moved it"."""

    @property
    def bare(self) -> bool:
        """Whether it is a word such as "before" alone, and does not say before what."""
        return bool(self.lead) and self.text == self.lead

    @property
    def before(self) -> bool:
        """Whether it ends with what happened."""
        return self.lead == "before"

    @property
    def after(self) -> bool:
        """Whether it begins when that was over."""
        return self.lead in ("since", "after")

    @property
    def of_robot(self) -> bool:
        """Whether it is a clause about what the robot did: "before you moved it"."""
        return bool(self.lead) and " you " in f" {self.text.casefold()} "

    def is_past(self, now: float) -> bool:
        """Whether it is over: how it was then may not be how it is."""
        return self.until is None or self.until < now - 60.0


Thing.model_rebuild()
