# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which names are places to put things, and which are things."""

from __future__ import annotations

from collections.abc import Sequence

from karma_language.told.wishes.choice import Likeness
from karma_language.told.wishes.english import WORDS
from karma_language.told.wishes.phrases import tokens
from karma_language.vocabulary.categories import Vocabulary
from karma_language.vocabulary.terms import normalised, singular

_PLACE_HEADS = WORDS["places"]
"""Last words of names of places, in any home."""
_PLACES = ("a piece of furniture", "a place in a room to put things", "shelf", "drawer", "table", "area of a room")
_THINGS = ("something to eat or drink", "a thing to carry in the hand", "food", "drink", "items", "supplies", "clothes")


class PlaceSense:
    """Tells places from things: by what a household is known to have, by the last word, else by meaning."""

    def __init__(self, likeness: Likeness) -> None:
        self._likeness = likeness
        self._vocabulary = Vocabulary()

    def split(self, names: Sequence[str], request: str) -> tuple[list[str], list[str]]:
        """Return (things, places), each in the order given. One at least is a thing where there are several.

        Of names that nobody knows, those that the request speaks of are what it asks to put away.
        """
        scores = {name: self._known(name) for name in names}
        said = {singular(word) for word in tokens(request)}
        unknown = [name for name in names if scores[name] == 0.0]
        spoken_of = [name for name in unknown if singular(tokens(name)[-1]) in said]
        for name in unknown:
            scores[name] = (-0.9 if name in spoken_of else 0.1) if spoken_of else self._meaning(name)
        places = [name for name in names if scores[name] > 0]
        if len(names) > 1 and len(places) == len(names):
            places.remove(min(places, key=lambda name: scores[name]))
        if len(names) > 1 and not places:
            lowest = min(names, key=lambda name: scores[name])
            places = [name for name in names if name != lowest]
        return [name for name in names if name not in places], places

    def _known(self, name: str) -> float:
        """Return 1 for places, -1 for things, 0 where words do not tell."""
        words = [singular(word) for word in tokens(name)]
        if not words:
            return -1.0
        if words[-1] in _PLACE_HEADS:
            return 1.0
        last = [m for m in self._vocabulary.mentions(normalised(name)) if m.phrase.split()[-1] == words[-1]]
        if last:
            movable = [self._vocabulary.is_movable(category) for category in last[-1].categories]
            return -1.0 if any(movable) else 1.0
        return 0.0

    def _meaning(self, name: str) -> float:
        """Return more than 0 for what is more like a place than like a thing."""
        place = max(self._likeness.of(name, other) for other in _PLACES)
        thing = max(self._likeness.of(name, other) for other in _THINGS)
        return 0.9 * (place - thing)
