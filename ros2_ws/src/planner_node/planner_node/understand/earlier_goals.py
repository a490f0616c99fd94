# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals of before with the things of before: what was handled then, as long as it is there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from karma_language.arranging.words import content_words
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.memory import Knowledge
from planner_node.understand.goals import ALL, Goal, ObjectRef, Predicate, last_entity
from planner_node.world import World


@dataclass(frozen=True)
class ToldGoals:
    """Goals whose things are known where they can be."""

    goals: tuple[Goal, ...]
    missing: tuple[str, ...] = ()
    """What is not there any more, in sentences."""

    def at(self, there: Goal, lexicon: Lexicon, world: World) -> ToldGoals:
        """Return the same at another place, which a goal names as its destination.

        What holds other things goes there with them: for "the bread on the plate", the plate does, too.
        """
        place = there.destination
        assert place is not None
        told = [goal.destination for goal in self.goals if goal.destination is not None]
        if any({*place.categories} & {*one.categories} or (place.room and place.room == one.room) for one in told):
            return self  # it is what was told
        place = replace(place, entity=last_entity(self.goals) + 1)
        goals: list[Goal] = []
        carried: dict[int, ObjectRef] = {}
        for goal in self.goals:
            to = goal.destination
            if goal.predicate is not Predicate.PLACE or to is None:
                goals.append(goal)
            elif lexicon.any_can(to.categories, "pickup"):
                goals.append(goal)
                carried.setdefault(to.entity, to)
            elif not place.categories and place.room:
                known = world.get(to.id)
                here = known is not None and bool(world.is_in(known.node, place.room))
                goals.append(replace(goal, destination=replace(to, room=place.room, id=to.id if here else "")))
            else:
                goals.append(replace(goal, destination=place, relation=there.relation or goal.relation))
        moved = {goal.object.entity for goal in goals if goal.predicate is Predicate.PLACE and goal.object is not None}
        if place.categories:
            goals += [
                Goal(Predicate.PLACE, holder, place, there.relation)
                for entity, holder in carried.items()
                if entity not in moved
            ]
        return replace(self, goals=tuple(goals))


def with_things(goals: Sequence[Goal], knowledge: Knowledge, world: World, lexicon: Lexicon) -> ToldGoals:
    """Return goals whose references name the things and places that knowledge is tied to, where these are there."""
    bound: dict[int, list[Known]] = {}
    missing: dict[str, None] = {}
    for one in known_things(knowledge, world, lexicon):
        refs = [goal.object for goal in goals if goal.object is not None]
        fitting = [r for r in refs if _may_be(r, one.categories, lexicon) and len(bound.get(r.entity, ())) < r.count]
        if fitting and (one.id or one.looks):
            bound.setdefault(fitting[0].entity, []).append(one)
        if fitting:
            _bind_place(goals, fitting[0], one.place, world, bound)
        if one.gone and one.name:
            name = one.name
            missing[f"The {name} of then is not there any more, as far as I know: another will do."] = None
    return ToldGoals(tuple(one for goal in goals for one in _named(goal, bound)), tuple(missing))


@dataclass(frozen=True)
class Known:
    """A thing of then."""

    name: str
    """As it was told; empty for what was only handled."""
    id: str
    """In the scene graph; empty where it is not there any more."""
    categories: tuple[str, ...]
    """What it is, likeliest first."""
    looks: str = ""
    """What it looks like, in words."""
    place: str = ""
    """Id of what it was put on or in."""
    gone: bool = False
    """Whether it was handled, is not there any more, and nobody knows what it looked like."""

    def told(self, ref: ObjectRef) -> ObjectRef:
        """Return a reference that means this thing, wherever it is by now."""
        looks = (f"{ref.noun} {self.looks}",) if self.looks else ref.looks
        return replace(ref, id=self.id, looks=looks, place=None, room="") if self.id or looks else ref


def known_things(knowledge: Knowledge, world: World, lexicon: Lexicon) -> list[Known]:
    """Return what knowledge is about, the things that were handled first."""
    found = []
    columns = knowledge.objects, knowledge.object_ids, knowledge.place_ids
    empty = ("",) * len(knowledge.objects)
    more = knowledge.object_categories or empty, knowledge.object_looks or empty
    for name, thing, place, category, looks in zip(*columns, *more, strict=True):
        belief = world.get(thing)
        category = belief.node.category if belief is not None else category
        likely = (category,) if category else tuple(sorted(noun_of(name, lexicon)[1]))
        there = thing if belief is not None else ""
        found.append(Known(name, there, likely, looks, place, bool(thing) and not (there or looks)))
    return found


def noun_of(text: str, lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of the noun that a phrase ends with, and the categories that it may mean; empty for none."""
    words, noun = lexicon.noun_ending(text)
    return content_words(words), frozenset({*noun.categories, *noun.loosely} if noun is not None else ())


def _bind_place(goals: Sequence[Goal], ref: ObjectRef, place: str, world: World, bound: dict[int, list[Known]]) -> None:
    """Let the destination of what was put somewhere last be where it was put."""
    holder = world.get(place)
    to = [goal.destination for goal in goals if goal.object is not None and goal.object.entity == ref.entity]
    if holder is None or not to or to[-1] is None or to[-1].entity in bound:
        return
    if holder.node.category in (*to[-1].categories, *to[-1].loosely):
        bound[to[-1].entity] = [Known("", place, (holder.node.category,))]


def _may_be(ref: ObjectRef, categories: Collection[str], lexicon: Lexicon) -> bool:
    slices = [lexicon.slices[c] for c in ref.categories if c in lexicon.slices]
    return ref.count != ALL and bool({*ref.categories, *ref.loosely, *slices} & {*categories})


def _named(goal: Goal, bound: dict[int, list[Known]]) -> list[Goal]:
    """Return a goal with the ids of its things: one goal for each where it is about several."""
    to = goal.destination
    if to is not None and len(bound.get(to.entity, ())) == 1:
        goal = replace(goal, destination=bound[to.entity][0].told(to))
    ref = goal.object
    ids = bound.get(ref.entity, []) if ref is not None else []
    if ref is None or not ids or len(ids) < ref.count:
        return [goal]
    if len(ids) == 1:
        return [replace(goal, object=ids[0].told(ref))]
    return [
        replace(goal, object=replace(one.told(ref), count=1, entity=1000 * ref.entity + number))
        for number, one in enumerate(ids)
    ]
