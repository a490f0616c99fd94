# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What several goals of one instruction mean together, which each by itself does not say."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from karma_language import reading
from karma_language.arranging.words import arranges
from karma_language.dialogue.utterances import goes_on
from karma_language.reading import Deed
from planner_node.understand.goals import ALL, Goal, ObjectRef, Predicate

LAMPS = ("DeskLamp", "FloorLamp")
"""By whose light a thing is looked at."""


def in_particular(wanted: Sequence[reading.Goal], text: str) -> Sequence[reading.Goal]:
    """Return goals without a first one that only announces the others: "HELP ME TIDY THE ROOM. Put the cup …".

    What comes "then" or "also" is something else.
    """
    first, rest = wanted[0], [goal for goal in wanted if goal.quote != wanted[0].quote]
    thing = first.thing
    whole = False
    if first.do is Deed.PLACE and first.to is None and thing is not None:
        whole = thing.every if thing.place is not None else thing.is_room
    if not rest or not arranges(first.verb) or not (whole or first.do is Deed.OTHER):
        return wanted
    begin = text.find(rest[0].quote, text.find(first.quote) + 1)
    before, after = text[: max(begin, 0)], rest[0].quote
    return wanted if begin < 0 or goes_on(before, after) else rest


def about_room(goals: Sequence[Goal], room: str) -> tuple[Goal, ...]:
    """Return goals whose places are rather in a room than elsewhere, where none is named."""

    def there(goal: Goal) -> Goal:
        to = goal.destination
        return goal if to is None or to.room else replace(goal, destination=replace(to, topic=room))

    return tuple(map(there, goals)) if room else tuple(goals)


def elsewhere(place: ObjectRef, themes: Sequence[ObjectRef]) -> ObjectRef:
    """Return where something goes without what it comes from: "from the bench to the TABLE" is to no desk."""
    places = [ref.place for ref in themes if ref.place is not None]
    if place.room or any(one.room for one in places):  # "from the dining table to the LIVING ROOM table"
        return place
    sources = {category for one in places for category in one.categories}
    others = tuple(category for category in place.categories if category not in sources)
    loosely = tuple(category for category in place.loosely if category not in sources)
    return replace(place, categories=others, loosely=loosely) if others else place


def side_by_side(themes: Sequence[ObjectRef], before: ObjectRef | None) -> list[Goal]:
    """Return the goals that put each of some things next to the one before it."""
    row = [*([before] if before is not None else []), *themes]
    return [Goal(Predicate.PLACE, ref, other, "near") for other, ref in itertools.pairwise(row)]


def joined(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Return the goals of one instruction, each once: several that say one thing in parts become one."""
    return tuple(dict.fromkeys(_with_light(_one_by_one(_carried(_somewhere(_without_summaries(goals)))))))


def _without_summaries(goals: Sequence[Goal]) -> list[Goal]:
    """Return goals without what only sums up others: "move the toys upstairs. Take the car and the train and …"."""

    def sums_up(number: int, ref: ObjectRef | None) -> bool:
        if ref is None or ref.count != ALL or goals[number].predicate is not Predicate.PLACE:
            return False
        later = {one.object.entity: one.object for one in goals[number + 1 :] if one.object is not None}
        parts = [one for one in later.values() if one.count == 1 and {*one.categories[:1]} < {*ref.categories}]
        to = goals[number].destination
        ends = [one.destination for one in goals[number + 1 :] if one.object in parts and one.destination is not None]
        same = to is None or all(_same_place(to, end) or end in later.values() for end in ends)
        return len(parts) > 1 and same

    return [goal for number, goal in enumerate(goals) if not sums_up(number, goal.object)]


def _same_place(one: ObjectRef, other: ObjectRef) -> bool:
    """Whether two places may be the same, as far as they are named."""
    if not one.categories and one.room:
        return one.room == other.room
    return bool({*one.categories} & {*other.categories}) and one.room in ("", other.room)


def _somewhere(goals: Sequence[Goal]) -> list[Goal]:
    """Return goals without moving things nowhere that are then put somewhere: "move the toys and put them away"."""
    left: list[Goal] = []
    for number, goal in enumerate(goals):
        nowhere = goal.predicate is Predicate.PLACE and goal.destination is None and not goal.relation
        later = (one.object for one in goals[number + 1 :] if one.predicate is Predicate.PLACE)
        if not (nowhere and any(ref == goal.object for ref in later)):
            left.append(goal)
    return left


def _carried(goals: Sequence[Goal]) -> list[Goal]:
    """Return goals without taking up several things that are then put somewhere: "get them all and put them in".

    Where these are taken from says which they are.
    """
    placed = [g.object.entity if g.predicate is Predicate.PLACE and g.object is not None else 0 for g in goals]
    moved = {*placed}
    up = (goal.object for goal in goals if goal.predicate in (Predicate.HOLD, Predicate.BRING))
    several = len({ref.entity for ref in up if ref is not None and ref.entity in moved}) > 1
    taken: dict[int, ObjectRef] = {}
    left: list[Goal] = []
    for number, goal in enumerate(goals):
        ref = goal.object
        if ref is not None and goal.predicate in (Predicate.HOLD, Predicate.BRING):
            later = ref.entity in placed[number + 1 :]
            if later and (ref.count != 1 or (several and goal.predicate is Predicate.HOLD)):
                taken[ref.entity] = ref
                continue
        elif ref is not None and ref.entity in taken:
            goal = replace(goal, object=replace(taken[ref.entity], count=ref.count, but=ref.but))
        left.append(goal)
    return left


def _one_by_one(goals: Sequence[Goal]) -> list[Goal]:
    """Return goals that put each of several things down where no more is asked of them: one hand holds one thing."""
    last = next((i for i, goal in enumerate(reversed(goals)) if goal.predicate is not Predicate.HOLD), len(goals))
    held = list(goals[len(goals) - last :])
    if len({goal.object for goal in held}) < 2:
        return list(goals)
    down = [(goal, replace(goal, predicate=Predicate.PUT_DOWN)) for goal in held]
    return [*goals[: len(goals) - last], *(one for pair in down for one in pair)]


def _with_light(goals: Sequence[Goal]) -> list[Goal]:
    """Join "turn on the lamp" and "look at the book", in either order, to one goal."""
    left: list[Goal] = []
    for goal in goals:
        last = left[-1] if left else None
        if last is not None and {last.predicate, goal.predicate} == {Predicate.SWITCH_ON, Predicate.EXAMINE}:
            switch, look = (last, goal) if last.predicate is Predicate.SWITCH_ON else (goal, last)
            lamps = tuple(c for c in switch.object.categories if c in LAMPS) if switch.object else ()
            if look.destination is None and lamps and switch.object is not None:
                left[-1] = replace(look, destination=replace(switch.object, categories=lamps))
                continue
        left.append(goal)
    return left
