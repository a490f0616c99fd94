# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a question asks of told facts: its clause is read as the one that answers it, with a gap."""

from __future__ import annotations

import re
from dataclasses import replace

from karma_language.told.facts.claims import read
from karma_language.told.facts.clause import Clause
from karma_language.told.facts.clause_reading import Found
from karma_language.told.facts.clauses import Clauses
from karma_language.told.facts.english import mention, word_set
from karma_language.told.facts.extraction import GAP, Claim, Mention, Question, named
from karma_language.told.facts.relations import by_noun, is_relation_noun, role_of, value_kind
from karma_language.told.facts.telling import is_readable
from karma_language.told.facts.times import for_parsing

MAX_TEXT = 2000
"""Characters of a text that are looked at."""
_ASKING = word_set("asking")
_ASIDES = re.compile(r" (?:would you say|do you think|did you say|again)(?= |\?|$)", re.IGNORECASE)
_TIME_NOUNS = word_set("time_nouns")
_PLACE_NOUNS = word_set("place_nouns")


def question(text: str, now: float) -> Question | None:
    """Return what a question asks for."""
    sentence = text[:MAX_TEXT].strip()
    if not is_readable(sentence):
        return None
    if "shopping list" in sentence.lower():
        return Question(Mention(""), "to buy")
    marked, times = for_parsing(_ASIDES.sub("", sentence), now)
    clauses = Clauses(marked, times)
    said = list(clauses)
    asking = next((clause for clause in said if clause.wh), None)
    if asking is not None:
        return _asked(asking)
    for clause in said:
        if clause.verb in _ASKING and clause.object:  # "tell me my sister's phone number"
            return _noun([word for word in clause.object if word.lower() not in ("me", "us")])
    return _whether(said) if clauses.asks and said else _noun(clauses.fragment())


def _noun(words: list[str]) -> Question | None:
    """Read "my sister's phone number"."""
    subject = mention(words)
    if subject is None or not subject.steps:
        return None
    asked = named(Claim(subject.owner, by_noun(subject.steps[-1]), Mention(GAP)))
    return Question(asked.subject, asked.relation)


def _asked(clause: Clause) -> Question | None:
    """Return what a clause with a gap asks for."""
    head = clause.asked.split()[-1:]
    wanted = "who" if clause.wh in ("who", "whom") else ""
    if clause.wh == "when" or (head and head[0] in _TIME_NOUNS):
        wanted = "when"
    elif clause.wh == "where" or (head and head[0] in _PLACE_NOUNS):
        wanted = "where"
    noun = "" if wanted in ("when", "where") else {"old": "age"}.get(clause.asked, clause.asked)
    if clause.verb == "be" and noun and is_relation_noun(noun) and clause.object in (["@what"], []) and clause.subject:
        who = mention(clause.subject)  # "what age is she", "how old is she"
        if who is not None and who.base != GAP and not clause.preps:
            return Question(who, by_noun(noun))
    if clause.wh == "who" and clause.verb == "be" and clause.subject in (["I"], ["we"]) and not clause.preps:
        return Question(Mention(""), "name")
    if clause.subject[-1:] in (["favourite"], ["favorite"]) and noun:
        clause.subject += noun.split()
    found = Found()
    read(clause, found)
    for claim in found.claims:
        if isinstance(claim.object, Mention) and claim.object.base.startswith("@"):
            return _refined(named(claim), wanted, noun)
    for claim in found.claims:
        if claim.subject.base.startswith("@") and isinstance(claim.object, Mention):
            if noun and is_relation_noun(noun):
                return _refined(named(Claim(claim.object, by_noun(noun), Mention(GAP))), wanted, "")
            if claim.relation == "name" and claim.object.steps:
                return _refined(named(Claim(claim.object, "name", Mention(GAP))), wanted, "")
            value = claim.object.base or " ".join(claim.object.steps)
            return Question(Mention(""), claim.relation, value, reverse=True, wanted="who")
    return None


def _whether(clauses: list[Clause]) -> Question | None:
    """Read "does Anna live in Graz" as where she lives."""
    found = Found()
    for clause in clauses:
        read(clause, found)
    for claim in map(named, found.claims):
        if isinstance(claim.object, Mention) and (said := claim.object.base or " ".join(claim.object.steps)):
            return Question(claim.subject, claim.relation, whether=said)
    return None


def _refined(claim: Claim, wanted: str, noun: str) -> Question:
    """Let the noun of "which sport does she do" name the relation, where the verb says little."""
    relation = claim.relation
    if wanted == "when" and not value_kind(relation):
        relation = "time"
    vague = relation.startswith("~") or relation in ("own", "time", "staying")
    if vague and noun and wanted != "when":
        relation = by_noun(noun)
    if relation == "staying" and wanted == "where" and claim.subject.steps and role_of(claim.subject.steps[-1]) is None:
        relation = "place"
    asked = named(replace(claim, relation=relation))
    return Question(asked.subject, asked.relation, wanted=wanted)
