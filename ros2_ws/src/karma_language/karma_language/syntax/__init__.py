# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests by their syntax: a dependency parse to clauses, which the verb frames turn into goals.

Which words belong together the parser says; what they mean is said by the same vocabulary, noun phrases and frames as
in the rest of the grammar. A content word that has no part in what was read is unread.
"""

from __future__ import annotations

from collections.abc import Callable

from karma_language.phrases import Names
from karma_language.reading import Reading
from karma_language.syntax.clauses import Parsed
from karma_language.syntax.parser import parse
from karma_language.vocabulary.lexicon import Lexicon


class Syntax:
    """Reads requests by their syntax."""

    def __init__(self, lexicon: Lexicon, is_word: Callable[[str], bool] = lambda word: False) -> None:
        self._lexicon = lexicon
        self._is_word = is_word

    def read(self, text: str, names: Names | None = None, *, ordered: bool = False) -> Reading:
        """Return what an utterance asks for, with the words that it leaves over; nothing where there is no parser.

        `ordered`: only what is passed on counts, that somebody else wants of the robot.
        """
        doc = parse(text)
        if doc is None:
            return Reading(reader="rules")
        parsed = Parsed(doc, self._lexicon, names or {}, self._is_word)
        reading = parsed.read()
        return reading if parsed.ordered or not ordered else Reading(reader="rules")
