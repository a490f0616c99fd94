# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An instruction to what it asks for, one thing after the other, each with what is told beside it."""

from __future__ import annotations

import re
from functools import lru_cache

from karma_language.reading import Request
from karma_language.told.habits.commands import grammar
from karma_language.told.habits.wording import DECLARATIVE, TEXTS_KEPT, sentences

_ASKING = r"(?:could|can|would|will) you(?: please| also| then)?(?: help me(?: to)?)?"
_LINK = r"and|but|then|next|also|after (?:that|this)|afterwards?|additionally|finally|lastly|please|now|first"
_BACK = re.compile(
    rf"^(?:(?:{_LINK}|{_ASKING}),?\s+)*(?:(?:both|all|each) of |[a-z]+ )?"
    r"(?:them|it|they|both|these|those|each)\b(?! [a-z]+s\b)",
    re.IGNORECASE,
)
"""A sentence whose first object is a pronoun: it goes on with what was said before."""


@lru_cache(TEXTS_KEPT)
def asks(sentence: str) -> bool:
    """Whether a sentence asks for something, whatever it tells: "I have guests, so please set the table"."""
    return any(isinstance(item, Request) for item in grammar().read(sentence).items)


@lru_cache(TEXTS_KEPT)
def requests(instruction: str) -> tuple[str, ...]:
    """Split an instruction into what is asked for one after another.

    A sentence that goes on with "them" or "it" belongs to the one before; what is only told belongs to the request
    that follows, or to the last one.
    """
    parts: list[str] = []
    told: list[str] = []
    for sentence in sentences(instruction):
        if _BACK.match(sentence) and parts:
            parts[-1] = " ".join([parts[-1], *told, sentence])
            told = []
        elif DECLARATIVE.match(sentence) and not asks(sentence):
            told.append(sentence)
        else:
            parts.append(" ".join([*told, sentence]))
            told = []
    if told:
        parts[-1:] = [" ".join([*parts[-1:], *told])]
    return tuple(parts)
