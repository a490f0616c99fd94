# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which words of an utterance the quotes of a reading stand for, letter by letter, and which are left over.

Only case, spacing and punctuation are set aside: what nobody said can't be quoted, in any language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from karma_language.time_expressions import NUMBERS
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import AUXILIARIES, DETERMINERS, ENDS, PERSONS, PLACED, STATES, base_form, each

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_JOINT = re.compile(r"['’]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]")
"""Scripts that are written without blanks between words."""
_LIMITS = frozenset(each("not no never none nobody nothing neither nor without except unless instead until if only"))
"""English words that turn or limit what is said, wherever they stand: none of them may be passed over."""
_PREPOSITIONS = {*PLACED, "to", "from", "off", "out"}
_SMALL = ENDS | DETERMINERS | PERSONS | AUXILIARIES.keys() | {"me", "us", "s"}


@dataclass(frozen=True)
class Token:
    """A word of a text."""

    word: str
    """In the form in which words are compared."""
    start: int
    end: int
    """Where it stands in the text."""


def tokens(text: str) -> list[Token]:
    """Return the words of a text; of scripts without blanks, the characters."""
    found: list[Token] = []
    for match in _WORD.finditer(text):
        pieces = [*match[0]] if _UNSPACED.search(match[0]) else _JOINT.split(match[0])
        at = match.start()
        for piece in pieces:
            at = text.index(piece, at)
            found.append(Token(unicodedata.normalize("NFKC", piece).casefold(), at, at + len(piece)))
            at += len(piece)
    return found


def words(text: str) -> list[str]:
    """Return the words of a text in the form in which they are compared."""
    return [token.word for token in tokens(text)]


class Utterance:
    """The words of an utterance, and which of them have been quoted."""

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self.text = text
        self._tokens = tokens(text)
        self._words = [token.word for token in self._tokens]
        self._covered = [False] * len(self._words)
        self._lexicon = lexicon

    def find(self, quote: str) -> range | None:
        """Return where a quote stands, best where nothing was quoted yet; None where nobody said it."""
        wanted = words(quote)
        if not wanted:
            return None
        places = [
            range(at, at + len(wanted))
            for at in range(len(self._words) - len(wanted) + 1)
            if self._words[at : at + len(wanted)] == wanted
        ]
        fresh = (place for place in places if not any(self._covered[i] for i in place))
        return next(fresh, places[0] if places else None)

    def find_in_order(self, quote: str) -> list[int] | None:
        """Return where the words of a verb stand, which others may part: "turn … off"; None where nobody said them."""
        found: list[int] = []
        for word in words(quote):
            after = found[-1] + 1 if found else 0
            at = next((i for i in range(after, len(self._words)) if self._words[i] == word), None)
            if at is None:
                return None
            found.append(at)
        return found or None

    def determined(self, quote: str, which: str = "") -> str:
        """Return a quote with the determiners before it, and before what tells which one: "my keys"."""
        place = self.find(quote)
        if place is None:
            return quote
        between, determiners, at = {*words(which)}, list[str](), place.start - 1
        while at >= 0 and self._words[at] in DETERMINERS | between:
            if self._words[at] in DETERMINERS:
                determiners.insert(0, self._words[at])
            at -= 1
        return " ".join([*determiners, self.said(place)])

    def before(self, quote: str) -> str:
        """Return the words of a preposition that a quote leaves out, "" where it has one or none is there."""
        place = self.find(quote)
        if place is None or self._words[place.start] in _PREPOSITIONS:
            return ""
        spans = (self._words[at : place.start] for at in range(max(0, place.start - 3), place.start))
        return next((" ".join(span) for span in spans if " ".join(span) in PLACED or span == ["to"]), "")

    def cover(self, places: Iterable[int]) -> None:
        """Note that words were quoted."""
        for place in places:
            self._covered[place] = True

    def after(self, places: Sequence[int]) -> str:
        """Return the text behind some words."""
        return self.text[self._tokens[max(places)].end :].lstrip()

    def stated(self, state: str) -> list[int]:
        """Return where a state is said, in whatever form: "closed", "shut"."""
        return [at for at, word in enumerate(self._words) if STATES.get(base_form(word), "") == state]

    def said(self, places: Sequence[int]) -> str:
        """Return the text from the first to the last of some words, letter by letter."""
        return self.text[self._tokens[min(places)].start : self._tokens[max(places)].end] if places else ""

    def left(self, *, loosely: bool) -> tuple[str, ...]:
        """Return the words of English that say something and that nothing was quoted of.

        `loosely`: only words that tell one thing, place, state, number or time from another, as in questions.
        """
        found: dict[str, None] = {}
        for word, covered in zip(self._words, self._covered, strict=True):
            small = word in _SMALL or not (self.tells(word) or not loosely)
            if not covered and (self.limits(word) or not small):
                found[word] = None
        return tuple(found)

    def limits(self, word: str) -> bool:
        """Whether an English word turns or limits what is said."""
        return word in _LIMITS or word == "t"  # the end of "don't"

    def tells(self, word: str) -> bool:
        """Whether a word may tell one thing, place, state or number from another."""
        return self.names(word) or (word,) in self._lexicon.states or self.limits(word)

    def names(self, word: str) -> bool:
        """Whether a word may name a thing, a room, a colour or a number."""
        lexicon = self._lexicon
        known = (word,) in lexicon.nouns or (word,) in lexicon.rooms or word in lexicon.colours
        return known or word in NUMBERS or word.isdecimal()
