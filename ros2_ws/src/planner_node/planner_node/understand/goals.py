# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction asks for, independent of how it was said and of what is where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from karma_language.vocabulary.terms import singular
from planner_node.skills import Code, SkillCall

_MOST_CATEGORIES = 6
"""Meanings of a noun that are told to the memory."""

ALL = 0
"""`ObjectRef.count` for "all the ..."."""

BACK = "back"
"""`Goal.relation` where a thing is to go back to where it was, which no word names."""


class Predicate(str, Enum):
    """What is to be true or done."""

    PLACE = "place"  # object on or in destination
    PUT_DOWN = "put_down"  # hand empty, object on something near
    HOLD = "hold"  # object in the gripper
    BRING = "bring"  # object in the gripper, where the person is
    CLEAN = "clean"
    HEAT = "heat"
    COOL = "cool"
    SLICE = "slice"
    BREAK = "break"
    FILL = "fill"
    OPEN = "open"
    CLOSE = "close"
    SWITCH_ON = "switch_on"
    SWITCH_OFF = "switch_off"
    EXAMINE = "examine"  # object held in the light of destination; looked at when there is none
    THROW = "throw"  # object thrown ahead
    FIND = "find"  # object in view
    GO_TO = "go_to"  # robot at object, or in the object's room
    EXPLORE = "explore"  # everything seen
    FOLLOW = "follow"  # one call of a written plan


SET = {
    Predicate.OPEN: ("closed", False),
    Predicate.CLOSE: ("closed", True),
    Predicate.SWITCH_ON: ("toggled", True),
    Predicate.SWITCH_OFF: ("toggled", False),
}
"""Goals that are reached when a predicate has a value."""


@dataclass(frozen=True)
class ObjectRef:
    """An object or several, as the instruction speaks of them."""

    categories: tuple[str, ...]
    """What it may be, likeliest first; empty for a room (see `room`)."""
    noun: str
    """As said, for people."""
    loosely: tuple[str, ...] = ()
    """What it may be when there is nothing of `categories`."""
    states: frozenset[str] = frozenset()
    """States it is said to have: clean, dirty, hot, cold, sliced, open, filled. Chosen by, or brought about."""
    colours: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()
    """What it is said to look like, where that may tell it from others of its kind."""
    count: int = 1
    """How many; ALL for every one."""
    entity: int = 0
    """References with the same number mean the same object, within one instruction."""
    other: bool = False
    """Whether it must not be one that was already spoken of ("another apple")."""
    place: ObjectRef | None = None
    """Where it is said to be now."""
    near: ObjectRef | None = None
    """What it is said to stand beside."""
    vague: str = ""
    """What to say of words that would tell which one is meant, and that nothing known decides; "" where none are."""
    size: int = 0
    """1 where it is said to be the larger of several, -1 the smaller."""
    definite: bool = False
    """Whether it is spoken of as if there was one: "the drawer"."""
    mine: bool = False
    """Whether it is the speaker's: "my cup"."""
    owner: str = ""
    """Whose it is said to be, if not the speaker's: "Tom's cup"."""
    topic: str = ""
    """Room that the instruction is about: "tidy the laundry room. Put the vase on the TABLE"."""
    room: str = ""
    """Room it is said to be in, or that is meant, as it is called."""
    but: tuple[ObjectRef, ...] = ()
    """Of ALL: what is not meant."""
    id: str = ""
    """Scene-graph id, where the instruction names one."""
    margin: float = 1.0
    """How far the likeliest of `categories` is ahead of what else may be meant, 0 to 1; 1 where the text names it."""

    def __str__(self) -> str:
        words = [*sorted(self.states), *self.colours, self.noun]
        if self.count == ALL:
            words.insert(0, "all")
        elif self.count > 1:
            words.insert(0, str(self.count))
        if self.place is not None:
            words.append(f"from {self.place}")
        return " ".join(words)


Place = tuple[str, ObjectRef]
"""Relation to something and what it is: ("on", the shelf)."""


@dataclass(frozen=True)
class Condition:
    """What has to be so for a goal to count: looked at when it is the goal's turn."""

    object: ObjectRef
    state: str = ""
    """open, closed, on, off, clean, dirty, hot, cold, sliced, filled, empty or broken; empty: that there is one, at
    `object.place` where that is given."""
    negated: bool = False

    def __str__(self) -> str:
        state = self.state or "there"
        return f"{'not ' if self.negated else ''}{state}({self.object})"


@dataclass(frozen=True)
class Goal:
    """One thing to be made true; goals of an instruction are reached in order."""

    predicate: Predicate
    object: ObjectRef | None = None
    destination: ObjectRef | None = None
    relation: str = ""
    """"on", "in" or "near" the destination as said; of EXAMINE: "in" the object, which is opened; BACK; empty where
    nothing was said. BACK without a destination: to where the thing was before this instruction."""
    call: SkillCall | None = None
    """FOLLOW: the call; `object` and `destination` are its target and receptacle, where they are named by kind."""
    line: int = 0
    """FOLLOW: its line in the plan, from 1."""
    condition: Condition | None = None
    """What has to be so, else there is nothing to do."""

    @property
    def refs(self) -> list[ObjectRef]:
        """What it is about, and where that goes."""
        return [ref for ref in (self.object, self.destination) if ref is not None]

    def __str__(self) -> str:
        if self.call is not None:
            return str(self.call)
        arguments = [str(ref) for ref in self.refs]
        if self.destination is not None and self.relation:
            arguments.append(self.relation)
        condition = f" if {self.condition}" if self.condition is not None else ""
        return f"{self.predicate.value}({', '.join(arguments)}){condition}"


