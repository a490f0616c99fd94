# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a right answer has to say, computed from what the robot could have seen.

`where(X)`, `last_seen(X)`, `state(X, on)`, `count(X)`, `count(X, PLACE)`, `contents(PLACE)`, `changed(SECONDS)`.
What it could not know has to be answered by saying so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from karma_eval.answers import number_in, says
from karma_eval.karma import naming
from karma_eval.talk.knowledge import Knowledge
from karma_language.vocabulary.lexicon import split_camel
from karma_language.vocabulary.states import STATES
from planner_node.skills import Node
from sim_bridge.household.model import Room
from sim_bridge.household.world import GRIPPER, World

_CALL = re.compile(r"(where|last_seen|state|count|contents|changed)\(([^()]*)\)")
_ARGUMENTS = {"where": (1,), "last_seen": (1,), "state": (2,), "count": (1, 2), "contents": (1,), "changed": (1,)}
_FLAGS = {name: (flag, value) for name, (flag, value, _) in STATES.items()} | {"filled": STATES["full"][:2]}
_DENIES = re.compile(r"\bnot\b|n't\b", re.I)
_NOTHING = re.compile(r"\b(nothing|empty|none|no|nothing's)\b", re.I)


class TruthError(ValueError):
    """No truth is called so; the message says which there are."""


@dataclass(frozen=True)
class Truth:
    """What is asked, read."""

    name: str
    arguments: tuple[str, ...]


def read_truth(text: str) -> Truth:
    """Read a truth. TruthError when there is none of this name, or a name in it means nothing."""
    match = _CALL.fullmatch(text.strip())
    arguments = tuple(part.strip() for part in match[2].split(",")) if match else ()
    if match is None or len(arguments) not in _ARGUMENTS[match[1]] or not all(arguments):
        raise TruthError(
            f"{text!r} is none of where(X), last_seen(X), state(X, on), count(X), count(X, PLACE), contents(PLACE), "
            "changed(SECONDS)"
        )
    truth = Truth(match[1], arguments)
    if truth.name == "changed":
        try:
            float(arguments[0])
        except ValueError:
            raise TruthError(f"{text!r}: {arguments[0]!r} is no number of seconds") from None
        return truth
    if truth.name == "state" and arguments[1].casefold() not in _FLAGS:
        raise TruthError(f"{text!r}: no state {arguments[1]!r}; there are {', '.join(_FLAGS)}")
    named = arguments[:1] if truth.name == "state" else arguments
    for name in named:
        if not naming.categories_of(name):
            raise TruthError(f"{text!r}: I know of no {name!r}")
    return truth


@dataclass(frozen=True)
class Known:
    """What the robot could have seen of what is asked."""

    right: bool
    """Whether the answer says it."""
    knowable: bool = True
    """Whether the robot could know; if not, `right` says nothing, and the answer has to admit it."""


def judge_truth(truth: Truth, answer: str, knowledge: Knowledge, world: World, now: float) -> Known:
    """Compare an answer with what the robot could have seen by `now` (its clock, seconds)."""
    match truth.name:
        case "where" | "last_seen":
            return _where(truth.arguments[0], answer, knowledge, world)
        case "state":
            return _state(truth.arguments[0], truth.arguments[1].casefold(), answer, knowledge)
        case "count":
            return _count(truth.arguments, answer, knowledge)
        case "contents":
            return _contents(truth.arguments[0], answer, knowledge)
        case _:
            return _changed(float(truth.arguments[0]), answer, knowledge, world, now)


def _where(thing: str, answer: str, knowledge: Knowledge, world: World) -> Known:
    found = list(knowledge.of(naming.categories_of(thing)))
    if not found:
        return Known(right=False, knowable=False)
    return Known(any(_names_place(answer, node, knowledge, world) for node in found))


def _names_place(answer: str, node: Node, knowledge: Knowledge, world: World) -> bool:
    """Whether an answer names what holds a thing, or its room, and no other room."""
    if node.receptacle == GRIPPER or node.relation == "held":
        return bool(re.search(r"\b(hold|holding|held|hand|gripper)\b", answer, re.I))
    holders = list(knowledge.holders(node))
    room = _room((holders[-1] if holders else node).id, world)
    others = {name for each in world.scene.rooms for name in _room_names(each)} - set(room)
    if not any(says(answer, name) for name in room) and any(says(answer, name) for name in others):
        return False
    placed = any(naming.names(answer, [holder.category]) for holder in holders)
    return placed or any(says(answer, name) for name in room)


