# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""When two references mean the same thing or place: through paraphrase, without merging what differs.

A reference never means what has another name for another thing (a clock and a lamp), nor what looks otherwise (a red
cup and a white one). A more general or special name ("the clock" for an alarm clock) means a thing only where nothing
else fits as well; so where both are known, a clock is not the alarm clock.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karma_language.told.habits.nouns import Relation, relation
from karma_language.told.habits.references import COLOURS, PlaceReference, ThingReference
from karma_memory.profile.likeness import Lexicon

SAME_NOUN, KIND_NOUN = 1.0, 0.8
LIKE_NOUN = 0.75
"""Cosine from which an unknown name is taken to mean what another name means (all-MiniLM-L6-v2)."""
LIKE_ATTRIBUTES = 0.6
"""Share of what is said of one thing that must be said of the other."""
HALF_DESCRIBED = 0.85
"""Of a thing that was described and one that is only named: the same name tells more than a more general one."""
MATCH = 0.6
"""Score from which two references mean the same."""


class Identity:
    """Compares references. Deterministic; `lexicon` tells which words are alike."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def of_things(self, one: ThingReference, other: ThingReference) -> float:
        """Return 0..1, how likely two references mean the same thing; 0 where they can't."""
        nouns = self._nouns(one.noun, other.noun)
        if nouns == 0.0:
            return 0.0
        if bool(one.attributes) != bool(other.attributes):
            return HALF_DESCRIBED if nouns == SAME_NOUN else 0.0
        if not one.attributes:
            return nouns
        if not _agree(one.colours, other.colours) or not _agree(one.all_colours, other.all_colours):
            return 0.0
        shape, other_shape = _without_colours(one.attributes), _without_colours(other.attributes)
        if not shape or not other_shape:
            return nouns
        alike = self._attributes(shape, other_shape)
        return nouns * (1.0 if alike >= LIKE_ATTRIBUTES else alike)

    def of_places(self, one: PlaceReference, other: PlaceReference) -> float:
        """Return 0..1, how likely two references mean the same place; 0 where they can't."""
        if one.other != other.other or bool(one.furniture) != bool(other.furniture):
            return 0.0
        if one.room and other.room and relation(one.room, other.room) is not Relation.SAME:
            return 0.0
        score = self._nouns(one.furniture, other.furniture) if one.furniture else 1.0
        return score if bool(one.room) == bool(other.room) else score * KIND_NOUN

    def _nouns(self, one: str, other: str) -> float:
        match relation(one, other):
            case Relation.SAME:
                return SAME_NOUN
            case Relation.KIND:
                return KIND_NOUN
            case Relation.DIFFERENT:
                return 0.0
        a, b = self._lexicon.vector(one), self._lexicon.vector(other)
        if a is None or b is None or not one or not other:
            return 0.0
        return KIND_NOUN if float(a @ b) >= LIKE_NOUN else 0.0

    def _attributes(self, one: Sequence[str], other: Sequence[str]) -> float:
        """Return 0..1, how much of the shorter description is in the longer one, words of like meaning counting."""
        small, large = sorted((one, other), key=len)
        alike = self._lexicon.likeness(small, self._lexicon.numbers(large)).max(axis=1)
        return float(np.mean(alike))


def _agree(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of colours can be of one thing: nothing is said of one, or the one says more."""
    return not one or not other or one <= other or other <= one


def _without_colours(attributes: Sequence[str]) -> list[str]:
    return [word for word in attributes if word not in COLOURS]
