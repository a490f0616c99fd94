# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What somebody said, read: acts in the order of the words, each with the words that it rests on.

A reading is data. It is written to the journal beside the words (as JSON, hence pydantic and `VERSION`), and nothing
that is made of it parses text again.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated, Literal

from pydantic import Field

from karma_language.things import Span, Thing, Value, Where

VERSION = 1
"""Of the schema. A reading of another version is read again from its words."""


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
    CLOCK = "clock"
    """What time it is, or what day."""


OF_A_MOMENT = frozenset((Kind.WHERE, Kind.STATE, Kind.CONTENTS, Kind.COUNT, Kind.EXISTS, Kind.WHICH))
"""Kinds that ask how something is, or was, at a moment."""

OWN = "own"
"""The deed of a question of kind WHO that asks whose a thing is."""
RULES = "rules"
"""The thing of a question of kind ABOUT that asks what was forbidden."""


class Question(Value):
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
    """Of STATE, WHICH, COUNT, HOW_LONG, WHO, WHY: on, off, open, closed, clean, dirty, full, empty, broken, whole,
    sliced, cooked, hot, cold.
    """
    deed: str = ""
    """Of DID, WHEN, HOW_OFTEN, WHY: what was done, as the verb's base form: clean, move, open."""
    time: Span | None = None
    first: bool = False
    """Of WHEN, ASKED: the first time, not the last."""
    last: bool = False
    """Of DID: only the last of it."""
    usual: bool = False
    """Of WHERE: where it is as a rule."""
    storey: bool = False
    """Of WHERE: on which floor it is."""
    undone: bool = False
    """Of ASKED: only what is not done; of WHY: why something was not done."""
    open: bool = False
    """Of DID: whether it is asked what, and not whether."""
    whence: bool = False
    """Of DID: whether its place is where things were before: "what did you take OFF THE TABLE?"."""
    by: str = ""
    """Of DID, COUNT: who had it done, "me" or a name; "" for anybody."""
    either: bool = False
    """Whether it names alternatives: "open or closed?" is answered by the one that holds, and not by yes or no."""
    besides: Thing | None = None
    """What does not count: "is anything in the fridge besides the egg?"."""


class Deed(str, Enum):
    """What is to be done."""

    PLACE = "place"
    """Put, move, take to, throw away (then the place is a bin)."""
    PUT_DOWN = "put_down"
    """Empty the hand, wherever."""
    HOLD = "hold"
    """Take up."""
    BRING = "bring"
    """Bring or hand to a person."""
    CLEAN = "clean"
    HEAT = "heat"
    """Heat, cook, warm."""
    COOL = "cool"
    SLICE = "slice"
    BREAK = "break"
    FILL = "fill"
    EMPTY = "empty"
    """Pour out."""
    OPEN = "open"
    CLOSE = "close"
    SWITCH_ON = "switch_on"
    SWITCH_OFF = "switch_off"
    EXAMINE = "examine"
    """Hold it into the light of a lamp; without one, look at it."""
    THROW = "throw"
    FIND = "find"
    """Look for it until it is in view."""
    GO_TO = "go_to"
    """Drive to a thing, place, room or person: "come here" is going to "me"."""
    EXPLORE = "explore"
    """Look around, everywhere or at a place."""
    WAIT = "wait"
    SAME = "same"
    """What was asked for last: once more, or with this thing, or to that place: "the mug, too", "on the shelf"."""
    OTHER = "other"
    """What no skill does; `verb` names it: "sing"."""


class Condition(Value):
    """What has to be so, else nothing is done."""

    thing: Thing
    """What there has to be; at `thing.place`, where that is said."""
    state: str = ""
    """The state that it has to have, as in `Question.state`."""
    negated: bool = False


class Goal(Value):
    """One thing that somebody wants done."""

    quote: str
    """The words that it rests on, letter by letter."""
    do: Deed
    verb: str = ""
    """As said, base form, with its particle: "put away"."""
    thing: Thing | None = None
    """What it is done to."""
    to: Where | None = None
    """PLACE: where to. EXAMINE: near the lamp. Of others: where it is to be afterwards: "rinse the cup in the sink"."""
    back: bool = False
    """PLACE: to where it was, or where it belongs; no word names the place."""
    person: str = ""
    """BRING, GO_TO: to whom, "me" for the speaker."""
    using: Thing | None = None
    """What with: the milk of "fill the cup with milk", the knife of "cut it with the knife"."""
    choice: tuple[str, ...] = ()
    """Things or places of which it isn't said which one is meant, as said: "the mug" and "the cup", joined by "or"."""
    condition: Condition | None = None
    seconds: float | None = None
    """For how long: "for a minute"; WAIT: how long."""
    at: Span | None = None
    """When, where it is not now: "at eight", "after dinner"."""
    aside: tuple[str, ...] = ()
    """Words that ask for more than the other fields hold: "carefully", "upside down". They are said to be left out."""

    @property
    def together(self) -> bool:
        """Whether the things are to be next to each other."""
        return "together" in self.aside

    @property
    def manners(self) -> tuple[str, ...]:
        """What more is asked of how it is done; that things are put next to each other is no matter of manner."""
        return tuple(words for words in self.aside if words != "together" or self.do is not Deed.PLACE)


class Request(Value):
    """Somebody wants something done."""

    act: Literal["request"] = "request"
    quote: str
    goals: tuple[Goal, ...] = ()
    """In the order of doing."""
    never: bool = False
    """Whether it is a prohibition for now: "don't touch the vase"."""


