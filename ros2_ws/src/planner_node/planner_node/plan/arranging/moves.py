# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a request comes to: moves of things, joined over its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from karma_language.arranging.places import PlaceRef
from karma_language.told.habits.nouns import normal


@dataclass(frozen=True)
class ThingRef:
    """Something that is to be moved, as it is spoken of."""

    phrase: str
    """Without its determiner: "brass lantern with a tall handle", "drum"."""
    head: str
    """The phrase up to its first modifier after the noun: "brass lantern", "drum"."""
    plural: bool = False
    """Whether there is no telling how many: "the toys"."""
    count: int = 1
    """How many; 1 also where there is no telling."""
    other: bool = False
    """Whether it is not one that was spoken of before ("another cup")."""
    told: tuple[str, ...] = ()
    """What the rest of the text tells of it."""


@dataclass(frozen=True)
class Move:
    """Things to be put somewhere."""

    things: tuple[ThingRef, ...]
    to: PlaceRef | None = None
    relation: str = "on"
    """"on" or "within" the place."""
    source: PlaceRef | None = None
    together: bool = False
    """Whether the things are to be next to each other."""
    beside: ThingRef | PlaceRef | None = None
    """What they are to be next to."""
    sequel: bool = False
    """Whether it is said to come after what was said before."""


@dataclass(frozen=True)
class Request:
    """What a text asks for and tells."""

    text: str
    moves: tuple[Move, ...] = ()
    wishes: tuple[str, ...] = ()
    """Clauses that ask for something without saying what goes where: "set up my easel corner"."""
    topics: tuple[PlaceRef, ...] = ()
    """Places that it speaks of besides: "sort out the pantry"."""
    told: tuple[str, ...] = ()
    """Sentences that ask for nothing."""
    once: bool = False
    """Whether it says that its place is for this time only."""


def things_of(moves: Sequence[Move]) -> list[ThingRef]:
    """Return everything that moves speak of, once each, in the order of mention; what things go next to among it."""
    found: dict[ThingRef, None] = {}
    for move in moves:
        found.update(dict.fromkeys(move.things))
        if isinstance(move.beside, ThingRef):
            found[move.beside] = None
    return list(found)


def joined(moves: list[Move]) -> list[Move]:
    """Join what several sentences say of one move: from where, to which room, on which furniture, how it stands."""
    moves = _without_summaries(moves)
    found: list[Move] = []
    for move in moves:
        last = found[-1] if found else None
        same = last is not None and set(move.things) == set(last.things)
        if last is None or not same:
            found.append(move)
        elif move.to is None and not (move.sequel and isinstance(move.beside, ThingRef)):
            found[-1] = replace(last, together=last.together or move.together, beside=last.beside or move.beside)
        elif last.to is None and last.beside is None and not last.together:
            found[-1] = replace(move, source=last.source or move.source, sequel=last.sequel or move.sequel)
        elif not move.sequel and (refined := _refined(last, move)) is not None:
            found[-1] = refined
        else:
            found.append(move)
    return [move for move in found if move.to is not None or move.beside is not None or move.together]


def _refined(last: Move, move: Move) -> Move | None:
    """Return both as one move where the second only says the place of the first again or more exactly."""
    if last.to is None or move.to is None:
        return None
    if last.to.furniture and last.to.furniture != move.to.furniture:
        return None
    if last.to.rooms and move.to.rooms and last.to.rooms != move.to.rooms:
        return None
    place = last.to if last.to.furniture else move.to  # "the dining table", then "the table"
    to = replace(place, rooms=move.to.rooms or last.to.rooms, other=move.to.other or last.to.other)
    relation = move.relation if not last.to.furniture else last.relation
    together, beside = last.together or move.together, last.beside or move.beside
    return Move(last.things, to, relation, last.source or move.source, together, beside, last.sequel)


def _without_summaries(moves: list[Move]) -> list[Move]:
    """Leave out what only announces what is then said of each: "some toys" before the toy car and the toy train."""
    kept: list[Move] = []
    for index, move in enumerate(moves):
        later = {thing for following in moves[index + 1 :] if not following.sequel for thing in following.things}
        things = tuple(t for t in move.things if not (t.plural and _announces(t, later)))
        if len(things) < len(move.things) and set(things) <= later:
            continue
        kept.append(replace(move, things=things))
    return kept


def _announces(thing: ThingRef, later: set[ThingRef]) -> bool:
    """Whether a plural stands for things that are named one by one afterwards."""
    last = {*normal(thing.head)[-1:]}
    return thing not in later and sum(bool(last & {*normal(other.head)}) for other in later) > 1
