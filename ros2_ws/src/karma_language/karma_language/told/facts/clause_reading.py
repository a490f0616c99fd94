# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One clause, and what helps to read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from karma_language.told.facts.clause import Clause
from karma_language.told.facts.english import mention
from karma_language.told.facts.extraction import GAP, Claim, Mention, Retraction
from karma_language.told.facts.times import Moment

_NOBODY = frozenset(
    (
        "nobody",
        "nothing",
        "no",
        "none",
        "anybody",
        "anyone",
        "somebody",
        "someone",
        "which",
        "what",
        "whatever",
        "everything",
        "all",
        "everybody",
        "u",
        "you",
    )
)
"""Subjects of whom nothing is remembered."""
_OWNED = frozenset(("his", "hers", "theirs", "mine", "ours"))


@dataclass
class Found:
    """What the clauses of a sentence claim so far."""

    claims: list[Claim] = field(default_factory=list)
    retractions: list[Retraction] = field(default_factory=list)

    def claim(
        self, subject: Mention | None, relation: str, obj: Mention | Moment | None, *, replaces: str = ""
    ) -> None:
        """Add a claim, unless something of it is missing."""
        nobody = isinstance(obj, Mention) and obj.base.lower() in _NOBODY
        if subject is not None and obj is not None and relation and subject != obj and not nobody:
            self.claims.append(Claim(subject, relation, obj, replaces=replaces))

    def retract(self, subject: Mention | None, relation: str = "", obj: str = "") -> None:
        """Add a retraction."""
        if subject is not None:
            self.retractions.append(Retraction(subject, relation, obj))


class ClauseReading:
    """One clause, and what helps to read it."""

    def __init__(self, clause: Clause, found: Found) -> None:
        self.clause = clause
        self.found = found
        spoken = clause.times
        self.until = next((t.moment for t in spoken if t.is_end), None)
        self.at = next((t.moment for t in spoken if not t.is_end and t.lead != "since"), None)
        self.gap_when = (
            next((True for name, words in clause.preps if words == ["@when"]), False) or "@when" in clause.object
        )
        self.who = self._subject(clause.subject)

    @property
    def when(self) -> Moment | Mention | None:
        """The time in the clause, or the gap where one is asked for."""
        return Mention(GAP, ("when",)) if self.gap_when else self.at

    def _mention(self, words: Sequence[str]) -> Mention | None:
        """Return what words mean in this clause: "their" and "her" are the subject's."""
        found = mention(words)
        if (
            found is not None
            and self.who is not None
            and found.base in ("he", "she", "they", "it")
            and found.steps
            and self.who.base != GAP
        ):
            return Mention(self.who.base, (*self.who.steps, *found.steps), found.name)
        return found

    def _subject(self, words: Sequence[str]) -> Mention | None:
        low = [word.lower() for word in words]
        if low[:1] and (low[0] in _NOBODY or (len(low) == 1 and low[0] in _OWNED)):
            return None
        return mention(words)
