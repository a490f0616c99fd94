# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a sentence says of people, events and belongings, by rules for everyday English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from karma_language.syntax.parser import NO
from karma_language.told.facts.agenda import done, task
from karma_language.told.facts.claims import read
from karma_language.told.facts.clause import Clause
from karma_language.told.facts.clause_reading import Found
from karma_language.told.facts.clauses import Apposition, Clauses
from karma_language.told.facts.english import mention
from karma_language.told.facts.extraction import SPEAKER, Claim, Mention, Retraction, named
from karma_language.told.facts.noun_phrases import as_value
from karma_language.told.facts.relations import by_noun, is_relation_noun, role_of
from karma_language.told.facts.times import Moment, SpokenTime, for_parsing

MAX_WORDS = 100
"""Longer sentences are nobody's: they are not read."""


def facts(sentence: str, now: float) -> tuple[list[Claim], list[Retraction]]:
    """Return what a sentence says to be so, and to be so no longer. `now`: seconds, when it was said."""
    if sentence.endswith("?") or not is_readable(sentence):
        return [], []
    text, times = for_parsing(sentence, now)
    clauses = Clauses(text, times)
    if clauses.inverted:
        return [], []
    found = Found()
    said = [(clause, task(clause)) for clause in clauses]
    gone = [retraction for clause, _ in said for retraction in done(clause)]
    plain = [clause for clause, to_do in said if not to_do]
    claims = [claim for _, to_do in said for claim in to_do]
    claims += _claims(sentence, clauses.appositions, clauses.opening(), plain, times, found)
    return [named(claim) for claim in claims], [named(retraction) for retraction in (*gone, *found.retractions)]


def is_readable(sentence: str) -> bool:
    """Whether a sentence is short enough to be one."""
    return len(sentence.split()) <= MAX_WORDS


def _may_name(noun: str) -> bool:
    """Whether a name or number beside a noun is that: "my niece, Rosa", "my phone number: 123"."""
    return noun != "name" and (role_of(noun) is not None or is_relation_noun(noun) or " " not in noun)


def _claims(
    sentence: str,
    names: Iterable[Apposition],
    fragment: Sequence[str],
    clauses: Iterable[Clause],
    times: Sequence[SpokenTime],
    found: Found,
) -> list[Claim]:
    for description, name, _ in names:
        who = mention(description)
        if who is not None and who.steps and _may_name(who.steps[-1]):
            found.claim(who.owner, by_noun(who.steps[-1]), Mention(" ".join(name)))
    unwanted = [word.lower() for word in fragment]
    if unwanted[-2:] in (["for", "me"], ["for", "us"]) and not times and (lead := {"but", *NO} & {*unwanted[:3]}):
        at = max(unwanted.index(word) for word in lead)  # "no coffee for me", "anything but coffee for me"
        found.claim(
            Mention(SPEAKER), "dislikes", as_value([w for w in fragment[at + 1 : -2] if w not in ("more", "with")])
        )
    retracted = len(found.retractions)
    for clause in clauses:
        if clause.verb == "do" and clause.negated and not clause.object:  # "I liked jazz, but I don't any more"
            found.retractions += [Retraction(c.subject, c.relation, c.object) for c in found.claims]
            found.claims.clear()
        elif not clause.wh:
            read(clause, found)
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
