# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a question asks of told facts: it is read as the sentence that answers it, with a gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from karma_language.told.facts.claims import read
from karma_language.told.facts.clause_reading import Found
from karma_language.told.facts.clauses import clauses, strip_lead_in
from karma_language.told.facts.english import POSSESSIVES, expand, is_name, mention, tokens
from karma_language.told.facts.extraction import GAP, Claim, Mention, Question, named
from karma_language.told.facts.relations import by_noun, is_event, is_relation_noun, role_of, value_kind
from karma_language.told.facts.rephrasing import rephrased
from karma_language.told.facts.telling import is_readable
from karma_language.told.facts.times import SpokenTime, mark_times
from karma_language.vocabulary.english import is_preposition, is_verb, lemma, word_set

MAX_TEXT = 2000
"""Characters of a text that are looked at."""
_WH = word_set("wh")
_KINDS = word_set("kinds")
_TIME_NOUNS = word_set("time_nouns")
_PLACE_NOUNS = word_set("place_nouns")
_WHETHER = ("is", "are", "do", "does", "has", "have", "am", "was")


def question(text: str, now: float) -> Question | None:
    """Return what a question asks for."""
    sentence = strip_lead_in(expand(text[:MAX_TEXT]).strip())
    if not is_readable(sentence):
        return None
    sentence = strip_lead_in(strip_lead_in(sentence, "asking")).rstrip(" ?.!")
    marked, _ = mark_times(rephrased(sentence), now)
    words = tokens(marked)
    if not words:
        return None
    cloze, wanted, noun = _cloze(words)
    if "shopping" in [w.lower() for w in words] and "list" in [w.lower() for w in words]:
        return Question(Mention(""), "to buy")
    if cloze is None and len(words) > 2 and words[0].lower() in _WHETHER:
        return _whether(words, mark_times(sentence, now)[1])
    if cloze is None:
        subject = None if is_verb(words[0].lower()) else mention(words)  # "my sister's phone number"
        if subject is None or not subject.steps:
            return None
        asked = named(Claim(subject.owner, by_noun(subject.steps[-1]), Mention(GAP)))
        return Question(asked.subject, asked.relation)
    found = Found()
    for clause in clauses(cloze):
        read(clause, mark_times(sentence, now)[1], found)
    return _question(found, wanted, noun)


def _cloze(words: list[str]) -> tuple[list[str] | None, str, str]:
    """Return the sentence that answers a question, with "@…" in the gap, what is wanted, and the noun asked for."""
    lead = ""
    if len(words) > 1 and is_preposition(words[0]) and words[1].lower() in ("which", "what", "whom", "whose"):
        lead, words = words[0].lower(), words[1:]
    wh = next((i for i, word in enumerate(words) if word.lower() in _WH), None)
    if wh is None or wh > 0:
        if words[0].lower() in _WHETHER:
            return _yes_no(words)
        return None, "", ""
    kind = words[0].lower()
    rest = words[1:]
    noun: list[str] = []
    if kind == "how":
        if rest and rest[0].lower() in ("old", "long", "far", "much", "many"):
            noun, rest = ["age"] if rest[0].lower() == "old" else rest[:1], rest[1:]
            if noun == ["age"] and rest and lemma(rest[0]) == "be":
                return [*_possessive(rest[1:]), "age", "is", "@what"], "", "age"
        kind = "what"
    elif kind in ("what", "which", "whose"):
        while rest and not _ends_asked_noun(rest, noun):
            noun.append(rest[0])
            rest = rest[1:]
        if len(noun) > 2 and noun[0].lower() in _KINDS and noun[1].lower() == "of":
            noun = noun[2:]
    head = noun[-1].lower() if noun else ""
    if kind == "when" or head in _TIME_NOUNS:
        wanted = "when"
    elif kind == "where" or head in _PLACE_NOUNS:
        wanted = "where"
    else:
        wanted = "who" if kind in ("who", "whom") else ""
    if not rest:
        return None, "", ""
    gap = f"@{wanted or 'what'}"
    if (
        noun
        and not wanted
        and lemma(rest[0]) == "be"
        and is_relation_noun(" ".join(noun))
        and len(rest) > 1
        and _subject_end(rest[1:], "be") == len(rest) - 1
    ):
        return [*_possessive(rest[1:]), *noun, "is", gap], "", ""  # "what age is she"
    return (
        _statement(rest, gap, wanted, lead),
        wanted,
        "" if head in _TIME_NOUNS | _PLACE_NOUNS else " ".join(noun).lower(),
    )


def _ends_asked_noun(rest: list[str], noun: list[str]) -> bool:
    """Whether the noun of "which sport does she do" has ended before `rest`."""
    word = rest[0]
    if _is_auxiliary(word) or word.lower() in ("i", "we", "she", "he", "they", "the") or word.lower() in POSSESSIVES:
        return True
    if not noun:
        return rest[1:2] == ["'s"]
    return rest[1:2] == ["'s"] or (is_name(word) and noun[-1].islower()) or (is_verb(word) and noun[-1].lower() != "of")


