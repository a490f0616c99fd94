# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The words of a text, one after the other, and what begins at each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karma_language.things import Relation
from karma_language.vocabulary.tokens import Token
from karma_language.vocabulary.words import PLACED

PLACES = {
    **{words: relation for words, relation in PLACED.items() if words != "at"},
    "above": Relation.ABOVE,
    "over": Relation.ABOVE,
    "between": Relation.BETWEEN,
    "opposite": Relation.IN_FRONT_OF,
    "across from": Relation.IN_FRONT_OF,
    "right by": Relation.NEAR,
    "beside of": Relation.NEAR,
    "alongside": Relation.NEAR,
    "adjacent to": Relation.NEAR,
    "on to": Relation.ON,
    "in to": Relation.IN,
    "against": Relation.NEAR,
    "to the side of": Relation.NEAR,
    "on the left side of": Relation.LEFT_OF,
    "on the right side of": Relation.RIGHT_OF,
    "to the top of": Relation.ON,
    "on the top of": Relation.ON,
}
"""Prepositions of place."""


class Text:
    """The words of a text."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.words = [token.word for token in tokens]

    def word(self, at: int) -> str:
        """Return a word, "" behind the end."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def rest(self, at: int, most: int = 9) -> str:
        """Return the words from here on, with blanks between them."""
        return " ".join(self.words[at : at + most])

    def matched(self, pattern: re.Pattern[str], at: int) -> int:
        """Return the index after a pattern that begins here, `at` where it doesn't."""
        match = pattern.match(self.rest(at, 16))
        return at + len(match[0].split()) if match is not None and match[0].strip() else at

    def preposition(self, at: int) -> tuple[Relation, int] | None:
        """Return the relation of a preposition of place, and the index after it."""
        at += self.word(at) in ("right", "directly") and self.preposition(at + 1) is not None
        for length in (5, 4, 3, 2, 1):
            if (relation := PLACES.get(self.rest(at, length))) is not None:
                return relation, at + length
        return None
