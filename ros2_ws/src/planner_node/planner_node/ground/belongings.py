# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where things belong, as the user told: "the keys live on the dresser"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from karma_language.requests.belonging import Belonging
from karma_language.requests.requests import Grammar
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


@dataclass(frozen=True)
class _Said:
    told: Belonging
    ref: ObjectRef
    source: Recollection


class Belongings:
    """What was told of where things belong, the newest first."""

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
