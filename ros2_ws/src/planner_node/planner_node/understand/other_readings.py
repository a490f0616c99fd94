# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Other ways to take the words of an instruction, for trying again what was not what the person wanted.

A reading says for each reference of the goals which category its noun means. Readings are walked down by how unlikely
they are: a noun's meanings in their order, what it loosely means, things of the same class, and then what could be
meant at all, because it can be carried, holds things, or can be switched.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.understand.goals import Goal, ObjectRef, Predicate, with_refs
from planner_node.understand.possible_goals import needed

Reading = Mapping[int, str]
"""Entity of a reference → category that it is taken for."""

_NEXT, _LOOSELY, _KIN, _POSSIBLE = 1.0, 1.0, 2.0, 4.0
"""How unlikely: the next meaning in order, a loose meaning, the same class of things, anything of the right sort."""
_UNSEEN = 0.5
"""How much less likely what a noun means is where none was seen yet."""
_PLAIN = 2.0
"""How much less likely it is that a noun with one meaning alone, which there is, means something else."""
_MOST_READINGS = 500
"""Readings that are looked through for one that was not tried."""
_MOST_MEANINGS = 8
"""Categories that one noun is taken for, at most."""


@dataclass(frozen=True)
class _Use:
    """A reference and the affordance that its goal needs of it."""

    ref: ObjectRef
    affordance: str


def meanings(ref: ObjectRef, affordance: str, present: Collection[str], lexicon: Lexicon) -> list[tuple[str, float]]:
    """Return what a noun may mean, with how unlikely that is, likeliest first.

    `affordance`: what the goal needs of it ("pickup", "hold", ...), empty for nothing. `present`: categories of what
    was seen; other things count only where the noun itself means them.
    """
    order: dict[str, float] = {}
    for seen in (True, False):
        for category in (c for c in ref.categories if (c in present) is seen):
            order[category] = len(order) * _NEXT + (0.0 if seen else _UNSEEN)
    for category in ref.loosely:
        order.setdefault(category, _LOOSELY + (0.0 if category in present else _UNSEEN))
    plain = _PLAIN if len(order) == 1 and set(order) <= set(present) else 0.0
    classes = {name for category in ref.categories for name in lexicon.kind(category).classes}
    portable = lexicon.any_can(ref.categories, "pickup")
    for category in sorted(present):
        kind = lexicon.kind(category)
        if classes & set(kind.classes):
            order.setdefault(category, _KIN + plain)
        elif lexicon.can(category, "pickup") == portable:
            order.setdefault(category, _POSSIBLE + plain)
    fit = [(c, cost) for c, cost in order.items() if not affordance or lexicon.can(c, affordance)]
    return sorted(fit, key=lambda item: item[1])[:_MOST_MEANINGS]


def readings(goals: Sequence[Goal], present: Collection[str], lexicon: Lexicon) -> Iterator[Reading]:
    """Yield the readings of goals, likeliest first. `present`: the categories of what there is."""
    uses = _uses(goals)
    entities = sorted(uses)
    options = [meanings(uses[e].ref, uses[e].affordance, present, lexicon) for e in entities]
    if not entities or not all(options):
        return
    first = (0,) * len(entities)
    queue = [(sum(option[0][1] for option in options), first)]
    seen = {first}
    while queue:
        cost, picks = heapq.heappop(queue)
        yield {e: option[pick][0] for e, option, pick in zip(entities, options, picks, strict=True)}
        for place, (pick, option) in enumerate(zip(picks, options, strict=True)):
            following = (*picks[:place], pick + 1, *picks[place + 1 :])
            if pick + 1 < len(option) and following not in seen:
                seen.add(following)
                heapq.heappush(queue, (cost + option[pick + 1][1] - option[pick][1], following))


@dataclass(frozen=True)
class Tried:
    """An attempt at some goals that was not what the person wanted."""

    reading: Reading
    """What the words were to mean."""
    meant: Reading
    """What they were taken for in the end: categories of the things that were chosen."""

    def same(self, reading: Reading) -> bool:
        """Whether a reading would do the same again."""
        done = {**self.reading, **self.meant}
        return all(done.get(entity, category) == category for entity, category in reading.items())

    def in_vain(self, goals: Sequence[Goal]) -> set[tuple[int, str]]:
        """Return what nothing was found for: of the first goal that names such a thing; the others were not tried."""
        for goal in goals:
            entities = {ref.entity for ref in goal.refs}
            if missing := {e for e in entities & set(self.reading) if e not in self.meant}:
                return {(e, self.reading[e]) for e in missing}
        return set()


def usual_reading(goals: Sequence[Goal], present: Collection[str], lexicon: Lexicon) -> Reading:
    """Return the likeliest reading; empty where nothing is meant that could be something else."""
    return next(readings(goals, present, lexicon), {})


def other_reading(
    goals: Sequence[Goal], tried: Sequence[Tried], present: Collection[str], lexicon: Lexicon
) -> Reading | None:
    """Return the likeliest reading of goals that differs from all that were tried; None when there is no other."""
    in_vain = set().union(*(attempt.in_vain(goals) for attempt in tried))
    for reading in islice(readings(goals, present, lexicon), _MOST_READINGS):
        if not in_vain & set(reading.items()) and not any(attempt.same(reading) for attempt in tried):
            return reading
    return None


def numbered(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Return goals with their entities numbered from 1 in the order in which they are named.

    How an understander numbers them depends on what was spoken of before; readings of two attempts must agree.
    """
    numbers: dict[int, int] = {}

    def number(ref: ObjectRef | None) -> ObjectRef | None:
        if ref is None:
            return None
        entity = numbers.setdefault(ref.entity, len(numbers) + 1) if ref.entity else 0
        return replace(ref, entity=entity, place=number(ref.place))

    return tuple(with_refs(goal, number) for goal in goals)


def read_as(goals: Sequence[Goal], reading: Reading) -> tuple[Goal, ...]:
    """Return the goals with each reference taken for one category."""

    def read(ref: ObjectRef | None) -> ObjectRef | None:
        if ref is None or ref.entity not in reading:
            return ref
        return replace(ref, categories=(reading[ref.entity],), loosely=(), place=read(ref.place))

    return tuple(with_refs(goal, read) for goal in goals)


def _uses(goals: Sequence[Goal]) -> dict[int, _Use]:
    """Return the references that could mean something else, by entity; rooms and what is known by its id are left."""
    found: dict[int, _Use] = {}
    for goal in goals:
        for ref, affordance in ((goal.object, _needed(goal)), (goal.destination, _needed_of_place(goal))):
            if ref is not None and ref.entity and ref.categories and not ref.id:
                old = found.get(ref.entity)
                found[ref.entity] = _Use(ref, affordance if old is None else old.affordance or affordance)
    return found


def _needed(goal: Goal) -> str:
    return needed(goal.predicate, "" if goal.predicate in (Predicate.FIND, Predicate.GO_TO) else "pickup")


def _needed_of_place(goal: Goal) -> str:
    return "toggle" if goal.predicate is Predicate.EXAMINE else "hold"
