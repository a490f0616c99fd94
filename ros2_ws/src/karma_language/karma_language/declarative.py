# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a clause tells something: it has a subject of its own and a finite verb, and says not what should be done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.time_expressions import WEEKDAY
from karma_language.told.facts.english import is_verb, lemma, table
from karma_language.verbs import UNSKILLED, VERBS, verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    DETERMINERS,
    PEOPLE,
    PERSONS,
    PLACED,
    QUESTION_WORDS,
    STATES,
    base_form,
    each,
)

_POINTING = frozenset(each("it this that these those there here nothing everything none mine his hers ours theirs one"))
_SUBORDINATES = frozenset(
    each("if when whenever since because as after before while although though once until unless")
)
_CLAUSAL = frozenset(each("if when whenever because while although though unless as"))
"""What a clause follows, and no noun phrase."""
_DAY = re.compile(WEEKDAY, re.IGNORECASE)
_PREPOSITIONS = frozenset(
    each("at from for during without with of to about between against over through across off up out along past")
) | {preposition for preposition in PLACED if " " not in preposition}
_TIMES = frozenset(each("today tomorrow tonight yesterday nowadays usually sometimes later lately currently now"))
_LEADS = frozenset(
    each("oh well so and but also btw fyi no yes yeah listen careful look sorry note remember hey ok okay hm please ah")
)
_NEGATIVE = frozenset(each("not never nobody nothing no"))
_HABITUAL = frozenset(each("always never usually every each often sometimes whenever"))
_DEONTIC = frozenset(each("should must ought shall need needs wants want would"))
_IRREGULAR = frozenset((*BASES.values(), *table()["irregular"].values()))
_SAYING = frozenset(each("mean meant say said"))
_SUITS = frozenset(each("do fine ok okay alright enough best better good"))
"""What is said of a thing or place that is chosen: "the sofa is fine", "any cup will do"."""
_RELATIVE = frozenset(each("who that which"))
_JOINS = frozenset(each("and or but than as so"))
_LONGEST_SUBJECT = 14
"""Words that may stand before the verb."""


@dataclass(frozen=True)
class _Predicate:
    """Where the subject of a clause begins, and its finite verb."""

    subject: int
    verb: int


