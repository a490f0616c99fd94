# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose things are and where they belong, as the user told: "my phone" is never Tom's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from karma_language.requests.belonging import Belonging, noted
from karma_language.requests.requests import Grammar
from planner_node.ground.alternatives import narrowed
from planner_node.ground.names import Grounding
from planner_node.memory import TOLD, Recollection
from planner_node.understand.goals import (
    BACK,
    Goal,
    NotUnderstood,
    ObjectRef,
    Predicate,
    Understanding,
    Understood,
    complete,
    placed,
)
from planner_node.understand.requests import Requests
from planner_node.understand.things import relation_of
from planner_node.world import Belief, World


@dataclass(frozen=True)
class _Said:
    told: Belonging
    ref: ObjectRef
    source: Recollection


class Belongings:
    """What was told of whose things are and where they belong, the newest first."""

    def __init__(self, recollections: Iterable[Recollection], grammar: Grammar, requests: Requests) -> None:
        told = [one for one in recollections if one.kind == TOLD and not one.valid_until]
        self._requests = requests
        self._said = [
            _Said(said, ref, one)
            for one in sorted(told, key=lambda one: -one.valid_from)
            for said in grammar.belongings(one.text)
            if (ref := requests.reference(said.thing)) is not None and ref.categories
        ]
        self.used: dict[str, Recollection] = {}
        """What was heeded, by id."""

    # Where things belong

    def homeward(self, understood: Understanding, *, home: bool) -> Understanding:
        """Return what is understood with where things belong where no place is said.

        `home`: whether they are to go where they belong, rather than where they were.
        """
        goals = understood.goals if isinstance(understood, NotUnderstood | Understood) else ()
        found = tuple(self._homeward(goal, goals) if home or goal.relation != BACK else goal for goal in goals)
        if found == goals:
            return understood
        return complete(found, understood.notes if isinstance(understood, Understood) else ())

    def _homeward(self, goal: Goal, goals: Iterable[Goal]) -> Goal:
        ref = goal.object
        if goal.predicate is not Predicate.PLACE or goal.destination is not None or ref is None:
            return goal
        for said in self._said:
            if said.told.home is None or not {*said.ref.categories} & {*ref.categories}:
                continue
            place, relation = self._requests.reference(said.told.home.thing), relation_of(said.told.home.relation)
            if place is not None and relation is not None:
                self.used[said.source.id] = said.source
                return placed(goal, place, goals, relation)
        return goal

    # Whose things are

    def owned(self, goals: tuple[Goal, ...], grounding: Grounding, world: World) -> tuple[tuple[Goal, ...], str]:
        """Return goals that name whose things are meant, and a question where that can't be: "" for none."""
        for ref in {goal.object.entity: goal.object for goal in goals if goal.object is not None}.values():
            owner = "me" if ref.mine else ref.owner.lower()
            if not owner or ref.id or ref.count != 1:
                continue
            known = grounding.candidates(ref)
            told = {belief.id: self._owner(belief, grounding, world) for belief in known}
            theirs = [one for one in known if (said := told[one.id]) is not None and said.told.owner == owner]
            free = [belief for belief in known if told[belief.id] is None]
            meant = theirs or (free if len(free) < len(known) else [])
            self.used |= {said.source.id: said.source for said in told.values() if said is not None}
            if known and not (theirs or free):
                words = {noted(said.source.text)[1].strip(" .") for said in told.values() if said is not None}
                return goals, f"I know of no other {ref.noun}. You told me: “{'; '.join(sorted(words))}.”"
            if len(meant) == 1:
                one = ObjectRef((meant[0].node.category,), ref.noun, id=meant[0].id)
                goals = narrowed(goals, ref, one)
        return goals, ""

    def _owner(self, belief: Belief, grounding: Grounding, world: World) -> _Said | None:
        """Return what says whose a thing is, None where nobody said."""
        for said in self._said:
            if said.told.owner and belief.node.category in said.ref.categories:
                alone, room, place = len(world.of(said.ref.categories)) == 1, said.ref.room, said.ref.place
                there = place is not None and grounding.is_at(belief.id, place)
                if alone or there or (room and world.is_in(belief.node, room)):
                    return said
        return None
