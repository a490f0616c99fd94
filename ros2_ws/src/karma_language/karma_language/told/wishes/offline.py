# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The language steps by rules: no model needed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karma_language.told.wishes.choice import Heard, Likeness, Mode, Request, listed
from karma_language.told.wishes.circumstances import asking, without_condition
from karma_language.told.wishes.english import WORDS
from karma_language.told.wishes.phrases import named, says_change, tokens
from karma_language.told.wishes.places import PlaceSense

_PUTTING = WORDS["putting"]
_FETCHING = WORDS["fetching"]


class OfflineLanguage:
    """Understands household English by rules."""

    def __init__(self, likeness: Likeness) -> None:
        self._likeness = likeness
        self._places = PlaceSense(likeness)

    def read(self, user: str, text: str, scene: Sequence[str]) -> Request:
        """Return what a request leaves open: a thing to bring or, where something is to be put away, its place."""
        names = list(dict.fromkeys(scene))
        if _mode(text) is Mode.FETCH:
            return Request(user, text, Mode.FETCH, options=tuple(names))
        things, places = self._places.split(names, text)
        thing = max(things, key=lambda name: self._likeness.of(text, name), default="")
        return Request(user, text, Mode.PUT, thing, tuple(places))

    def question(self, request: Request, options: Sequence[str]) -> str:
        """Return one question with all options, in the order in which they are given."""
        which = listed(options, "or")
        if request.mode is Mode.PUT:
            asked = f"Where should I put the {request.thing}" if request.thing else "Where should I put it"
        else:
            asked = "Which would you like"
        return f"{asked}: {which}?" if which else f"{asked}?"

    def approves(self, words: str) -> bool:
        """Whether there is praise or thanks and nothing against it."""
        said = set(tokens(words))
        return bool(said & WORDS["approving"]) and not said & WORDS["objecting"]

    def heard(self, request: Request, words: str) -> Heard | None:
        """Return what is named as wanted; None for thanks and the like."""
        rest, condition = without_condition(words)
        chosen = named(rest, request.options)
        return Heard(chosen, says_change(words), condition) if chosen else None


def _mode(text: str) -> Mode:
    """Return what the sentence that asks for something is about; the others say why."""
    for sentence in reversed(asking(text.lower())):
        for word in tokens(sentence):
            if word in _PUTTING:
                return Mode.PUT
            if word in _FETCHING:
                return Mode.FETCH
    return Mode.PUT if re.search(r"\bwhere\b", text.lower()) else Mode.FETCH