def _room(name: str, world: World) -> tuple[str, ...]:
    spec = world.specs.get(name)
    rooms = {room.name: room for room in world.scene.rooms}
    return _room_names(rooms[spec.room]) if spec is not None and spec.room in rooms else ()


def _room_names(room: Room) -> tuple[str, ...]:
    """Return what a room is called: by its kind, and by its own name, as the "guest room" that is a bedroom."""
    return split_camel(room.kind).casefold(), room.name.replace("_", " ").casefold()


def _state(thing: str, state: str, answer: str, knowledge: Knowledge) -> Known:
    flag, wanted = _FLAGS[state]
    categories = naming.categories_of(thing)
    values = [node.states[flag] for node in knowledge.of(categories) if flag in node.states]
    if state == "sliced":  # then it is in pieces, and those are other things
        values += ["true" for _ in knowledge.of(f"{category}Sliced" for category in categories)]
    if not values:
        return Known(right=False, knowable=False)
    said, named = says_yes(answer), _polarity(answer, state)
    if said is None or (named is not None and state not in ("on", "off") and not _DENIES.search(answer)):
        said = named  # "Yes, the fridge is CLOSED", asked whether it is shut
    return Known(said is not None and said == any(value == wanted for value in values))


def says_yes(answer: str) -> bool | None:
    """Return whether an answer says yes or no; None for neither."""
    match = re.search(r"\b(yes|no|not|isn't|aren't|none|nothing)\b", answer, re.I)
    return None if match is None else match[1].casefold() == "yes"


def _polarity(answer: str, state: str) -> bool | None:
    """Return whether an answer without yes or no says a state, or its opposite."""
    state = "full" if state == "filled" else state
    opposite = STATES[state][2]
    said = [word for word in (state, opposite) if says(answer, word)]
    if opposite not in STATES:  # "not sliced" says "sliced", too
        return True if state in said else None
    return said == [state] if len(said) == 1 else None


def _count(arguments: Sequence[str], answer: str, knowledge: Knowledge) -> Known:
    found = list(knowledge.of(naming.categories_of(arguments[0])))
    if len(arguments) > 1:
        places = frozenset(naming.categories_of(arguments[1]))
        found = [node for node in found if any(holder.category in places for holder in knowledge.holders(node))]
        if not any(knowledge.looked_into(place.id) for place in knowledge.of(places)):
            return Known(right=False, knowable=False)
    exact = naming.exact_categories_of(arguments[0])
    counts = {len(found), sum(node.category in exact for node in found)}
    return Known(number_in(answer) in counts)


def _contents(place: str, answer: str, knowledge: Knowledge) -> Known:
    looked = [name for name in knowledge.places(naming.categories_of(place)) if knowledge.looked_into(name)]
    if not looked:
        return Known(right=False, knowable=False)
    each = [knowledge.inside(name) for name in looked]
    every = tuple(node for there in each for node in there)
    return Known(any(_lists(answer, there) for there in (*each, every)))


def _lists(answer: str, things: Sequence[Node]) -> bool:
    """Whether an answer names every kind among things; "nothing" for none."""
    if not things:
        return bool(_NOTHING.search(answer))
    return all(naming.names(answer, [node.category]) for node in things)


def _changed(seconds: float, answer: str, knowledge: Knowledge, world: World, now: float) -> Known:
    changed = {change.name for change in knowledge.changes if change.stamp >= now - seconds}
    categories = {world.category(name) for name in changed if name in world.specs and world.specs[name].movable}
    if not categories:
        return Known(says_yes(answer) is False)
    return Known(all(naming.names(answer, [category]) for category in categories))


def names_in(text: str) -> Iterator[str]:
    """Yield what a truth calls things and places, to see whether a scene has them."""
    truth = read_truth(text)
    if truth.name != "changed":
        yield from truth.arguments[:1] if truth.name == "state" else truth.arguments
