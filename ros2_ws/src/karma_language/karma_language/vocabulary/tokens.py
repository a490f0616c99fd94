# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Words of a text in the form in which rules compare them: lower case, contractions and shorthand in full."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from karma_language.vocabulary.verbs import VERBS
from karma_language.vocabulary.words import (
    ADVERBS,
    DETERMINERS,
    PEOPLE,
    PERSONS,
    PLACED,
    PLAIN_ADJECTIVES,
    STATES,
    TITLES,
    base_form,
    each,
)

_TOKEN = re.compile(
    r"[A-Za-z]\w*\|[\w.|+-]*\w"  # an id of the scene graph
    rf"|\b(?i:{'|'.join(TITLES)})\.(?=\s)"
    r"|\d+(?i:st|nd|rd|th)\b|\d+(?:[.:]\d+)?|[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?|\.{2,}|[^\w\s]"
)
_IS = frozenset(each("it that this there here he she what where who how why when everything something")) | PERSONS
_PREDICATES = frozenset(
    (
        *ADVERBS,
        *DETERMINERS,
        *STATES,
        *(word.split()[0] for word in PLACED),
        *each("all so in on at far fine ok okay wrong not been gone got mine ours hers theirs yours"),
    )
) - {"light"}
"""Words before which "'s" is a verb: "the knife's IN the sink". A light is a lamp: "the hall's LIGHT"."""
_FUNCTION = frozenset(
    (
        *ADVERBS,
        *DETERMINERS,
        *PERSONS,
        *(word.split()[0] for word in PLACED),
        *each(", and but or me it since because until though"),
    )
)
"""Words that no noun phrase goes on with: what stands before them ends one."""
_BEFORE_NOUNS = frozenset(each("in on under by into onto from of with to at inside behind"))
_SHORT = {"re": "are", "ve": "have", "m": "am", "ll": "will", "d": "would", "s": "is"}
_FULL = {
    "let's": "let us", "lets": "let us", "can't": "can not", "cannot": "can not", "won't": "will not",
    "shan't": "shall not", "im": "i am", "ive": "i have", "id": "i would", "cant": "can not", "wont": "will not",
    "pls": "please", "plz": "please", "u": "you", "r": "are", "n": "and", "teh": "the", "ya": "you",
    "gonna": "going to", "wanna": "want to", "gotta": "have to", "gimme": "give me", "lemme": "let me",
    "nvm": "never mind", "k": "ok", "w": "with", "tho": "though", "btw": "by the way", "cuz": "because",
    "rn": "right now", "atm": "at the moment", "tmrw": "tomorrow", "thx": "thanks", "ta": "thanks", "em": "them",
    "aswell": "as well", "&": "and", "telly": "television", "loo": "toilet", "n't": "not",
    "1st": "first", "2nd": "second", "3rd": "third",
}  # fmt: skip
_UNMARKED = re.compile(
    r"(?P<verb>do|does|did|is|are|was|were|have|has|had|could|would|should|must)nt"
    r"|(?P<stem>it|that|there|here|where|what|how|who|he|she)s|(?P<more>you|they|we)(?P<end>re|ve|ll|d)"
)
"""Contractions without their apostrophe; "its", "were", "well" and "wed" are words of their own."""
_WORDS = frozenset(each("its were well wed"))
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
        word = word[:-1] if len(word) > 1 and word[-1] == "." and word[0] != "." else word  # a title
        if word.endswith("s'") and (typed[0].isupper() or word[:-1] in PEOPLE):  # "the kids' laptop", "James' mug"
            word = f"{word[:-1]}'s"
        for part in _parts(word, found):
            part = "—" if part == "-" else part
            right = correct(part) if part.isalpha() else None
            found.append(Token(right or part, match.start(), match.end(), part if right else ""))
    return [
        part
        for at, token in enumerate(found)
        for part in _with_verb(token, found[at + 1 : at + 3], [one.word for one in found[max(at - 4, 0) : at]])
    ]


def _is_owner(word: str, following: str, said: list[str]) -> bool:
    """Whether "'s" before a place tells an owner, by the words before.

    "Put PAULA'S in the box", "all the mugs but Tom's and ANNA'S on the desk"; but not "clean up but ANNA'S in there".
    """
    if word.endswith("s's"):
        return True
    *earlier, before = said or [""]
    several = [one for one, left_out in itertools.pairwise(said) if left_out in ("but", "except")]
    spared = any(one.endswith("s") or one in ("all", "everything") for one in several)
    another = before in ("and", "or", ",") and (*earlier[-1:], "")[0].endswith("'s")
    return following in _BEFORE_NOUNS and (before in VERBS or spared or another)


def _with_verb(token: Token, after: list[Token], said: list[str]) -> list[Token]:
    """Return a noun and its verb where "'s" is short for that, as the words around it show, else the token."""
    before = said[-1] if said else ""
    if token.word == "ur":
        are = bool(after) and (after[0].word.endswith("ing") or after[0].word == "done")
        return [Token(word, token.start, token.end) for word in (("you", "are") if are else ("your",))]
    stem, mark, ending = ("it", "'", "s") if token.word == "its" else token.word.rpartition("'")
    if not mark or ending != "s" or not after or (token.word == "its" and before in _BEFORE_NOUNS):
        return [token]
    if _is_owner(token.word, after[0].word, said):
        return [token]
    word, then = after[0].word, after[1].word if len(after) > 1 else ""
    ends = not then or then in STOPS | _FUNCTION or (word.endswith("ing") and then in STATES)
    ends = ends or ((word in STATES or _says_state(word)) and then in VERBS)  # "if the door's CLOSED OPEN it"
    stated = word in _PREDICATES and (ends or token.word != "its" or word not in STATES)
    stated = stated or (ends and token.word == "its" and word == "dark")  # "its DARK in here"
    if not (stated or (ends and (word in PLAIN_ADJECTIVES or word.endswith("ing") or _says_state(word)))):
        return [token]
    return [Token(stem, token.start, token.end), Token("is", token.start, token.end)]


def _says_state(word: str) -> bool:
    """Whether a word is a participle that says a state: "closed"."""
    return word != base_form(word) and base_form(word) in STATES


def _parts(word: str, before: Iterable[Token]) -> list[str]:
    """Return the words that a contraction stands for."""
    if word in _FULL:
        return _FULL[word].split()
    if word.endswith("n't"):
        return [word[:-3], "not"]
    if word not in _WORDS and (short := _UNMARKED.fullmatch(word)) is not None:
        stem = short["verb"] or short["stem"] or short["more"]
        return [stem, "not" if short["verb"] else _SHORT[short["end"] or "s"]]
    stem, mark, ending = word.rpartition("'")
    if mark and ending == "d" and stem in ("where", "when", "why", "how"):
        return [stem, "did"]
    if mark and ending in _SHORT and (ending != "s" or stem in _IS):
        return [*_parts(stem, before), _SHORT[ending]]
    return [word.rstrip("'") or word]
