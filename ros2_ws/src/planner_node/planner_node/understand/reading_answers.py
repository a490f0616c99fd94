# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A model's answer as goals over the known vocabulary: what it says beside the form is mended, or told back to it.

Small models say more than was asked for: states that nobody spoke of, a place for what is only to be fetched, goals on
the way to the goal. What can be put right without losing anything that the person said is put right here, since asking
again costs seconds and helps little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.arranging.words import DETERMINERS
from planner_node.check import complaint
from planner_node.understand import words as en
from planner_node.understand.answer import GoalAnswer
from planner_node.understand.asked import APPLIANCES, Asked
from planner_node.understand.goals import Goal, ObjectRef, Predicate
from planner_node.understand.offline import OfflineUnderstanding

_WITH_DESTINATION = frozenset({Predicate.PLACE, Predicate.EXAMINE})
_FETCHES = frozenset({Predicate.BRING, Predicate.HOLD, Predicate.FIND, Predicate.PUT_DOWN, Predicate.GO_TO})
"""Predicates that, with a destination, mean to place the object there; others mean that, too."""


@dataclass(frozen=True)
class Read:
    """What an answer means."""

    goals: tuple[Goal, ...] = ()
    wrong: str = ""
    """For the model: why the answer can't be used."""


class _Unknown(Exception):  # noqa: N818 - caught in this module
    """A name means nothing that is known; the message is for the model."""


class AnswerReader:
    """Reads the goals of answers."""

    def __init__(self, lexicon: Lexicon, rules: OfflineUnderstanding) -> None:
        """`rules` know what a noun phrase means."""
        self._lexicon = lexicon
        self._rules = rules

    def read(self, answers: Sequence[GoalAnswer], asked: Asked, *, repaired: bool) -> Read:
        """Return the goals that answers state, the same name for the same object.

        `repaired`: whether the model was told before what is wrong. If it leaves out again where to put a thing, the
        person did not say it either.
        """
        entities: dict[str, int] = {}
        goals: dict[str, Goal] = {}
        wrong = ""
        for answer in answers:
            try:
                stated = self._goals(answer, asked, entities)
            except _Unknown as error:
                return Read(wrong=str(error))
            for goal in stated:
                open_place = repaired and goal.predicate is Predicate.PLACE and goal.destination is None
                senseless = complaint(replace(goal, predicate=Predicate.HOLD) if open_place else goal, self._lexicon)
                if not senseless and asked.beside(goal):
                    return Read(wrong=asked.complaint([goal]))
                if problem := f"{goal}: {senseless}" if senseless else asked.unbidden(goal):
                    wrong = wrong or problem
                else:
                    goals.setdefault(str(goal), goal)
        found = tuple(goals.values())
        if wrong and not (found and asked.covered(found)):
            return Read(wrong=wrong)
        omission = asked.omission(found)
        return Read(wrong=omission) if omission else Read(found)

    def _goals(self, answer: GoalAnswer, asked: Asked, entities: dict[str, int]) -> list[Goal]:
        """Return the goals that one of an answer states. Raises _Unknown."""
        predicate = Predicate(answer.predicate)
        if predicate is Predicate.EXPLORE:
            return [Goal(predicate)]
        ref = self._reference(answer.object, asked, entities)
        states = ref.states | {state for state in answer.states if asked.says(state)}
        plain = self._rules.reference(answer.object)
        count = plain.count if answer.count == 1 and plain is not None else answer.count  # "mugs", "two mugs"
        ref = replace(ref, states=states, count=count)
        told = set(answer.place.lower().split()) - en.PARTS  # "the back of the shelf" is no place to come from
        if told and answer.place != answer.destination:
            place = self._reference(answer.place, asked, entities)
            ref = replace(ref, place=place if asked.says_room(place) else None)
        known = predicate in _WITH_DESTINATION or self._meant(answer.destination) is not None
        to = self._reference(answer.destination, asked, entities) if answer.destination and known else None
        whole = Goal(predicate, ref, to, answer.relation)
        done_there = to is not None and bool({*to.categories} & {*APPLIANCES.get(predicate, ())})
        if to is None or predicate in _WITH_DESTINATION or done_there:
            return [whole]
        placed = replace(whole, predicate=Predicate.PLACE)
        return [placed] if predicate in _FETCHES else [replace(whole, destination=None, relation=""), placed]

    def _meant(self, name: str) -> ObjectRef | None:
        """Return what a name means. Only with its article, which models leave out, is a description read in whole."""
        first, _, more = name.strip().lower().partition(" ")
        bare = more and first not in DETERMINERS and not first.isdecimal()
        ref = self._rules.reference(f"a {name}") if bare else None
        return ref or (self._rules.reference(name) if first else None)

    def _reference(self, name: str, asked: Asked, entities: dict[str, int]) -> ObjectRef:
        ref = self._meant(name)
        if ref is None:
            close = ", ".join(self._lexicon.closest(name)) or "nothing like it"
            raise _Unknown(f"I know of no {name!r}; the closest things I know: {close}")
        ref = asked.said_of(ref)
        return replace(ref, entity=entities.setdefault(f"{ref.noun} {ref.room}", len(entities) + 1))
