# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a command moves from where to where, for the patterns of a profile, as the grammar reads it."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from karma_language.reading import Deed, Move, Request
from karma_language.things import Relation, Thing, Where
from karma_language.told.habits.nouns import of_any_home
from karma_language.vocabulary import household
from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.words import GENERIC

if TYPE_CHECKING:
    from karma_language.requests.requests import Grammar

EACH_OTHER = "each other"
"""Value of Move.beside."""
_MOVED = frozenset((Deed.PLACE, Deed.BRING, Deed.HOLD, Deed.PUT_DOWN, Deed.OTHER))
_RELATIONS = {Relation.ON: "on", Relation.IN: "in"}
"""As Move has them; others are "to"."""


@lru_cache(1)
def grammar() -> Grammar:
    """Return the grammar of requests, for the furniture and the rooms of any home."""
    from karma_language.requests.requests import Grammar  # it reads the facts' verbs, whose package reads habits

    return Grammar(of_any_home(), described(household()).is_word)


def moves(instruction: str) -> tuple[Move, ...]:
    """Return what an instruction asks to move, in order; nothing of one with words that are not understood."""
    found: list[Move] = []
    spoken: tuple[str, ...] = ()
    reading = grammar().read(instruction)
    items = reading.items if not reading.unread else ()
    goals = [goal for item in items if isinstance(item, Request) and not item.never for goal in item.goals]
    for (_, do, to), clause in groupby(goals, lambda goal: (goal.quote, goal.do, goal.to)):
        same = tuple(clause)
        things = [goal.thing for goal in same if goal.thing is not None]
        source = next((thing.place.thing for thing in things if thing.place is not None), None)
        named = [thing for thing in things if not thing.pronoun and thing.text not in GENERIC]
        names = tuple(map(_looks, named)) or (spoken if things else ())
        nowhere = to is None and source is None and (do is Deed.OTHER or any(thing.room for thing in things))
        if do not in _MOVED or nowhere or not names:
            continue
        place, near = _parted(to)
        spoken = (*names, near) if near else names
        together = any(goal.together for goal in same)
        move = Move(
            things=names,
            source=_place(source) if source is not None else "",
            goal=_place(place.thing) if place is not None else "",
            relation=_RELATIONS.get(place.relation, "to") if place is not None else "",
            beside=EACH_OTHER if together else near and f"the {near}",
        )
        found.append(move)
    return tuple(found)


def _parted(to: Where | None) -> tuple[Where | None, str]:
    """Return the place to which things go, and what they are put next to."""
    inner = to.thing.place if to is not None else None
    if to is not None and to.relation is Relation.NEAR:
        return inner, _beside(to.thing)
    return to, _beside(inner.thing) if inner is not None and inner.relation is Relation.NEAR else ""


def _beside(thing: Thing) -> str:
    return "" if thing.pronoun else _looks(thing)


def _looks(thing: Thing) -> str:
    """Return a thing as it was spoken of, with what tells it from its like."""
    return " ".join((*(word for word in thing.attributes if word not in thing.text), thing.text))


def _place(thing: Thing) -> str:
    """Return a place with the room that it is in."""
    text = f"{'another' if thing.other else 'the'} {thing.text}"
    inner = thing.place
    if inner is not None and inner.relation is not Relation.NEAR:
        return f"{text} in {_place(inner.thing)}"
    return f"{text} in the {thing.room}" if thing.room and thing.room not in text else text
