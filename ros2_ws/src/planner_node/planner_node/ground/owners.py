# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose things are, as the memory knows it: "my phone" is never Tom's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from karma_language.answers.speech import form_of_be, is_plural, sentence, whose
from karma_language.told.quoting import may_be_one, same_owner
from karma_language.vocabulary.words import noted
from planner_node.ground.alternatives import narrowed
from planner_node.ground.names import Grounding
from planner_node.memory import Knowledge, Recollection
from planner_node.understand.goals import ALL, Goal, ObjectRef, with_refs
from planner_node.world import Belief

_Told = Mapping[str, tuple[Recollection, Knowledge]]
"""What the memory was told of whose a thing is, by the thing's id."""
_Step = tuple[tuple[Goal, ...], Sequence[Recollection], str]
"""Goals, what was heeded, and a question; "" for none."""


def owned(
    goals: tuple[Goal, ...], grounding: Grounding, recalled: Callable[[], Iterable[Recollection]]
) -> tuple[tuple[Goal, ...], dict[str, Recollection], str]:
    """Return goals that name whose things are meant, what was heeded, by id, and a question; "" for none.

    `recalled`: what the memory knows of whose things are. It is asked where a goal speaks of somebody's.
    """
    named = {goal.object.entity: goal.object for goal in goals if goal.object is not None}.values()
    refs = [ref for ref in named if (ref.mine or ref.owner) and not ref.id]
    spared = [one for ref in named for one in ref.but if (one.mine or one.owner) and not one.id]
    if not (refs or spared):
        return goals, {}, ""
    about = [(one, one.knowledge) for one in recalled() if one.knowledge is not None]
    told = {name: (one, what) for one, what in about for name in what.object_ids}
    everything = [ref for ref in named if ref.count == ALL]
    steps = [partial(_left_out, one, everything) for one in spared] + [partial(_taken, ref) for ref in refs]
    used: dict[str, Recollection] = {}
    for step in steps:
        goals, heeded, question = step(goals, grounding, told)
        used |= {one.id: one for one in heeded}
        if question:
            return goals, used, question
    return goals, used, ""


def _left_out(
    spared: ObjectRef, everything: Iterable[ObjectRef], goals: tuple[Goal, ...], grounding: Grounding, told: _Told
) -> _Step:
    """Leave out somebody's things of all that a goal names: "all the laptops and phones but Tom's"."""
    theirs = _theirs(replace(spared, count=ALL), _owner(spared), grounding, told)
    heeded = [told[belief.id][0] for belief in theirs]
    goals = _sparing(goals, spared, theirs)
    for ref in everything:
        if also := _theirs(ref, _owner(spared), grounding, told):
            theirs = [*theirs, *also]
            goals = _but(goals, ref, also)
    if theirs:
        return goals, heeded, ""
    are = form_of_be(1 + is_plural(spared.noun))
    return goals, heeded, f"I don't know which {spared.noun} {are} {whose(_owner(spared))}. Nothing was done."


def _taken(ref: ObjectRef, goals: tuple[Goal, ...], grounding: Grounding, told: _Told) -> _Step:
    """Take somebody's thing or, where no thing is known to be theirs, one that nobody else has."""
    known = grounding.candidates(ref)
    said = [told[belief.id] for belief in known if belief.id in told]
    heeded = [one for one, _ in said]
    theirs = _theirs(ref, _owner(ref), grounding, told)
    free = [one for one in known if one.id not in told or may_be_one(told[one.id][1].name, _owner(ref))]
    meant = theirs or (free if said else [])
    if known and not (theirs or free):
        words = {noted(what.told)[1].strip(" .") for _, what in said if what.told}
        why = f"You told me: “{'; '.join(sorted(words))}.”" if words else _whose(what for _, what in said)
        return goals, heeded, f"I know of no other {ref.noun}. {why}"
    if ref.count == 1 and len(meant) == 1:
        goals = narrowed(goals, ref, ObjectRef((meant[0].node.category,), ref.noun, id=meant[0].id))
    elif meant:
        goals = _but(goals, ref, [one for one in known if one not in meant])
    return goals, heeded, ""


def _theirs(ref: ObjectRef, owner: str, grounding: Grounding, told: _Told) -> list[Belief]:
    known = [belief for belief in grounding.candidates(ref) if belief.id in told]
    return [belief for belief in known if same_owner(told[belief.id][1].name, owner)]


def _owner(ref: ObjectRef) -> str:
    return "me" if ref.mine else ref.owner


def _whose(said: Iterable[Knowledge]) -> str:
    """Return whose things are, as others told it: their words are theirs."""
    return sentence(f"{' and '.join(sorted({whose(one.name) for one in said}))}, as I was told.")


def _sparing(goals: tuple[Goal, ...], spared: ObjectRef, theirs: Sequence[Belief]) -> tuple[Goal, ...]:
    """Return goals for all but somebody's things with these by their ids."""
    out = tuple(ObjectRef((one.node.category,), spared.noun, id=one.id) for one in theirs)

    def by_id(one: ObjectRef | None) -> ObjectRef | None:
        left = [each for other in one.but for each in (out if other == spared else (other,))] if one is not None else []
        return replace(one, but=tuple(left)) if one is not None and left else one

    return tuple(with_refs(goal, by_id) for goal in goals)


def _but(goals: tuple[Goal, ...], ref: ObjectRef, others: Sequence[Belief]) -> tuple[Goal, ...]:
    """Return goals for all of several things without those that are others'."""
    out = tuple(ObjectRef((one.node.category,), ref.noun, id=one.id) for one in others)

    def without(one: ObjectRef | None) -> ObjectRef | None:
        return replace(one, but=(*one.but, *out)) if one is not None and one.entity == ref.entity else one

    return tuple(with_refs(goal, without) for goal in goals)
