# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a person says not to be so, or no longer: it tells no new knowledge, and takes back what it names.

What is only so at the moment ("I can't find my favorite cup", "I didn't have my usual breakfast today") takes nothing
back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from karma_language.reading import Telling, Told
from karma_language.told.habits.wording import MOMENT, POINTS_BACK, content_words, statement_type
from karma_language.vocabulary.terms import stems, words

_NOT = r"(?:\bnot\b(?! (?:only|just)\b)|n['’]t\b|\bcannot\b|\bnever\b|\bno longer\b)"
_DENIES = re.compile(_NOT, re.IGNORECASE)
_DEPENDENT = re.compile(r"\b(?:that|which|who|because|so|since|if|when|whenever|while|where|and)\b|,", re.IGNORECASE)
"""Begins what the main clause doesn't say."""
_TWICE = re.compile(r"\b(?:without|unless|until|but)\b", re.IGNORECASE)
"""With a denial, these say that something is so: "I never start without my cup"."""
_COPULA = re.compile(r"\b(?:is|are|was|were)(?: not|n['’]t| no longer)\b", re.IGNORECASE)
_ENDED = re.compile(r"\bno longer\b|\bany ?more\b|\bany longer\b", re.IGNORECASE)
_HABITUAL = re.compile(
    rf"\b(?:do not|don['’]t|never)\b(?! (?:want|need|see|find|know|remember|feel|mean|think)\b)|{_COPULA.pattern}"
)
_SAYS_NOTHING = frozenset(words("any more anymore no longer not never don doesn isn aren have t"))


def denies(sentence: str) -> bool:
    """Whether the main clause of a statement says what is not so."""
    if sentence.rstrip().endswith("?") or (statement_type(sentence) is None and not _COPULA.search(sentence)):
        return False
    lead = POINTS_BACK.match(sentence)
    start = lead.end() if lead and not _DENIES.search(lead[0]) else 0
    main = _DEPENDENT.split(sentence[start:], maxsplit=1)[0]
    return bool(_DENIES.search(main)) and not _TWICE.search(sentence)


def denial(sentence: str) -> Told | None:
    """Return what a sentence takes back; None where it takes nothing back for good."""
    if not denies(sentence):
        return None
    ended = bool(_ENDED.search(sentence))
    passing = MOMENT.search(sentence) or POINTS_BACK.match(sentence) or not _HABITUAL.search(sentence)
    if passing and not ended:
        return None
    return Told(quote=sentence, kind=Telling.DENIAL, value=_saying(sentence), ended=ended)


def takes_back(denied: Told, alias: str, told: str) -> bool:
    """Whether a denial ends knowledge: it names it by its alias, and says nothing that wasn't `told` of it.

    What is no longer so need only be named.
    """
    named, said = _stems(_saying(alias)), _stems(denied.value)
    return bool(named) and named <= said and (denied.ended or said <= named | _stems(_saying(told)))


def _saying(text: str) -> tuple[str, ...]:
    """Return the words of a text that say what it is about, not that it is not so."""
    return tuple(word for word in content_words(text) if word not in _SAYS_NOTHING)


def _stems(said: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for word in said for stem in stems(word)) - _SAYS_NOTHING
