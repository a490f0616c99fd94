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

from pydantic import BaseModel, ConfigDict, Field

VERSION = 1
"""Of the schema. A reading of another version is read again from its words."""


class _Value(BaseModel):
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


class Thing(_Value):
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
    """How many are said to be: "two plates"; 0 where it is not said."""
    pronoun: bool = False
    """Whether it is only pointed to: "it", "them", "there". What was spoken of before is meant."""
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

    @property
    def last_word(self) -> str:
        """In lower case; "" for no text."""
        return (self.text.lower().split() or [""])[-1]


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

    @property
    def meanwhile(self) -> bool:
        """Whether it is the time of what happened."""
        return self.lead in ("when", "while")


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


class Condition(_Value):
    """What has to be so, else nothing is done."""

    thing: Thing
    """What there has to be; at `thing.place`, where that is said."""
    state: str = ""
    """The state that it has to have, as in `Question.state`."""
    negated: bool = False


class Goal(_Value):
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


class Request(_Value):
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


Sort = Literal["", "ownership", "preference", "history", "group", "routine"]
"""Of what things mean to somebody, and of habits (MEMENTO, tables 5 and 6)."""


class Move(_Value):
    """One step of an arrangement, each place and thing as it was spoken of."""

    things: tuple[str, ...]
    source: str = ""
    goal: str = ""
    relation: str = ""
    """"on", "in" or "to", as said; empty without a goal."""
    beside: str = ""
    """What they are put next to: a thing, or "each other"."""


class Told(_Value):
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
    """FACT: when it ends by itself."""
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
    """What it is about, where a request beside it may mean that by "it"."""

    @property
    def of_it(self) -> bool:
        """Whether it is about what was spoken of or done before."""
        return self.of == ("it",)


class Need(_Value):
    """Somebody lacks something, or suffers from something: "it's dark in here". It is asked whether this would help."""

    act: Literal["need"] = "need"
    quote: str
    offers: tuple[Goal, ...] = ()


class Stop(_Value):
    """Somebody wants what is running to end."""

    act: Literal["stop"] = "stop"
    quote: str


class Social(_Value):
    """A greeting, thanks, praise, a farewell: a friendly line is the answer."""

    act: Literal["social"] = "social"
    quote: str
    kind: Literal["greeting", "thanks", "praise", "farewell", "apology", "agreement", "complaint", "chatter"]


Item = Annotated[Question | Request | Told | Need | Stop | Social, Field(discriminator="act")]


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


Thing.model_rebuild()


def quoted(item: Item, text: str) -> Item:
    """Return an item whose quotes stand in what was said, letter by letter: the whole text where one does not."""

    def said(quote: str) -> str:
        return quote if quote in text else text

    if isinstance(item, Request):
        goals = tuple(goal.model_copy(update={"quote": said(goal.quote)}) for goal in item.goals)
        return item.model_copy(update={"quote": said(item.quote), "goals": goals})
    return item.model_copy(update={"quote": said(item.quote.rstrip(" .!?"))})