class Telling(str, Enum):
    """What kind of thing is told."""

    WORDS = "words"
    """Nothing but the words: what they come to is still to be read."""
    FACT = "fact"
    """The `relation` of `of` is `value`, or `when`: "my sister lives in Oslo" is of me, sister: residence, Oslo."""
    OVER = "over"
    """That is not so, or not any more. Without a relation: whatever has that value; without a value: whatever it is."""
    PREFERENCE = "preference"
    """The speaker wants `value` under `circumstance`."""
    MEANING = "meaning"
    """What `things` mean to the speaker, who calls them `name`: a gift, a favourite, theirs."""
    HABIT = "habit"
    """What the speaker does again and again, or how they like things arranged: "my morning coffee"."""
    DENIAL = "denial"
    """A meaning or a habit is not so: the one that is called by the words of `value`."""
    PROHIBITION = "prohibition"
    """Nobody is to do what `value` says in plain words: "use the good plates"."""
    OWNER = "owner"
    """The things that it is `about` are of `of`: "me", a name, or a noun: "sister"; of nobody who is known, where
    that is empty: "the laptop is not mine"."""


Sort = Literal["", "ownership", "preference", "history", "group", "routine"]
"""Of what things mean to somebody, and of habits (MEMENTO, tables 5 and 6)."""


class Move(Value):
    """One step of an arrangement, each place and thing as it was spoken of."""

    things: tuple[str, ...]
    source: str = ""
    goal: str = ""
    relation: str = ""
    """"on", "in" or "to", as said; empty without a goal."""
    beside: str = ""
    """What they are put next to: a thing, or "each other"."""


class Told(Value):
    """Somebody tells something: one thing each, in few plain fields."""

    act: Literal["told"] = "told"
    quote: str
    """The words that it rests on, letter by letter."""
    kind: Telling = Telling.WORDS
    of: tuple[str, ...] = ("me",)
    """FACT, OVER: whom or what it is about, one step after the other: ("me", "sister", "boss") is the boss of the
    speaker's sister. It begins with "me", "he", "she", "it", "they", a name or a noun."""
    relation: str = ""
    """FACT, OVER: a noun: residence, employer, birthday, allergy, "to do", "to buy", "locker code"; "~" before a verb
    that has no noun: "~play"."""
    value: tuple[str, ...] = ()
    """What it is, in steps like `of`: ("Oslo",), ("me", "mother")."""
    when: Span | None = None
    """FACT: the time that it is, in place of `value`: a day is a stretch, a time of day is `at`."""
    yearly: bool = False
    """Whether `when` has no year of its own, as birthdays have none."""
    until: Span | None = None
    """FACT, PROHIBITION: when it ends by itself."""
    but: tuple[str, ...] = ()
    """PROHIBITION: whom alone it does not bind, by name in lower case; "me" is who says it."""
    instead_of: str = ""
    """FACT: what it takes the place of, as said."""
    circumstance: str = ""
    """PREFERENCE: when it holds, as said: "when I am tired"; "" for always."""
    name: str = ""
    """MEANING, HABIT: what the speaker calls it: "my favorite cup", "afternoon tea"."""
    sort: Sort = ""
    """MEANING: one of the first four; HABIT: preference or routine."""
    things: tuple[str, ...] = ()
    """MEANING, HABIT: what it is about, each with its looks where they are told: "cup which is red"."""
    moves: tuple[Move, ...] = ()
    """HABIT: what is put where, in order."""
    ended: bool = False
    """DENIAL: whether it was so once: "no longer", "any more"."""
    about: tuple[Thing, ...] = ()
    """OWNER: what is somebody's. Of others: what it is about, where a request beside it may mean that by "it"."""

    @property
    def of_it(self) -> bool:
        """Whether it is about what was spoken of or done before."""
        return self.of == ("it",)


class Need(Value):
    """Somebody lacks something, or suffers from something: "it's dark in here". It is asked whether this would help."""

    act: Literal["need"] = "need"
    quote: str
    offers: tuple[Goal, ...] = ()


class Stop(Value):
    """Somebody wants what is running to end."""

    act: Literal["stop"] = "stop"
    quote: str


class Social(Value):
    """A greeting, thanks, praise, a farewell: a friendly line is the answer."""

    act: Literal["social"] = "social"
    quote: str
    kind: Literal["greeting", "thanks", "praise", "farewell", "apology", "agreement", "complaint", "chatter"]


Item = Annotated[Question | Request | Told | Need | Stop | Social, Field(discriminator="act")]


class Reading(Value):
    """All acts of an utterance."""

    version: int = VERSION
    reader: str
    """"rules", or the model's name."""
    language: str = "en"
    """As in BCP 47; "" where it is not known."""
    items: tuple[Item, ...] = ()
    unread: tuple[str, ...] = ()
    """Words that no item rests on, and that say something."""
    spelled: tuple[tuple[str, str], ...] = ()
    """Words as they were typed, and what they were taken for: ("aple", "apple")."""

    def to_json(self) -> str:
        """Return the reading as short JSON, without what is as it is by default."""
        content = self.model_dump(mode="json", exclude_defaults=True)
        items = [{"act": item.act, **rest} for item, rest in zip(self.items, content.pop("items", ()), strict=True)]
        return json.dumps({"version": self.version, **content, "items": items}, ensure_ascii=False)

    @property
    def told(self) -> tuple[Told, ...]:
        """What is told, in the order of the words."""
        return tuple(item for item in self.items if isinstance(item, Told))


def quoted(item: Item, text: str) -> Item:
    """Return an item whose quotes stand in what was said, letter by letter: the whole text where one does not."""

    def said(quote: str) -> str:
        return quote if quote in text else text

    if isinstance(item, Request):
        goals = tuple(goal.model_copy(update={"quote": said(goal.quote)}) for goal in item.goals)
        return item.model_copy(update={"quote": said(item.quote), "goals": goals})
    return item.model_copy(update={"quote": said(item.quote.rstrip(" .!?"))})
