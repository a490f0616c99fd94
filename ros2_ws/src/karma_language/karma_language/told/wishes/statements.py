# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Preferences that people just state: "When I am tired, I prefer tea". Rules, so that a replay needs no model."""

from __future__ import annotations

import re

from karma_language.reading import Telling, Told
from karma_language.told.wishes.circumstances import without_condition

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
_WISH = re.compile(
    r"i\b(?!.*\b(?:always|usually|generally|normally|from now on|these days)\b)[^,]*?(?:\bwould\b|'d\b|\bwant\b)",
    re.IGNORECASE,
)
"""Of the moment: "I'd like a beer", not "I always want a beer"."""
_NO_NAME = re.compile(r"^(?:to|that|how|when|what|it|this|you|him|her|them|if)\b", re.IGNORECASE)


def stated(sentence: str, speaker: str = "") -> Told | None:
    """Return the preference that a sentence states, None where it states none, or one of the moment.

    With a speaker, what tells of them states theirs, too: "ada prefers tea", or a preference of theirs as it is told.
    """
    plain = " ".join(sentence.strip().rstrip(".!").split())
    name, rest = plain[: len(speaker)], plain[len(speaker) :]
    if speaker and name.casefold() == speaker.casefold() and rest.startswith(" "):
        retold = _RETOLD.match(rest)
        if retold:
            condition = retold["asked"] or retold["when"] or ""
            return _preference(sentence, retold["what"], "" if condition == "always" else condition, retold["thing"])
        plain = f"I{rest.partition(', not ')[0]}"
    for pattern in _SENTENCES:
        found = pattern.match(plain)
        if found:
            what = _OVER.split(found["what"].strip(), maxsplit=1)[0]
            chosen, condition = _ARTICLE.sub("", what.strip(" ,")), found["when"].strip()
            if not chosen or _NO_NAME.match(chosen):
                return None
            if not condition:
                chosen, condition = without_condition(chosen)
            if not condition and _WISH.match(plain):
                return None
            return _preference(sentence, chosen, condition)
    return None


def _preference(sentence: str, chosen: str, circumstance: str, thing: str | None = None) -> Told:
    return Told(
        quote=sentence,
        kind=Telling.PREFERENCE,
        value=(chosen,),
        circumstance=circumstance,
        things=(thing,) if thing else (),
    )
