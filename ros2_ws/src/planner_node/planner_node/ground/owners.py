# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose things are, as the memory knows it: "my phone" is never Tom's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from karma_language.answers.speech import form_of_be, is_plural, sentence, whose
from karma_language.requests.belonging import noted
from karma_language.told.quoting import may_be_one, same_owner
from planner_node.ground.alternatives import narrowed
from planner_node.ground.names import Grounding
from planner_node.memory import Knowledge, Recollection
from planner_node.understand.goals import ALL, Goal, ObjectRef, with_refs
from planner_node.world import Belief


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
    used: dict[str, Recollection] = {}
    for one in spared:
        owner = "me" if one.mine else one.owner

        def theirs_of(ref: ObjectRef, owner: str = owner) -> list[Belief]:
            known = [belief for belief in grounding.candidates(ref) if belief.id in told]
            return [belief for belief in known if same_owner(told[belief.id][1].name, owner)]

        theirs = theirs_of(replace(one, count=ALL))
        used |= {told[belief.id][0].id: told[belief.id][0] for belief in theirs}
        goals = _sparing(goals, one, theirs)
        for ref in named:  # "all the laptops and phones but Tom's"
            if ref.count == ALL and (also := theirs_of(ref)):
                theirs += also
                goals = _but(goals, ref, also)
        if not theirs:
            are = form_of_be(1 + is_plural(one.noun))
            return goals, used, f"I don't know which {one.noun} {are} {whose(owner)}. Nothing was done."
    for ref in refs:
        owner = "me" if ref.mine else ref.owner
        known = grounding.candidates(ref)
        said = [told[belief.id] for belief in known if belief.id in told]
        theirs = [one for one in known if one.id in told and same_owner(told[one.id][1].name, owner)]
        free = [one for one in known if one.id not in told or may_be_one(told[one.id][1].name, owner)]
        meant = theirs or (free if said else [])
        used |= {one.id: one for one, _ in said}
        if known and not (theirs or free):
            words = {noted(what.told)[1].strip(" .") for _, what in said if what.told}
            why = f"You told me: “{'; '.join(sorted(words))}.”" if words else _whose(what for _, what in said)
            return goals, used, f"I know of no other {ref.noun}. {why}"
        if ref.count == 1 and len(meant) == 1:
            goals = narrowed(goals, ref, ObjectRef((meant[0].node.category,), ref.noun, id=meant[0].id))
        elif meant:
            goals = _but(goals, ref, [one for one in known if one not in meant])
    return goals, used, ""


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
