# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What somebody said, read: acts in the order of the words, each with the words that it rests on.

A reading is data. It is written to the journal beside the words (as JSON, hence pydantic and `VERSION`), and nothing
that is made of it parses text again.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

VERSION = 1
"""Of the schema. A reading of another version is read again from its words."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Relation(str, Enum):
    """Where something is, seen from something else."""

    ON = "on"
    IN = "in"
    UNDER = "under"
    NEAR = "near"
    LEFT_OF = "left_of"
    RIGHT_OF = "right_of"
    BEHIND = "behind"
    IN_FRONT_OF = "in_front_of"


class Thing(_Value):
    """A thing, a place, a room or several of them, as the words speak of them."""

    text: str
    """As said, without article: "red mug that I used this morning"."""
    categories: tuple[str, ...] = ()
    """What it may be in the scene graph, likeliest first; empty where the vocabulary has no such word."""
    loosely: tuple[str, ...] = ()
    """What people also call so; meant where there is nothing of `categories`."""
    room: str = ""
    """Kind of room that is meant, or in which it is said to be: Kitchen, LivingRoom, Bedroom, Bathroom."""
    floor: str = ""
    """The floor that is meant: upstairs, downstairs, ground, first, top …"""
    attributes: tuple[str, ...] = ()
    """Colours, states and other words that tell it from its like: red, dirty, big."""
    owner: str = ""
    """Whose it is said to be: "me" for the speaker, or a name."""
    plural: bool = False
    number: int = 0
    """How many are said to be: "two plates"; 0 where it is not said."""
    pronoun: bool = False
    """Whether it is only pointed to: "it", "them", "there". What was spoken of before is meant."""
    place: Where | None = None
    """Where it is said to be."""


class Where(_Value):
    """A place beside, on or in something."""

    relation: Relation
    thing: Thing


class Span(_Value):
    """A time or a stretch of time, seconds since the epoch, as the words say it.

    Without any number it is a clause ("while I was away") that says when by what happened then.
    """

    text: str
    since: float | None = None
    until: float | None = None
    at: float | None = None
    """A moment; then `since` and `until` are None."""


class Kind(str, Enum):
    """What is asked for."""

    WHERE = "where"
    """Where something is, was last, or was at a time; which room it is in."""
    WHEN = "when"
    """When something was seen or done, last or first."""
    STATE = "state"
    """Whether something is on, open, clean, full, broken …"""
    CONTENTS = "contents"
    """What is on, in, under, near … a place."""
    COUNT = "count"
    """How many there are, at home or at a place."""
    WHICH = "which"
    """Which of several has a state, or is at a place."""
    EXISTS = "exists"
    """Whether there is any, at home or at a place; whether something is at a place."""
    CHANGED = "changed"
    """What is otherwise than before: anywhere, in a room, of a thing."""
    DID = "did"
    """What the robot did, or whether it did something."""
    HOW_OFTEN = "how_often"
    HOW_LONG = "how_long"
    WHY = "why"
    """Why the robot did something, or failed."""
    LOOKED = "looked"
    """What the robot has looked at, or into."""
    HOLDING = "holding"
    """What the robot holds."""
    ROBOT = "robot"
    """Where the robot is: place, room, floor."""
    ROUTE = "route"
    """How to get to a place."""
    SIZE = "size"
    """How big something is; which is the biggest."""
    ABLE = "able"
    """What the robot can do."""
    ABOUT = "about"
    """What is known of a thing or person."""
    WHO = "who"
    """Who did or said something."""
    ASKED = "asked"
    """What was asked of the robot, and what of it is not done."""
    HAPPENED = "happened"
    """What happened in a stretch of time."""
    TOLD = "told"
    """What people told: facts, preferences, habits."""


class Question(_Value):
    """Somebody wants to know something."""

    act: Literal["question"] = "question"
    quote: str
    """The words that it rests on, letter by letter."""
    kind: Kind
    thing: Thing | None = None
    """What it is about."""
    place: Where | None = None
    """Where that is, or where to look: "what is on the table?", "how many eggs are in the fridge?"."""
    state: str = ""
    """Of STATE, WHICH: on, off, open, closed, clean, dirty, full, empty, broken, whole, sliced, cooked, hot, cold."""
    deed: str = ""
    """Of DID, WHEN, HOW_OFTEN, WHY: what was done, as the verb's base form: clean, move, open."""
    time: Span | None = None
    first: bool = False
    """Of WHEN: the first time, not the last."""
    undone: bool = False
    """Of ASKED: only what is not done."""


class Request(_Value):
    """Somebody wants something done."""

    act: Literal["request"] = "request"
    quote: str


class Told(_Value):
    """Somebody tells something."""

    act: Literal["told"] = "told"
    quote: str


class Stop(_Value):
    """Somebody wants what is running to end."""

    act: Literal["stop"] = "stop"
    quote: str


class Social(_Value):
    """A greeting, thanks, praise, a farewell: a friendly line is the answer."""

    act: Literal["social"] = "social"
    quote: str
    kind: Literal["greeting", "thanks", "praise", "farewell", "apology", "agreement"]


Item = Annotated[Question | Request | Told | Stop | Social, Field(discriminator="act")]


class Reading(_Value):
    """All acts of an utterance."""

    version: int = VERSION
    reader: str
    """"rules", or the model's name."""
    language: str = "en"
    """As in BCP 47; "" where it is not known."""
    items: tuple[Item, ...] = ()
    unread: tuple[str, ...] = ()
    """Words that no item rests on, and that say something."""


Thing.model_rebuild()
