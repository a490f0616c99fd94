# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a sentence says of people, events and belongings, by rules for everyday English."""

from __future__ import annotations

import re
from dataclasses import replace

from karma_language.told.facts.agenda import done, task
from karma_language.told.facts.claims import read
from karma_language.told.facts.clause_reading import Found
from karma_language.told.facts.clauses import clauses, strip_lead_in
from karma_language.told.facts.english import expand, tokens
from karma_language.told.facts.extraction import Claim, Retraction, named
from karma_language.told.facts.moments import Moment
from karma_language.told.facts.rephrasing import rephrased, without_apposed
from karma_language.told.facts.times import mark_times

MAX_WORDS = 100
"""Longer sentences are nobody's: they are not read."""

_UNREAL = re.compile(
    r"^\W*(?:if|imagine|suppose|let us say)\b|\b(?:almost|nearly|maybe|perhaps|possibly|pretend\w*|wish (?:i|we)"
    r"|thought|doubt|(?:forgot(?:ten)?|failed|was going|were going) to|might"
    r"|(?:should|could|would|might|ought to|need not) have)\b",
    re.IGNORECASE,
)
"""What is said not to be so, or not to be sure."""


def facts(sentence: str, now: float) -> tuple[list[Claim], list[Retraction]]:
    """Return what a sentence says to be so, and to be so no longer. `now`: seconds, when it was said."""
    sentence = expand(sentence)
    if sentence.endswith("?") or _UNREAL.search(sentence) or not is_readable(sentence):
        return [], []
    found = Found()
    found.retractions.extend(done(strip_lead_in(sentence)))
    to_do = task(sentence, now) or task(strip_lead_in(sentence), now)
    claims = to_do or _claims(sentence, now, found)
    return [named(claim) for claim in claims], [named(retraction) for retraction in found.retractions]


def is_readable(sentence: str) -> bool:
    """Whether a sentence is short enough to be one."""
    return len(tokens(sentence)) <= MAX_WORDS


def _claims(sentence: str, now: float, found: Found) -> list[Claim]:
    sentence = without_apposed(strip_lead_in(sentence))
    marked, times = mark_times(rephrased(sentence), now)
    retracted = len(found.retractions)
    for clause in clauses(tokens(marked)):
        read(clause, times, found)
    until: Moment | None = next((t.moment for t in times if t.is_end), None)
    if until is None and re.search(r"\b(?:expires?|runs? out|valid)\b", sentence, re.IGNORECASE):
        until = next((t.moment for t in times), None)
    return [
        replace(claim, until=until) if until is not None and not isinstance(claim.object, Moment) else claim
        for claim in _carried(found.claims, found, retracted)
    ]


def _carried(claims: list[Claim], found: Found, retracted: int) -> list[Claim]:
    """Let a claim replace what the same sentence takes back: "sold the Volvo and bought a Tesla"."""
    taken = [r for r in found.retractions[retracted:] if r.object and not r.relation]
    old = taken[0].object if len(taken) == 1 else ""
    if old and isinstance(old, str) and claims and all(not c.replaces for c in claims):
        last = claims[-1]
        if last.subject == taken[0].subject:
            return [*claims[:-1], replace(last, replaces=old)]
    return claims
