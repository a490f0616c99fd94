# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The verb of a clause with its auxiliaries, and what follows it: object, prepositions, particle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from karma_language.told.facts.english import DETERMINERS, POSSESSIVES, is_name
from karma_language.vocabulary.english import is_adverb, is_particle, is_preposition, is_verb, lemma, word_set

_MODALS = word_set("modals")
FORMS = word_set("forms")
AUXILIARIES = _MODALS | FORMS
_CATENATIVES = word_set("catenatives")
_ENDING = word_set("ending")


@dataclass
class Clause:
    """One verb and what belongs to it."""

    subject: list[str]
    verb: str
    """Base form, with its particle: "give up"."""
    object: list[str]
    preps: list[tuple[str, list[str]]] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    """Numbers of the times in it."""
    negated: bool = False
    passive: bool = False
    ended: bool = False
    """"no longer", "stopped", "used to"."""
    habit: bool = False
    """"these days", "now"."""
    past: bool = False
    """Whether it was so once, rather than is or has become so."""
    again: bool = False
    hypothetical: bool = False
    """"could", "would"."""
    need: bool = False
    """"need to", "must"."""

    def prep(self, *names: str) -> list[str] | None:
        """Return what the first of these prepositions adds."""
        return next((words for name, words in self.preps if name in names), None)


def verb_group(words: Sequence[str], i: int) -> Clause:
    """Read the verb with its auxiliaries, then what follows it."""
    clause = Clause([], "", [])
    size = len(words)
    while i < size:
        low = words[i].lower()
        if (is_adverb(low) and clause.verb == "") or low == "@now":
            i += 1
            continue
        if low in ("not", "never"):
            clause.negated = True
            i += 1
            continue
        if low == "no" and i + 1 < size and words[i + 1].lower() == "longer":
            clause.negated = clause.ended = True
            i += 2
            continue
        nxt = _next_word(words, i + 1)
        after = words[nxt].lower() if nxt is not None else ""
        base = lemma(low)
        if low in _MODALS:
            clause.need = clause.need or low in ("must", "should")
            clause.hypothetical = clause.hypothetical or low in ("could", "would", "might")
            i += 1
            continue
        if (
            base == "be"
            and nxt is not None
            and (after.endswith("ing") or _is_participle(after))
            and is_verb(after)
            and not _is_noun(words, nxt)
        ):
            clause.passive = not after.endswith("ing")
            clause.negated, clause.ended = _skipped(words[i + 1 : nxt], clause)
            i = nxt
            continue
        if base == "have" and nxt is not None and _is_participle(after) and (is_verb(after) or after == "been"):
            clause.negated, clause.ended = _skipped(words[i + 1 : nxt], clause)
            i = nxt
            if after == "got":
                return _rest(clause, "have", words, nxt + 1)
            continue
        if base == "do" and nxt is not None and is_base(words[nxt]):
            clause.negated, clause.ended = _skipped(words[i + 1 : nxt], clause)
            i = nxt
            continue
        if base in _CATENATIVES and nxt is not None and after == "to" and nxt + 1 < size and is_base(words[nxt + 1]):
            clause.need = clause.need or base in ("need", "have")
            clause.negated = clause.negated and base not in ("forget", "fail")  # "must not forget to"
            clause.ended = clause.ended or low == "used"
            i = nxt + 1
            continue
        if base in _CATENATIVES and nxt is not None and after.endswith("ing") and is_verb(after):
            clause.ended = clause.ended or base in _ENDING
            i = nxt
            continue
        if nxt is not None:
            clause.negated, clause.ended = _skipped(words[i + 1 : nxt], clause)  # "is not a nurse"
        return _rest(clause, base, words, i + 1 if nxt is None else nxt)
    return clause


def _skipped(words: Sequence[str], clause: Clause) -> tuple[bool, bool]:
    low = [word.lower() for word in words]
    gone = "no" in low and "longer" in low
    denied = ("not" in low and not {"only", "just"} & set(low)) or "never" in low
    return clause.negated or gone or denied, clause.ended or gone


