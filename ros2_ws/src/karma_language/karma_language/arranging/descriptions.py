# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What sentences tell of things, by the nouns that these are called by."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BEING = r"(?:is|are|was|were|has|have|had|holds|features|comes|belongs)"
_SUBJECT = re.compile(rf"^(?P<subject>.*?)\b{_BEING}\b")
_LINK = r"(?:,\s*(?:and\s+|while\s+|whereas\s+)?|\s+and\s+|;\s*)"
_SHORT = re.compile(r"\b(it|that|they|this)'(?:s|re)\b")
_ONE = re.compile(r"^(?:it|this|that|its)\b")
_ALL = re.compile(r"^(?:they|these|those|both|all)\b")


def descriptions_in(told: Sequence[str], heads: Sequence[str]) -> list[tuple[tuple[str, ...], str]]:
    """Return (heads that it is about, clause) for the clauses of the sentences that tell of things."""
    found: list[tuple[tuple[str, ...], str]] = []
    for sentence in told:
        for piece in _pieces(sentence, heads):
            match = _SUBJECT.match(_SHORT.sub(r"\1 is", piece.lower()))
            subject = match["subject"].strip() if match is not None else ""
            about = _mentioned(subject, heads)
            if not about and _ONE.match(subject):
                about = (found[-1][0] if found else tuple(heads))[-1:]
            elif not about and _ALL.match(subject):
                about = tuple(heads)
            if about:
                found.append((about, piece.strip().rstrip(".")))
    return found


def _pieces(sentence: str, heads: Sequence[str]) -> list[str]:
    """Split a sentence before each further subject: "the drum is purple, | the flute is wooden"."""
    named = "|".join(re.escape(head) for head in heads)
    subject = (
        rf"(?:the|my|this)\s[^,]{{1,40}}?\b{_BEING}|(?:{named})\s+{_BEING}" if named else rf"the\s[^,]+?\b{_BEING}"
    )
    pieces = re.split(rf"{_LINK}(?=(?:{subject})\b)", sentence, flags=re.IGNORECASE)
    for index in range(len(pieces) - 1, 0, -1):
        if not _SUBJECT.match(pieces[index - 1].lower()):  # "the drum and | the flute are"
            pieces[index - 1 : index + 1] = [f"{pieces[index - 1]} and {pieces[index]}"]
    return pieces


def _mentioned(subject: str, heads: Sequence[str]) -> tuple[str, ...]:
    """Return the heads whose words are all in a subject, longer ones first: these take their words."""
    words = re.findall(r"[\w'-]+", subject)
    found = []
    for head in sorted(dict.fromkeys(heads), key=lambda h: -len(h.split())):
        places = [next((i for i, w in enumerate(words) if w in (x, x + "s", x + "es")), -1) for x in head.split()]
        if places and min(places) >= 0:
            found.append(head)
            words = [word for i, word in enumerate(words) if i not in places]
    return tuple(head for head in heads if head in found)
