# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Sentences taken apart into clauses: subjects here, verbs and what follows them in verb_group."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karma_language.told.facts.english import DETERMINERS, POSSESSIVES, PRONOUNS, SPEAKERS, is_name
from karma_language.told.facts.relations import role_of
from karma_language.told.facts.verb_group import AUXILIARIES, FORMS, Clause, verb_group
from karma_language.vocabulary.english import is_adverb, is_preposition, is_verb, lemma, table, word_set
from karma_language.vocabulary.words import SENTENCE_END

_ENDS = re.compile(SENTENCE_END)
"""Between sentences; not after a title."""
_BREAKS = word_set("breaks")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part.strip() for part in _ENDS.split(text.strip()) if part.strip(" .!?;")]


def strip_lead_in(text: str, name: str = "lead_ins") -> str:
    """Return a sentence without "by the way", "please remember that" and the like."""
    found = True
    while found:
        text = text.lstrip(" ,:;-—–")
        found = False
        for lead in sorted(table()[name], key=len, reverse=True):
            low = text.lower()
            if (
                low.startswith(lead)
                and len(text) > len(lead)
                and text[len(lead)] in " ,:;!—–"
                and not _is_subject(low, lead)
            ):
                text, found = text[len(lead) :], True
                break
    return text.strip()


def _is_subject(low: str, lead: str) -> bool:
    """Whether what looks like a lead-in is what the sentence is about: "Look is my favourite magazine"."""
    return len(lead.split()) == 1 and low[len(lead) :].lstrip().split(" ")[0] in ("is", "was", "has", "will")


def clauses(words: Sequence[str]) -> list[Clause]:
    """Return the clauses of one sentence in their order; a clause without subject has that of the one before."""
    words = _without_phrases([word for word in words if word not in (".", "!", "?")])
    parts: list[list[str]] = [[]]
    for i, word in enumerate(words):
        if (
            word.lower() in _BREAKS
            and parts[-1]
            and _starts_clause(words[i + 1 :], word)
            and (word != "and" or _verb_index(parts[-1], inherited=True) is not None)
        ):
            parts.append([])
        parts[-1].append(word)
    for i in range(len(parts) - 1):  # "On Friday, I leave"
        if all(word.startswith("@") for word in parts[i]):
            parts[i], parts[i + 1] = [], [*parts[i], *parts[i + 1]]
    found: list[Clause] = []
    for part in filter(None, parts):
        while part and (part[0].lower() in _BREAKS - {"that"} or is_adverb(part[0])):
            part = part[1:]
        clause = _clause(part, found[-1].subject if found else [])
        if clause is not None:
            found.append(clause)
    return found


def _without_phrases(words: list[str]) -> list[str]:
    """Take out "these days", "at the moment"; a mark "@now" is left where the phrase says that it is so now."""
    text = " " + " ".join(words) + " "
    for phrase in table()["adverb_phrases"]:
        mark = (
            " @now "
            if phrase in ("these days", "at the moment", "right now", "at present")
            else " @ended "
            if phrase in ("any more", "any longer")
            else " "
        )
        text = re.sub(rf" {phrase}(?= )", mark.rstrip(), text, flags=re.IGNORECASE)
    return text.split()


def _starts_clause(rest: Sequence[str], mark: str) -> bool:
    """Whether a clause with a verb of its own begins here."""
    stop = next((i for i, word in enumerate(rest) if word in (",", ";")), len(rest))
    piece = [word for word in rest[:stop] if not is_adverb(word)]
    if not piece:
        return False
    if mark == "that":
        return False
    return _verb_index(piece, inherited=mark != ",") is not None