def split_at(word: str, clause: Clause) -> tuple[Clause, Clause | None]:
    """Return a clause until a word, and with what follows it instead: "is not in Oslo | but in Rome"."""
    parts = [("", clause.object), *clause.preps]
    for k, (name, words) in enumerate(parts):
        low = [word.lower() for word in words]
        if word not in low:
            continue
        cut = low.index(word)
        before, after = [*parts[:k], (name, words[:cut])], [(name, words[cut + 1 :]), *parts[k + 1 :]]
        at = 1 if len(clause.times) > 1 else len(clause.times)
        return _with_parts(clause, before, clause.times[:at]), _with_parts(clause, after, clause.times[at:])
    return clause, None


def _with_parts(clause: Clause, parts: Sequence[tuple[str, list[str]]], times: list[int]) -> Clause:
    obj = next((words for name, words in parts if not name), [])
    preps = [(name, kept) for name, words in parts if name and (kept := _trimmed(words))]
    return replace(clause, object=_trimmed(obj), preps=preps, times=times)


def is_base(word: str) -> bool:
    """Whether a word is a verb in its base form."""
    return word.lower() == lemma(word) and is_verb(word)


def _is_participle(word: str) -> bool:
    return (
        word.endswith(("ed", "en"))
        or (lemma(word) != word and not word.endswith(("s", "ing")))
        or word in ("become", "put", "run", "set", "quit", "come", "cut", "let", "born")
    )


def _is_noun(words: Sequence[str], i: int) -> bool:
    """Whether a word that could be a verb follows an article."""
    return words[i - 1].lower() in DETERMINERS or words[i - 1].lower() in POSSESSIVES


def _rest(clause: Clause, verb: str, words: Sequence[str], i: int) -> Clause:
    """Read the object, the prepositions and the particle."""
    if (
        i < len(words)
        and is_particle(words[i])
        and verb != "be"
        and (i + 1 == len(words) or not _begins_place(words, i))
    ):
        verb = f"{verb} {words[i].lower()}"
        i += 1
    clause.verb = verb
    target = clause.object
    for k in range(i, len(words)):
        word = words[k]
        low = word.lower()
        if word.startswith("@") and word[1:].isdigit():
            continue
        if low == "instead" and words[k + 1 : k + 2] and words[k + 1].lower() == "of":
            target = []
            clause.preps.append(("instead of", target))
            continue
        if low == "of" and (target is not clause.object or clause.object):
            if clause.preps and clause.preps[-1][0] == "instead of" and not target:
                continue
            target.append(word)
            continue
        joins = low == "for" and target and not any(is_name(w) for w in target) and verb == "be"
        if is_preposition(low) and not joins and not is_name(word):
            target = []
            clause.preps.append((low, target))
            continue
        if target is clause.object and is_particle(low) and clause.object and " " not in verb:
            clause.verb = f"{verb} {low}"  # "put the meeting off"
            continue
        target.append(word)
    clause.object[:] = _trimmed(clause.object)
    clause.preps = [(name, _trimmed(words)) for name, words in clause.preps]
    clause.preps = [(name, words) for name, words in clause.preps if words]
    return clause


def _begins_place(words: Sequence[str], i: int) -> bool:
    """Whether "in", "on", "around" at i is a preposition: something follows that is no other preposition."""
    low, after = words[i].lower(), words[i + 1]
    if low in ("up", "out", "off", "away", "down", "back", "forward", "together"):
        return False
    return not (is_preposition(after) or (after.startswith("@") and after[1:].isdigit()))


def _trimmed(words: Sequence[str]) -> list[str]:
    """Return words without adverbs and marks at both ends."""
    kept = list(words)
    while kept and (kept[-1] in (",", ":", "@now", "@ended") or (is_adverb(kept[-1]) and kept[-1].islower())):
        kept.pop()
    while kept and (kept[0] in (",", ":") or (is_adverb(kept[0]) and kept[0].islower())):
        kept = kept[1:]
    return kept


def _next_word(words: Sequence[str], start: int) -> int | None:
    """Return where the next word is that belongs to the verb: no adverb, no "not", no "no longer"."""
    for k in range(start, len(words)):
        low = words[k].lower()
        longer = low == "no" and k + 1 < len(words) and words[k + 1].lower() == "longer"
        if not (is_adverb(words[k]) or low in ("not", "never", "longer") or longer):
            return k
    return None