def with_refs(goal: Goal, change: Callable[[ObjectRef | None], ObjectRef | None]) -> Goal:
    """Return a goal with each of its references changed, that of its condition as well."""
    first, second, condition = change(goal.object), change(goal.destination), goal.condition
    if condition is not None and (looked_at := change(condition.object)) is not None:
        condition = replace(condition, object=looked_at)
    return replace(goal, object=first, destination=second, condition=condition)


def goal_text(goal: Goal, meant: Mapping[int, str] | None = None) -> str:
    """Return a goal as text for the memory: "place(bottle=SprayBottle|SoapBottle, toilet=Toilet, on)".

    Each noun stands with the categories that it may mean, likeliest first. `meant`: entity → what it was taken for.
    """

    def argument(ref: ObjectRef) -> str:
        chosen = (meant or {}).get(ref.entity)
        categories = [chosen] if chosen else [*ref.categories, *ref.loosely][:_MOST_CATEGORIES]
        return f"{ref.noun}={'|'.join(categories)}" if categories else ref.noun

    arguments = [argument(ref) for ref in goal.refs]
    if goal.relation and (goal.destination is not None or goal.predicate is Predicate.EXAMINE):
        arguments.append(goal.relation)
    return f"{goal.predicate.value}({', '.join(arguments)})"


def placed(goal: Goal, place: ObjectRef, goals: Iterable[Goal], relation: str) -> Goal:
    """Return a goal with its place. `goals`: the others, whose references mean other things."""
    return replace(goal, destination=replace(place, entity=last_entity(goals) + 1), relation=relation)


def last_entity(goals: Iterable[Goal]) -> int:
    """Return the highest number that goals give to a thing: a higher one means another thing."""
    return max((ref.entity for goal in goals for ref in goal.refs), default=0)


@dataclass(frozen=True)
class Understood:
    """The text asks for something."""

    goals: tuple[Goal, ...]
    notes: tuple[str, ...] = ()
    """What was assumed, e.g. corrected spelling, in sentences."""


@dataclass(frozen=True)
class Statement:
    """The text tells something; there is nothing to do but to remember it."""

    text: str


@dataclass(frozen=True)
class NotUnderstood:
    """The text could not be turned into goals; the message says what is missing and what may have been meant."""

    code: Code
    message: str
    choices: tuple[str, ...] = ()
    """What an AMBIGUOUS request can be completed with, where that is known."""
    goals: tuple[Goal, ...] = ()
    """What was understood where all that is missing is where to put things: PLACE without a destination."""
    phrase: str = ""
    """The words that are not clear, where an answer takes their place: one of `choices` for a description."""


Understanding = Understood | Statement | NotUnderstood


MOVING = frozenset(
    {
        *(Predicate.PLACE, Predicate.PUT_DOWN, Predicate.HOLD, Predicate.BRING, Predicate.EXAMINE),
        *(Predicate.CLEAN, Predicate.HEAT, Predicate.COOL, Predicate.FILL),
    }
)
"""Goals for which a thing is taken from where it was."""


def goes_back(goals: Sequence[Goal], number: int) -> bool:
    """Whether a goal is to put a thing back where it was before the goals until then took it from there."""
    goal = goals[number]
    if goal.relation != BACK or goal.object is None or not goal.object.entity:
        return False
    before = (other.object for other in goals[:number] if other.predicate in MOVING)
    return any(ref is not None and ref.entity == goal.object.entity for ref in before)


def complete(goals: tuple[Goal, ...], notes: tuple[str, ...] = ()) -> Understood | NotUnderstood:
    """Return what is understood: all of it, or what lacks a place to put something."""
    for number, goal in enumerate(goals):
        if goal.predicate is not Predicate.PLACE or goal.object is None or goal.destination is not None:
            continue
        if not goes_back(goals, number):
            return NotUnderstood(Code.AMBIGUOUS, f"Where shall I put the {goal.object.noun}?", goals=goals)
    return Understood(goals, notes)


def more_exactly(known: ObjectRef, ref: ObjectRef) -> bool:
    """Whether something was named more exactly before: "the FLOOR LAMP is on? Switch THE LAMP off"."""
    named = known.noun.lower().split()
    one = ref.definite and ref.count == known.count == 1 and not (ref.colours or ref.owner or ref.mine)
    return one and len(named) > 1 and named[-1] == ref.noun.lower() and {*known.categories} < {*ref.categories}


def is_one(ref: ObjectRef) -> bool:
    """Whether a reference is to one thing by a word for one: "keys" are "them" by themselves."""
    return ref.count == 1 and singular(ref.noun.lower()) == ref.noun.lower()
