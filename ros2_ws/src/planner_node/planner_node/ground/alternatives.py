# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction leaves open, and what there is to choose from, in names that a person can tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.word_meanings import Sort, means
from planner_node.ground.names import Grounding
from planner_node.skills import Node
from planner_node.understand.goals import Goal, ObjectRef, Predicate, with_refs
from planner_node.world import Belief, World

_CHOSEN_FOR = (
    Predicate.BRING, Predicate.HOLD, Predicate.PLACE, Predicate.CLEAN, Predicate.HEAT, Predicate.COOL, Predicate.SLICE,
    Predicate.FILL,
)  # fmt: skip
"""What is done with things of which it matters to a person which one it is."""
_WASTE = "GarbageCan"
_STORAGE = "storage"
"""Class of the furniture in which things are put away."""
_NOT_FOR_KEEPING = frozenset(
    [_WASTE, "Sink", "SinkBasin", "Bathtub", "BathtubBasin", "Toilet", "StoveBurner", "Floor", "Chair", "ArmChair"]
)
"""Where things usually are without being put away there."""

Options = dict[str, ObjectRef]
"""Name of an option, as a person says it → the reference that means it."""


def open_things(
    goals: Sequence[Goal], grounding: Grounding, world: World, lexicon: Lexicon
) -> Iterable[tuple[ObjectRef, Options]]:
    """Yield the references that several known things could be meant by, and these things.

    Of a class ("some fruit") they differ in kind; of "my cup", in where they are. Nothing is open where a thing is
    named ("the apple"), where all or several are meant, or where it is thrown away.
    """
    seen = set()
    for goal in goals:
        ref = goal.object
        if ref is None or ref.entity in seen or goal.predicate not in _CHOSEN_FOR:
            continue
        seen.add(ref.entity)
        wasted = any(
            g.destination is not None and _WASTE in g.destination.categories
            for g in goals
            if g.object is not None and g.object.entity == ref.entity
        )
        if ref.count != 1 or ref.id or wasted:
            continue
        known = grounding.candidates(ref)
        if ref.place is not None:
            known = [belief for belief in known if grounding.is_at(belief.id, ref.place)]
        if _is_class(ref, lexicon):
            yield ref, _by_kind(ref, known, lexicon)
        elif ref.mine:
            yield ref, _by_place(ref, known, world, lexicon)


def places_for(ref: ObjectRef, world: World, lexicon: Lexicon) -> Options:
    """Return the known places in which a thing may be kept, likeliest first."""
    usual = [place for category in ref.categories for place in lexicon.kind(category).places]
    storage = [category for category, kind in lexicon.kinds.items() if _STORAGE in kind.classes]
    options: Options = {}
    for category in dict.fromkeys((*usual, *storage)):
        if category in _NOT_FOR_KEEPING or not lexicon.can(category, "hold"):
            continue
        rooms = dict.fromkeys(world.room_name(belief.node) for belief in world.of([category]))
        noun = lexicon.kind(category).noun
        for room in rooms:
            name = f"{noun} in the {room}" if room and len(rooms) > 1 else noun
            options.setdefault(name, ObjectRef((category,), noun, room=room if len(rooms) > 1 else ""))
    return options


def narrowed(goals: Sequence[Goal], ref: ObjectRef, chosen: ObjectRef) -> tuple[Goal, ...]:
    """Return the goals with what was chosen for a reference, wherever they speak of the same."""

    def choose(one: ObjectRef | None) -> ObjectRef | None:
        if one is None or one.entity != ref.entity:
            return one
        return replace(one, categories=chosen.categories, noun=chosen.noun, loosely=chosen.loosely, id=chosen.id)

    return tuple(with_refs(goal, choose) for goal in goals)


def _is_class(ref: ObjectRef, lexicon: Lexicon) -> bool:
    """Whether a reference names a class of things ("fruit") or anything for a purpose ("something to eat")."""
    noun = lexicon.noun(ref.noun)
    generic = noun.generic if noun is not None else means(ref.noun, Sort.ANYTHING)
    return generic and len(ref.categories) > 1 and not ref.colours


def _by_kind(ref: ObjectRef, known: Iterable[Belief], lexicon: Lexicon) -> Options:
    whole = {part: category for category, part in lexicon.slices.items()}
    kinds = {whole.get(belief.node.category, belief.node.category) for belief in known}
    return {
        lexicon.kind(category).noun: ObjectRef((category,), lexicon.kind(category).noun)
        for category in ref.categories
        if category in kinds
    }


def _by_place(ref: ObjectRef, known: Sequence[Belief], world: World, lexicon: Lexicon) -> Options:
    """Return the known things by where they are, the likeliest of each place; none where one can't be named so."""
    options: Options = {}
    several_rooms = len({world.room_name(belief.node) for belief in known}) > 1
    for belief in known:
        where = whereabouts(belief.node, world, lexicon, with_room=several_rooms)
        if not where:
            return {}
        name = f"{ref.noun} {where}"
        options.setdefault(name, ObjectRef(ref.categories, ref.noun, ref.loosely, id=belief.id))
    return options


def whereabouts(node: Node, world: World, lexicon: Lexicon, *, with_room: bool) -> str:
    """Return in words where a thing is, "" where that is not known."""
    if node.relation == "held" or node.id == world.held:
        return "in my gripper"
    holder = world.get(node.receptacle)
    room = world.room_name(node) if with_room else ""
    at = f"{node.relation or 'on'} the {lexicon.kind(holder.node.category).noun}" if holder is not None else ""
    return " ".join(part for part in (at, f"in the {room}" if room else "") if part)