class Declaratives:
    """Tells statements from requests, by syntax."""

    def __init__(self, words: Sequence[str], capitals: Sequence[bool], lexicon: Lexicon) -> None:
        """`capitals`: of each word, whether it was written with a capital."""
        self._words = words
        self._capitals = capitals
        self._lexicon = lexicon

    def declares(self, begin: int, end: int) -> bool:
        """Whether the clause or sentence between two words states something."""
        found = self._fronted(begin, end)
        return found is not None and not self._directive(begin, end, found)

    def directs(self, begin: int, end: int) -> bool:
        """Whether it has a subject and a finite verb, but says where something goes, or what was meant."""
        found = self._fronted(begin, end)
        if found is None or self._words[found.verb] not in _SAYING | {"go", "goes"}:
            return False
        return self._directive(begin, end, found)

    def _word(self, at: int, end: int) -> str:
        return self._words[at] if at < end else ""

    def _fronted(self, at: int, end: int) -> _Predicate | None:
        """Return the main predicate, which adverbials may stand before."""
        while at < end and (self._words[at] in _LEADS or not self._words[at][0].isalnum()):
            at += 1
        if self._word(at + 1, end) == "," and not verb_base(self._word(at, end)):
            at += 2  # "Sweetie, …"
        first = self._word(at, end)
        conditional = first == "in" and self._word(at + 1, end) == "case"
        if (
            conditional
            or first == "except"
            or (first in _TIMES and verb_base(self._word(at + 1, end)) == self._word(at + 1, end))
        ):
            return None  # "now lift the lid"
        lead = first in _PREPOSITIONS | _TIMES or _DAY.fullmatch(first) is not None
        if first not in _SUBORDINATES and not lead:
            return self._predicate(at, end)
        inner = self._predicate(at + 1, end) if first in _SUBORDINATES else None
        later = self._any(inner.verb + 1, end) if inner is not None else None
        return later or (self._any(at + 1, end) if first not in _CLAUSAL else None)

    def _any(self, begin: int, end: int) -> _Predicate | None:
        """Return the first predicate from a word on."""
        found = (self._predicate(at, end) for at in range(begin, end) if self._opens(at, end))
        return next((one for one in found if one is not None), None)

    def _opens(self, at: int, end: int) -> bool:
        """Whether a subject may begin within a sentence."""
        word = self._words[at]
        clear = word in (PERSONS | _POINTING | DETERMINERS) or self._capitals[at]
        return clear and self._word(at - 1, end) not in _PREPOSITIONS - {"before", "after", "since"}

    def _predicate(self, at: int, end: int) -> _Predicate | None:
        """Return the predicate of a clause whose subject begins at a word."""
        word = self._word(at, end)
        if not word or word == "you" or word in QUESTION_WORDS | ADVERBS | _PREPOSITIONS or not word[0].isalnum():
            return None
        if word in _JOINS or (self._word(at + 1, end) in DETERMINERS and word not in DETERMINERS | _POINTING):
            return None  # "unscrew the lid"
        if word in AUXILIARIES or (verb_at(self._words, at) is not None and not self._noun_then_be(at, end)):
            return None
        relative, contracted = 0, -1
        for i in range(at, min(at + _LONGEST_SUBJECT, end)):
            word, before = self._words[i], self._word(i - 1, end) if i > at else ""
            asking = word in QUESTION_WORDS - _RELATIVE
            if i > at and (word in _CLAUSAL or asking or (word == "," and self._ends_subject(at, i + 1, end))):
                break
            if i > at and word in _RELATIVE:
                relative += 1
            elif i > at and word in PERSONS and word != "people" and before not in _JOINS | {"to", "of"}:
                relative += 1  # "the red mug I got from Karin is …"
            if i > at and self._finite(i, at, end, before):
                if not relative:
                    if word in AUXILIARIES and self._word(i + 1, end) in PERSONS:
                        return None  # "yo, can you"
                    return _Predicate(at, i)
                relative -= 1
            elif contracted < 0 and word.endswith("'s") and i + 1 < end and self._words[i + 1].isalnum():
                contracted = i
        return _Predicate(at, contracted) if contracted >= 0 else None

    def _ends_subject(self, subject: int, at: int, end: int) -> bool:
        """Whether what follows a comma is no apposition to a subject."""
        own = self._word(at, end) in PERSONS | _POINTING
        return own or self._words[subject] not in DETERMINERS | PERSONS

    def _noun_then_be(self, at: int, end: int) -> bool:
        """Whether a word that may be a verb is a subject: "Dinner is at seven"."""
        following = self._word(at + 1, end)
        return AUXILIARIES.get(following) == "is" or following in AUXILIARIES or self._words[at].endswith("'s")

    def _finite(self, at: int, subject: int, end: int, before: str) -> bool:
        """Whether a word is the finite verb of a subject that began before."""
        word = self._words[at]
        if before in DETERMINERS - {"this", "that", "these", "those"} or not word.isalpha():
            return False
        if word in AUXILIARIES:
            return True
        if word in DETERMINERS | ADVERBS | _PREPOSITIONS | PERSONS | _JOINS or before in _PREPOSITIONS:
            return False
        base = verb_base(word)
        known = bool(base)
        noun = self._lexicon.nouns.get((word,)) is not None
        personal = before in PERSONS | {"it", "this", "that"} or self._person(at - 1)
        inflected = word not in (base, base_form(word)) or (word.endswith("s") and not word.endswith("ss"))
        following = self._word(at + 1, end)
        opens = following in DETERMINERS | PERSONS | {"it", "them", "him", "me", "us"}
        if opens and before not in DETERMINERS and (personal or (known and word.endswith("s"))):
            return True  # "my brother built the shelf", "the gardener waters the plants"
        if inflected and not word.endswith("ing") and not noun:
            result = not word.endswith("s") and (base in VERBS or base in STATES)
            if result and not personal:  # "the potato sliced" is wanted, "Tom sliced it" is told
                return False
            shown = not following or not following.isalpha() or following in _PREPOSITIONS | ADVERBS | _TIMES
            shown = shown or following.endswith("ly")
            return known or (personal and shown)
        plural = before in ("i", "we", "they", "people") or (before.endswith("s") and not before.endswith("ss"))
        joined = "and" in self._words[subject:at]
        if before in ("i", "we", "they"):
            return not noun and word not in QUESTION_WORDS
        result = base in STATES or base_form(word) in STATES  # "blinds open!"
        return (plural or joined) and before not in _JOINS and word == base and not (noun or result)

    def _person(self, at: int) -> bool:
        """Whether a word names a person, as far as it shows."""
        word = self._words[at].removesuffix("'s")
        named = self._capitals[at] and word not in DETERMINERS | _POINTING and (word,) not in self._lexicon.nouns
        return word != "they" and (word in PERSONS | PEOPLE or named)

    def _directive(self, begin: int, end: int, found: _Predicate) -> bool:
        """Whether a clause says what is to be done, or wanted now."""
        words = self._words[begin:end]
        if "please" in words:
            return True
        if _HABITUAL & {*words} or _NEGATIVE & {*self._words[found.verb : found.verb + 3]}:
            return False
        verb, following = self._words[found.verb], self._word(found.verb + 1, end)
        subject = self._words[found.subject : found.verb + 1]
        wanted = verb in _DEONTIC or (verb in ("has", "have", "is", "are") and following == "to")
        goes = verb in ("go", "goes") and following in _PREPOSITIONS
        possible = verb in ("can", "may", "could") and following in ("be", "go", "stay")
        person = any(map(self._person, range(found.subject, found.verb)))
        if subject[0] in ("i", "we"):
            to_do = following == "to" and verb_at(self._words, found.verb + 2) is not None
            wants = verb in _SAYING | {"want", "need", "would", "fancy", "could", "will"}
            return (wants or to_do) and words[0] != "if"
        will_do = (verb in AUXILIARIES or verb.endswith("'s")) and following in _SUITS and subject[0] not in _POINTING
        return ((wanted or possible or goes) and (not person or verb in ("would", "needs", "wants"))) or will_do


def verb_base(word: str) -> str:
    """Return the base form of a word that may be a verb that is known; "" for other words."""
    stems = (lemma(word), base_form(word), word.removesuffix("s"), word.removesuffix("es"))
    known = (stem for stem in stems if is_verb(stem) or stem in VERBS or stem in UNSKILLED or stem in _IRREGULAR)
    return next(known, "")