def _clause(words: list[str], subject_before: list[str]) -> Clause | None:
    times = [int(word[1:]) for word in words if word.startswith("@") and word[1:].isdigit()]
    habit = "@now" in words or any(word.lower() in ("now", "nowadays", "currently") for word in words)
    ended = ("@ended" in words or "anymore" in [word.lower() for word in words]) and "not" in [
        word.lower() for word in words
    ]
    words = [word for word in words if word not in ("@now", "@ended")]
    lead: list[str] = []
    while words and ((words[0].startswith("@") and words[0][1:].isdigit()) or words[0] == ",") and _is_aside(words):
        words = words[1:]
    fronted: tuple[str, list[str]] | None = None
    index = _verb_index(words, inherited=True)
    if index is None:
        return None
    subject = [word for word in words[:index] if not is_adverb(word) and word != ","] or lead
    if subject and is_preposition(subject[0]) and len(subject) > 2:
        start = _last_phrase(subject)
        fronted, subject = (subject[0].lower(), subject[1:start]), subject[start:]
    if not subject and index == 0:
        imperative = words[0].lower() == lemma(words[0]) and words[0].lower() not in AUXILIARIES and not subject_before
        subject = ["you"] if imperative else list(subject_before)
    if [word.lower() for word in subject[-2:]] == ["no", "longer"]:
        subject, ended = subject[:-2], True
    never = subject[-1:] in (["never"], ["Never"])
    subject = subject[:-1] if never else subject
    clause = verb_group(words, index)
    clause.negated = clause.negated or never
    clause.past = _is_past(words[index])
    clause.subject = subject
    clause.times = times
    clause.habit = habit
    clause.again = "again" in [word.lower() for word in words]
    clause.ended = clause.ended or ended
    if fronted is not None:
        clause.preps.append(fronted)
    return clause


def _last_phrase(words: Sequence[str]) -> int:
    """Return where the last noun phrase begins: the subject after "in my free time"."""
    for i in range(len(words) - 1, 0, -1):
        low, before = words[i].lower(), words[i - 1]
        if low in ("i", "we", "he", "she", "they", "it", "the") or low in POSSESSIVES:
            return i
        if is_name(words[i]) and not is_name(before) and before != "'s" and not (i > 1 and words[i - 1] == "of"):
            return i
    return 1


def _is_past(word: str) -> bool:
    """Whether a finite verb is in the past tense: "slept", "went", "visited"."""
    low = word.lower()
    return low in ("was", "were", "did", "had") or (
        lemma(low) != low and not low.endswith(("s", "ing")) and low not in FORMS
    )


def _is_aside(words: list[str]) -> bool:
    """Whether the time at the beginning is no subject: "@0 is my birthday" against "On Friday (@0) I leave"."""
    return not (len(words) > 1 and words[1].lower() in ("is", "was", "will"))


def _verb_index(words: Sequence[str], *, inherited: bool) -> int | None:
    """Return where the verb begins. `inherited`: the subject may be in the clause before, or nowhere (imperative)."""
    for i, word in enumerate(words):
        low, before = word.lower(), words[i - 1].lower() if i else ""
        if i == 0 and not inherited:
            continue
        if (
            before in DETERMINERS
            or before in POSSESSIVES
            or before in ("'s", "of", "new", "favourite", "favorite", "best", "'")
        ) and not (low in FORMS and before in ("this", "that")):
            continue
        if low in AUXILIARIES and not (low == "may" and is_name(word)):
            return i
        if low.startswith("@") or (is_name(word) and i > 0) or not is_verb(word) or low.endswith("ing"):
            continue
        if i > 0 and is_preposition(before):
            continue
        if low == lemma(word) and i > 0 and not _is_plural(words[:i]):
            continue
        return i
    return _unknown_verb(words)


def _is_plural(subject: Sequence[str]) -> bool:
    """Whether a verb in its base form can follow: "I", "we", "my parents", "Anna and Tom", "@gap"."""
    kept = [word.lower() for word in subject if not is_adverb(word)]
    if not kept:
        return True
    last = kept[-1]
    return (
        last in ("i", "we", "you", "they", "to", "@gap", "not", "people")
        or "and" in kept
        or (last.endswith("s") and not last.endswith("ss") and (not is_name(subject[-1]) or len(kept) == 1))
    )


def _unknown_verb(words: Sequence[str]) -> int | None:
    """Return where a word is that looks like a verb, after a pronoun, a name or a person."""
    for i in range(1, len(words)):
        low, before = words[i].lower(), words[i - 1]
        subject = (
            (before.lower() in PRONOUNS and before.lower() not in POSSESSIVES)
            or before.lower() in SPEAKERS - set(POSSESSIVES)
            or is_name(before)
            or role_of(before)
        )
        if (
            (
                subject
                and words[i].islower()
                and (low.endswith(("ed", "s")) or before.lower() in ("i", "we", "they"))
                and not is_preposition(low)
                and low not in ("'s", "and", "is")
            )
            and not is_adverb(low)
            and low not in SPEAKERS
            and low not in PRONOUNS
            and role_of(low) is None
        ):
            return i
    return None
