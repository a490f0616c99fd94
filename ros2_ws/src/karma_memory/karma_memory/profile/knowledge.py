# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which knowledge is told again, and what knowledge means (MEMENTO, algorithm 1, step 4, and algorithm 2, step 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.reading import Telling, Told
from karma_language.told.habits.contrast import contrast
from karma_language.told.habits.references import place, thing
from karma_language.told.habits.wording import has_own_name
from karma_memory.profile.identity import MATCH, Identity
from karma_memory.profile.likeness import Lexicon

SAME_KNOWLEDGE = 0.68
"""Likeness from which knowledge of the same kind, that nothing contradicts, is the same."""
SAME_NAME = 0.9
"""Likeness from which a name that a person gave to something is that name."""


@dataclass(frozen=True)
class Candidate:
    """A knowledge node that may be the one that is spoken of."""

    node: str
    kind: Telling
    """MEANING or HABIT."""
    alias: str
    description: str
    things: tuple[str, ...]
    places: tuple[str, ...]
    likeness: float
    """0..1, of what it is called."""


class Comparison:
    """Compares what is told with what is known, by likeness of words and texts."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._identity = Identity(lexicon)

    def told_again(self, knowledge: Told, candidates: Sequence[Candidate]) -> str:
        """Return the id of the likest candidate that nothing contradicts, "" for none."""
        fitting = [
            candidate
            for candidate in candidates
            if candidate.kind is knowledge.kind
            and candidate.likeness >= SAME_KNOWLEDGE
            and not contrast(knowledge.name, candidate.alias)
            and not self._other_matter(knowledge, candidate)
        ]

        def fit(candidate: Candidate) -> float:
            return candidate.likeness + self._lexicon.in_common(knowledge.name, candidate.alias)

        return max(fitting, key=fit).node if fitting else ""

    def _other_matter(self, knowledge: Told, candidate: Candidate) -> bool:
        """Whether knowledge is called alike but about other things.

        What has a name of its own ("my sewing corner") stays itself when its things or places change.
        """
        if (
            not knowledge.things
            or not candidate.things
            or (candidate.likeness >= SAME_NAME and has_own_name(knowledge.name))
        ):
            return False
        known = [thing(text) for text in candidate.things]
        mine = [thing(text) for text in knowledge.things]
        shared = sum(any(self._identity.of_things(one, other) >= MATCH for other in known) for one in mine)
        if knowledge.kind is Telling.MEANING:
            return shared == 0
        goals = [place(move.goal) for move in knowledge.moves if move.goal]
        places = [place(text) for text in candidate.places]
        elsewhere = not any(self._identity.of_places(goal, other) >= MATCH for goal in goals for other in places)
        return 2 * shared < len(mine) + len(known) - shared or elsewhere


def meaning(person: str, candidate: Candidate, moves: Sequence[str]) -> str:
    """Say who told knowledge, in their words, and what it is about."""
    said = f'{person or "The user"} said "{candidate.description.rstrip(".! ")}"'
    if moves:
        return f"{said}: {', then '.join(moves)}"
    return f"{said} ({' and '.join(candidate.things)})" if candidate.things else said
