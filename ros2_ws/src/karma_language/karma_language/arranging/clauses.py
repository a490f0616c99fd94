# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Text to sentences, and which of them ask for something."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karma_language.arranging.words import ARRANGING, DETERMINERS, LEADS, PRONOUNS
from karma_language.vocabulary.verbs import verb_form

_SENTENCE = re.compile(
    r"(?<=[.?!])(?<!\b[a-zA-Z]\.)(?<!\b(?:mr|ms|dr|st|vs|no|oz)\.)(?<!\bmrs\.)\s+|\n+", re.IGNORECASE
)
_DASH = re.compile(r"\s[-–—]+\s")
_DONE = r"(?: to be)?(?: put| placed| moved)?"
_DESIRED = re.compile(
    r"^(?:(?P<thing>(?:the|my|our|both|all)\b.*?) (?:should|must|needs? to|has to|have to|ought to) "
    r"(?:go|be(?: put| placed| moved| set)?|stand|sit)"
    rf"|i(?:'d| would) like (?P<liked>(?:the|my|our)\b.*?){_DONE}"
    rf"|i (?:want|need) (?P<wanted>(?:the|my|our)\b.*?){_DONE})"
    r" (?P<where>(?:on|in|onto|into|at|inside|next to|beside) .*)$"
)
"""Said as a state of affairs: "the kettle should go on the counter"."""
_TELLS = re.compile(
    r"^(?:i|we|it|they|he|she|this|that|these|those|both|in|my|our|usually|normally|typically|every|whenever|when|during)"
    r"\b|.*\b(?:is|are|was|were|has|have|had|holds|belongs?|am|like|likes|prefer|love|keep)\b"
)
_ASKS = re.compile(
    r"^(?:.*?\b(?:could|can|would|will) you\b|(?:i(?:'d| would) (?:like|love)|i (?:want|need)) you to\b"
    r"|please\b|help\b)"
)
SOFTENERS = re.compile(
    r"^(?:(?:and|then|after that|afterwards|additionally|also|next|finally|lastly|now|moreover|in addition|once done|"
    r"first|firstly|second|secondly|third|hey|hi|hello|okay|ok|robot)\s*,?\s+|please\s+|kindly\s+|just\s+|"
    r"(?:after|once|when) you(?:'ve| have)?(?: finished| done)?\s+|(?:would|do) you mind\s+|"
    r"i was hoping you (?:could|would)\s+|(?:could|can|would|will) you(?: please| kindly| also| first)*\s+|"
    r"(?:i(?:'d| would) (?:like|love)|i (?:want|need)) you to\s+|help me(?: out)?(?: by| to)?\s+|help\s+|let's\s+|"
    r"go ahead and\s+|you to\s+|me\s+)+"
)


def sentences(text: str) -> list[str]:
    """Split a text into sentences, however they are capitalised; single letters and common abbreviations end none."""
    return [part.strip() for part in _SENTENCE.split(_DASH.sub(", ", text.strip())) if part.strip()]


def request_in(sentence: str) -> str:
    """Return what a sentence asks for, as a request; empty when it asks for nothing."""
    lowered = sentence.lower().replace("’", "'").rstrip(".?!")
    if (desired := _DESIRED.match(lowered)) is not None:
        return f"put {desired['thing'] or desired['liked'] or desired['wanted']} {desired['where']}"
    plain = SOFTENERS.sub("", lowered)
    first = re.split(r"[^\w'-]+", plain, maxsplit=1)[0]
    asks = _ASKS.match(lowered) or verb_form(first) or first in ARRANGING or not _TELLS.match(plain)
    return lowered if asks else ""


def begins(text: Sequence[str], at: int) -> bool:
    """Whether a further request begins in a list of words: "and place it", "by moving the cup"."""
    form = verb_form(text[at])
    if form is None:
        return False
    gerund = form[1] == "ing" and text[at - 1] in ("by", ",", "and", "then")
    has_object = at + 1 < len(text) and text[at + 1] in DETERMINERS | PRONOUNS
    return gerund or (form[1] != "past" and text[at - 1] in LEADS and has_object)
