# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is not to be done, against what a request would do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from karma_language import reading
from karma_language.reading import Deed
from karma_language.things import Thing
from karma_language.vocabulary.word_meanings import Sort, means, speaks_of
from planner_node.understand.goals import ALL, Goal, ObjectRef, Predicate
from planner_node.understand.requests import Requests

_DONE_WITH = frozenset((Predicate.HEAT, Predicate.COOL, Predicate.SWITCH_ON))
"""Goals that use an appliance: their object, or where they are reached."""
_HARMS = frozenset((Predicate.BREAK, Predicate.SLICE, Predicate.FILL))


def forbids(never: reading.Goal, goals: Sequence[Goal], requests: Requests) -> bool:
    """Whether what is not to be done is one of some goals."""
    return any(_same_deed(never, goal) and _same_thing(never, goal, requests) for goal in goals)


def spare(never: Iterable[reading.Goal], goal: Goal, requests: Requests) -> Goal:
    """Return a goal for all of several kinds of things without what is not to be handled; another one as it is."""
    for one in never:
        meant = goal.object
        if meant is None or meant.count != ALL or one.thing is None or not forbids(one, [goal], requests):
            continue
        ref = requests.reference(one.thing)
        if ref is not None and {*meant.categories} - {*ref.categories}:
            goal = replace(goal, object=replace(meant, but=(*meant.but, replace(ref, mine=False, owner=""))))
    return goal


def needs(appliance: Thing, goals: Sequence[Goal], requests: Requests) -> bool:
    """Whether one of some goals uses an appliance."""
    uses = reading.Goal(quote="", do=Deed.SWITCH_ON, thing=appliance)
    return any(goal.predicate in _DONE_WITH and _same_thing(uses, goal, requests) for goal in goals)


def _same_thing(forbidden: reading.Goal, goal: Goal, requests: Requests) -> bool:
    """Whether a goal is about what is forbidden, or uses it, and takes it where that is forbidden."""
    thing, place = forbidden.thing, forbidden.to.thing if forbidden.to is not None else None
    if thing is not None and thing.place is not None and goal.object is not None:
        anything, there = means(thing.last_word, Sort.ANYTHING), goal.object.place
        if not (_means(thing.place.thing, there, requests) if there is not None else not anything):
            return False
    if place is not None and forbidden.do is Deed.PLACE and not _means(place, goal.destination, requests):
        return False
    if place is not None and (thing is None or means(thing.last_word, Sort.ANYTHING)):
        at = goal.object.place if goal.object is not None else None
        meant = (goal.destination, *((goal.object, at) if thing is None else ()))
        return any(_means(place, one, requests) for one in meant)
    used = goal.destination if goal.predicate in _DONE_WITH else None
    return _means(thing, goal.object, requests) or _means(thing, used, requests)


def _means(thing: Thing | None, meant: ObjectRef | None, requests: Requests) -> bool:
    """Whether what is meant may be a thing, or a room."""
    ref = requests.reference(thing) if thing is not None and meant is not None else None
    if ref is None or meant is None:
        return False
    lexicon = requests.resolver.lexicon
    room = lexicon.room(ref.room)
    there = bool(room) and not ref.categories and room == lexicon.room(meant.room)
    spared = any({*ref.categories} <= {*left.categories} for left in meant.but)
    return there or (not spared and bool({*ref.categories} & {*meant.categories}))


def _same_deed(forbidden: reading.Goal, goal: Goal) -> bool:
    """Whether a goal does what is forbidden: who may not move a thing may not take it, either."""
    if forbidden.do is Deed.BRING and not speaks_of(forbidden.verb, Sort.FETCHING):
        return False  # "don't GIVE it to anyone" does not forbid its owner to have it
    handles = forbidden.do is Deed.OTHER and speaks_of(forbidden.verb, Sort.HANDLING)
    at_all = handles or forbidden.do is Deed.GO_TO
    named = forbidden.thing is not None and not forbidden.thing.pronoun
    moves = at_all or forbidden.do in (Deed.PLACE, Deed.HOLD, Deed.BRING) or (forbidden.do is Deed.OTHER and named)
    if forbidden.do is Deed.GO_TO and forbidden.thing is None:
        return True  # whatever is done there
    carried = goal.predicate in (Predicate.PLACE, Predicate.HOLD, Predicate.BRING, Predicate.CLEAN, Predicate.THROW)
    return (
        (moves and carried)
        or (at_all and goal.predicate in (*_DONE_WITH, *_HARMS))
        or forbidden.do.value == goal.predicate.value
    )
