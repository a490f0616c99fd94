# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of a user's habits words ask for: "Prepare breakfast", "Set the table as usual"."""

from __future__ import annotations

from collections.abc import Sequence

from karma_language.arranging.personal import Part, alike, meaningful, told_of
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.told import Finding, Told, words_of
from planner_node.memory import USER_PATTERN, Knowledge
from planner_node.skills import Code
from planner_node.understand.goals import Goal, NotUnderstood, ObjectRef, Predicate, Understanding

FEW = 5
"""Pieces of knowledge asked for at once."""
_ALL = 20
"""The same for a habit that isn't named."""


class Habits:
    """The habits that a user told of."""

    def __init__(self, told: Told, lexicon: Lexicon) -> None:
        self._told = told
        self._lexicon = lexicon

    def wished(self, part: Part, text: str, *, is_understood: bool) -> Finding | None:
        """Return the habit that is meant by a part that doesn't say what goes where: "Set the jug and cup for lunch".

        It is one that memory says such words ask for, if it is about the things that they name; of those told in the
        same words, the one that more of the whole text was told of. `is_understood`: whether that text says by itself
        what goes where.
        """
        said = meaningful(part.text) - {part.verb}
        plain = self._told.understand(part.text)
        open_yet = isinstance(plain, NotUnderstood) and not part.points_back and not is_understood
        if not said or not (part.habit or (open_yet and (part.wishes or lacks_a_place(plain)))):
            return None
        refs = (goal.object for goal in (plain.goals if isinstance(plain, NotUnderstood) else ()))
        named = [ref for ref in refs if ref is not None and ref.place is None and self._is_portable(ref)]
        telling = said if part.habit else self.without_furniture(said)
        if not (part.wishes or part.habit):  # it names things: what is left says which habit
            telling -= frozenset(word for ref in named for word in meaningful(ref.noun))
        for query, limit in ((part.text, _ALL if part.habit else FEW), ("", _ALL)):
            found = self._told.about(query, limit)
            if part.habit:
                whole = meaningful(text)
                found.sort(key=lambda one: [-len(told_of(words, words_of(one[1]))) for words in (said, whole)])
            if named:
                found.sort(key=lambda one: _strangeness(self._told.goals(one[1]), named))
            for known, knowledge in found:
                if not telling or not _asks_for(telling, knowledge, whole=not query):
                    continue
                goals = self._told.goals(knowledge)
                fits = _about(goals, named)
                if goals and (all(fits) or (part.wishes and any(fits))):
                    return known, knowledge
        return None

    def usual(self, part: Part, text: str) -> Finding | NotUnderstood | None:
        """Return the habit of "Set the table as usual" and "Do it as usual"; all of the text tells habits apart."""
        said, whole = meaningful(part.text) - {"do", "make", part.verb}, meaningful(text)

        def fit(known: Knowledge) -> tuple[int, bool, int]:
            told = words_of(known)
            return len(said & told), known.subtype == USER_PATTERN, len(whole & told)

        fits = [(fit(one[1]), one) for one in self._told.about(part.text if said else "", _ALL)]
        best = max((score for score, _ in fits), default=(0, False, 0))
        likely = [one for score, one in fits if score == best]
        if not likely or 2 * best[0] < len(said) or not (said or best[1]):
            return None
        if len(likely) > 1:
            names = tuple(known.name for _, known in likely)
            return NotUnderstood(Code.AMBIGUOUS, f"Which of your habits do you mean: {', '.join(names)}?", names)
        return likely[0]

    def without_furniture(self, words: frozenset[str]) -> frozenset[str]:
        """Return words without those for furniture: "set the table" asks for no habit in particular."""

        def is_fixed(word: str) -> bool:
            noun = self._lexicon.noun(word)
            return noun is not None and not self._lexicon.any_can(noun.categories, "pickup")

        return frozenset(word for word in words if not is_fixed(word))

    def _is_portable(self, ref: ObjectRef) -> bool:
        return self._lexicon.any_can(ref.categories, "pickup")


def lacks_a_place(understood: Understanding) -> bool:
    """Whether all that is missing is where things are to go."""
    goals = understood.goals if isinstance(understood, NotUnderstood) else ()
    return bool(goals) and all(one.predicate is Predicate.PLACE and one.destination is None for one in goals)


def _asks_for(said: frozenset[str], knowledge: Knowledge, *, whole: bool) -> bool:
    """Whether words ask for a habit: half of them were told of it; `whole`: all of them are its name."""
    if whole:
        return bool(said) and alike(said, meaningful(knowledge.name))
    asked = told_of(said, words_of(knowledge))
    return bool(asked) and knowledge.subtype == USER_PATTERN and 2 * len(asked) >= len(said)


def _about(goals: Sequence[Goal], named: Sequence[ObjectRef]) -> list[bool]:
    """Return for each of some things whether goals may be about it."""
    kinds = {kind for goal in goals if goal.object is not None for kind in _kinds_of(goal.object)}
    return [bool(kinds & _kinds_of(ref)) for ref in named]


def _strangeness(goals: Sequence[Goal], named: Sequence[ObjectRef]) -> tuple[int, int]:
    """Return how many of some things goals are not about; where they are about all, how many others they are about."""
    kinds = frozenset(kind for ref in named for kind in _kinds_of(ref))
    others = {goal.object.entity for goal in goals if goal.object is not None and not kinds & _kinds_of(goal.object)}
    missing = _about(goals, named).count(False)
    return missing, 0 if missing else len(others)


def _kinds_of(ref: ObjectRef) -> frozenset[str]:
    """Return all that a reference may be."""
    return frozenset({*ref.categories, *ref.loosely})
