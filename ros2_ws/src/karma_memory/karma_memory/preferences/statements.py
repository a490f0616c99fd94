# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Preferences that people just state: "When I am tired, I prefer tea". Rules, so that a replay needs no model."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ADVERB = r"(?:(?:really|usually|always|generally|normally|actually|now|much|still|just|often|would|'d|do) ?)*"
_LIKING = r"(?:prefer|like|love|enjoy|want|favou?r)s?"
_WHEN = r"(?:when(?:ever)?|if|while|after|before|during|on|in the|at)"
_START = rf"^(?:(?:from now on|these days),? ?)?i ?{_ADVERB} ?{_LIKING} "
_SENTENCES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?P<when>{_WHEN}\b[^,]+?)(?:,|(?= i\b)) ?i ?{_ADVERB} ?{_LIKING} (?P<what>.+)$",
        rf"{_START}(?P<what>.+?)(?: best| most)? (?P<when>{_WHEN} .+)$",
        r"^(?:(?:from now on|these days),? ?)?my (?P<when>favou?rite [\w ]+?) is (?:now )?(?P<what>.+)$",
        rf"{_START}(?P<what>.+?)(?P<when>)$",
    )
)
_OVER = re.compile(r"\s+(?:over|rather than|instead of|more than|to)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an|my|some|to have|having)\s+", re.IGNORECASE)
_RETOLD = re.compile(
    r'^ prefers, (?:asked "(?P<asked>.*)"|(?P<when>[^:]*)): (?:the (?P<thing>.+?) on or in: )?'
    r"(?P<what>.+?)(?:, not .+)?$",
    re.IGNORECASE,
)
"""Preference.text after its user."""
_NO_NAME = re.compile(r"^(?:to|that|how|when|what|it|this|you|him|her|them|if)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """What a statement says."""

    chosen: str
    condition: str
    """When it holds, as said; "" for always."""
    thing: str = ""
    """What is put there, where that is said."""


def stated(text: str, user: str = "") -> Statement | None:
    """Return the preference that a text states, None where it states none.

    With a user, what tells of them states theirs, too: "ada prefers tea", or a preference of theirs as it is told.
    """
    sentence = " ".join(text.strip().rstrip(".!").split())
    name, rest = sentence[: len(user)], sentence[len(user) :]
    if user and name.casefold() == user.casefold() and rest.startswith(" "):
        retold = _RETOLD.match(rest)
        if retold:
            condition = retold["asked"] or retold["when"] or ""
            return Statement(retold["what"], "" if condition == "always" else condition, retold["thing"] or "")
        sentence = f"I{rest.partition(', not ')[0]}"
    for pattern in _SENTENCES:
        found = pattern.match(sentence)
        if found:
            chosen = _ARTICLE.sub("", _OVER.split(found["what"].strip())[0].strip(" ,"))
            if not chosen or _NO_NAME.match(chosen):
                return None
            return Statement(chosen, found["when"].strip())
    return None