def _statement(rest: list[str], gap: str, wanted: str, lead: str) -> list[str]:
    """Return the statement that answers what follows the question word."""
    low = rest[0].lower()
    if not _is_auxiliary(rest[0]):
        if is_verb(rest[0]) and low != lemma(rest[0]):
            return [gap, *rest]  # "which code opens my bike"
        return _filled(rest, gap, wanted, lead)  # embedded: "where my sister lives"
    subject = _subject_end(rest[1:], lemma(low))
    who, after = rest[1 : 1 + subject], rest[1 + subject :]
    if not who or (is_verb(rest[1]) and rest[1].islower() and not after and low in ("is", "has")):
        return [gap, *rest]
    return _filled([*who, low, *after], gap, wanted, lead)


def _gap(gap: str, wanted: str, lead: str) -> list[str]:
    if wanted == "when":
        return ["on", gap]
    if wanted == "where":
        return [lead or "at", gap]
    return [lead, gap] if lead else [gap]


def _filled(statement: list[str], gap: str, wanted: str, lead: str) -> list[str]:
    """Put the gap where the answer would stand."""
    if statement and is_preposition(statement[-1]):
        return [*statement, gap]
    if wanted == "where" and not lead:
        return [*statement, "in" if any(lemma(w) in ("live", "reside", "base") for w in statement) else "at", gap]
    if wanted or lead:
        return [*statement, *(_gap(gap, wanted, lead) if wanted in ("when", "where") or lead else [gap])]
    for i, word in enumerate(statement):
        inner = word.lower() == "to" and i + 1 < len(statement) and is_verb(statement[i + 1])
        if (
            i
            and is_preposition(word)
            and word.lower() not in ("of", "as")
            and not inner
            and _verb_before(statement[:i])
        ):
            return [*statement[:i], gap, *statement[i:]]  # "what code do I need @gap for my bike"
    return [*statement, gap]


def _verb_before(words: list[str]) -> bool:
    return any(is_verb(word) and word.islower() for word in words)


def _is_auxiliary(word: str) -> bool:
    return word.lower() in word_set("question_auxiliaries")


def _subject_end(words: list[str], auxiliary: str) -> int:
    """Return how many words the subject after an auxiliary has."""
    if words and words[0].lower() in ("i", "we", "you", "he", "she", "they", "it"):
        return 1
    for i, word in enumerate(words):
        before = words[i - 1].lower() if i else ""
        if i == 0 or before in ("'s", "the", "my", "our", "his", "her", "their", "your", "of", "for"):
            continue
        if is_preposition(word) and word.lower() not in ("of", "to", "for"):
            return i
        based = word.lower() == lemma(word)
        if word.islower() and is_verb(word) and not _ends_noun(words, i) and based == (auxiliary not in ("be", "have")):
            later = (
                words[-1].islower()
                and is_verb(words[-1])
                and words[-1] == lemma(words[-1])
                and words[-2].lower() != "to"
                and i < len(words) - 1
            )
            return len(words) - 1 if later else i  # "does my bike lock have"
        if word.lower() in ("a", "an"):
            return i
        if word.lower() in ("allergic", "called", "born", "named", "married", "fond"):
            return i
    return len(words)


def _ends_noun(words: list[str], i: int) -> bool:
    """Whether a word that could be a verb ends a noun phrase: "my sister's phone"."""
    before = words[i - 1].lower()
    if i < len(words) - 1:
        return False
    return before == "'s" or is_event(words[i]) or is_relation_noun(f"{before} {words[i]}")


def _possessive(words: list[str]) -> list[str]:
    return [*words, "'s"]


def _yes_no(words: list[str]) -> tuple[list[str] | None, str, str]:
    """Read "is there anything I am allergic to" as "what am I allergic to"."""
    low = [word.lower() for word in words]
    if (
        len(low) > 3
        and low[1] == "there"
        and low[2] in ("anything", "something", "anyone", "anybody", "somebody", "someone")
    ):
        return [*words[3:], "@what"], "", ""
    return None, "", ""


def _whether(words: list[str], times: Sequence[SpokenTime]) -> Question | None:
    """Read "does Anna live in Graz" as where she lives."""
    end = 1 + _subject_end(words[1:], lemma(words[0].lower()))
    found = Found()
    for clause in clauses([*words[1:end], words[0].lower(), *words[end:]]):
        read(clause, times, found)
    for claim in map(named, found.claims):
        if isinstance(claim.object, Mention) and (said := claim.object.base or " ".join(claim.object.steps)):
            return Question(claim.subject, claim.relation, whether=said)
    return None


def _question(found: Found, wanted: str, noun: str) -> Question | None:
    """Return the claim with the gap, as a question."""
    for claim in found.claims:
        gap = isinstance(claim.object, Mention) and claim.object.base.startswith("@")
        if gap:
            return _refined(named(claim), wanted, noun)
    for claim in found.claims:
        if claim.subject.base.startswith("@") and isinstance(claim.object, Mention):
            if noun and is_relation_noun(noun):
                return _refined(named(Claim(claim.object, by_noun(noun), Mention(GAP))), wanted, "")
            return Question(
                Mention(""),
                claim.relation,
                claim.object.base or " ".join(claim.object.steps),
                reverse=True,
                wanted="who",
            )
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
