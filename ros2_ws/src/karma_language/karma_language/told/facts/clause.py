# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One clause of a sentence: who, verb, object, prepositions, times, whether it is denied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from karma_language.told.facts.english import is_adverb
from karma_language.told.facts.times import SpokenTime

_ENDS = re.compile(r"(?<=[.!?;])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bProf\.)(?<!\bSt\.)\s+")
"""Between sentences; not after a title."""


@dataclass
class Clause:
    """One verb and what belongs to it."""

    subject: list[str]
    verb: str
    """Base form, with its particle: "give up"."""
    object: list[str]
    preps: list[tuple[str, list[str]]] = field(default_factory=list)
    times: list[SpokenTime] = field(default_factory=list)
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
    reminds: bool = False
    """"remind me to"."""
    done: bool = False
    """Whether somebody did it, or has done it."""
    deed: str = ""
    """The verb and what follows it, without times: "call Kim"."""
    wh: str = ""
    """The question word, in whose place there is a gap ("@what"): "" where nothing is asked."""
    adjective: bool = False
    """Whether the object is an adjective: "is very strict"."""
    most: bool = False
    """"best", "most"."""
    asked: str = ""
    """The noun of "which sport does she do?"."""

    def prep(self, *names: str) -> list[str] | None:
        """Return what the first of these prepositions adds."""
        return next((words for name, words in self.preps if name in names), None)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part.strip() for part in _ENDS.split(text.strip()) if part.strip(" .!?;")]


def split_at(word: str, clause: Clause) -> tuple[Clause, Clause | None]:
    """Return a clause until a word, and with what follows it instead: "is not in Oslo | but in Rome"."""
    parts = [("", clause.object), *clause.preps]
    for k, (name, words) in enumerate(parts):
        low = [word.lower() for word in words]
        if word not in low:
            continue
        cut = low.index(word)
        before, after = [*parts[:k], (name, words[:cut])], [(name, words[cut + 1 :]), *parts[k + 1 :]]
        if k and not words[cut + 1 :]:
            after = [*parts[:1], *after]
        at = 1 if len(clause.times) > 1 else len(clause.times)
        return _with_parts(clause, before, clause.times[:at]), _with_parts(clause, after, clause.times[at:])
    return clause, None


def _with_parts(clause: Clause, parts: Sequence[tuple[str, list[str]]], times: list[SpokenTime]) -> Clause:
    obj = next((words for name, words in parts if not name), [])
    preps = [(name, kept) for name, words in parts if name and (kept := trimmed(words))]
    return replace(clause, object=trimmed(obj), preps=preps, times=times)


def trimmed(words: Sequence[str]) -> list[str]:
    """Return words without marks at both ends."""
    kept = list(words)
    while kept and (kept[-1].lower() in (",", ":", "and") or is_adverb(kept[-1])):
        kept.pop()
    while kept and kept[0].lower() in (",", ":", "and"):
        kept = kept[1:]
    return kept
