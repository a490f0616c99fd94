# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Words of a text in the form in which rules compare them: lower case, contractions and shorthand in full."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from karma_language.words import ADVERBS, DETERMINERS, PERSONS, PLACED, STATES, each

_TOKEN = re.compile(
    r"[A-Za-z]\w*\|[\w.|+-]*\w"  # an id of the scene graph
    r"|\d+(?:[.:]\d+)?|[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?|\.{2,}|[^\w\s]"
)
_IS = frozenset(each("it that this there here he she what where who how why when everything something")) | PERSONS
_PREDICATES = frozenset(
    (*ADVERBS, *DETERMINERS, *STATES, *(word.split()[0] for word in PLACED), *each("all so in on at"))
)
"""Words before which "'s" is a verb: "the knife's IN the sink"."""
_SHORT = {"re": "are", "ve": "have", "m": "am", "ll": "will", "d": "would", "s": "is"}
_FULL = {
    "let's": "let us", "lets": "let us", "can't": "can not", "cannot": "can not", "won't": "will not",
    "shan't": "shall not", "dont": "do not", "doesnt": "does not", "isnt": "is not", "im": "i am", "ive": "i have",
    "id": "i would", "pls": "please", "plz": "please", "u": "you", "ur": "your", "r": "are", "n": "and", "teh": "the",
    "ya": "you",
    "gonna": "going to", "wanna": "want to", "gotta": "have to", "thx": "thanks", "ta": "thanks", "em": "them",
    "wheres": "where is", "whats": "what is", "hows": "how is", "whos": "who is",
    "&": "and", "telly": "television", "loo": "toilet", "n't": "not",
}  # fmt: skip
STOPS = frozenset(each(". ! ? ; : .. ... .... ( ) – — … → ➔ ⇒ >"))
"""Punctuation that ends a clause; a comma may not."""


@dataclass(frozen=True)
class Token:
    """A word, or a mark of punctuation."""

    word: str
    start: int
    """In the text, characters."""
    end: int
    said: str = ""
    """As it was typed, where its spelling was corrected."""


def tokens_of(text: str, correct: Callable[[str], str | None] = lambda word: None) -> list[Token]:
    """Return the words of a text. `correct` returns what a word is a slip of, None where it is none."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        typed = match[0].replace("’", "'")
        word = typed if "|" in typed else typed.casefold()
        for part in _parts(word, found):
            right = correct(part) if part.isalpha() else None
            found.append(Token(right or part, match.start(), match.end(), part if right else ""))
    return [part for at, token in enumerate(found) for part in _with_verb(token, found[at + 1 : at + 2])]


def _with_verb(token: Token, after: list[Token]) -> list[Token]:
    """Return a noun and its verb where "'s" is short for that, as the word `after` it shows, else the token."""
    stem, mark, ending = token.word.rpartition("'")
    if not mark or ending != "s" or not after or after[0].word not in _PREDICATES:
        return [token]
    return [Token(stem, token.start, token.end), Token("is", token.start, token.end)]


def _parts(word: str, before: Iterable[Token]) -> list[str]:
    """Return the words that a contraction stands for."""
    if word in _FULL:
        return _FULL[word].split()
    if word.endswith("n't"):
        return [word[:-3], "not"]
    stem, mark, ending = word.rpartition("'")
    if mark and ending in _SHORT and (ending != "s" or stem in _IS):
        return [*_parts(stem, before), _SHORT[ending]]
    return [word.rstrip("'") or word]
