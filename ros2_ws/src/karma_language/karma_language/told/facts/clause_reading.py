# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One clause, and what helps to read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from karma_language.told.facts.english import mention
from karma_language.told.facts.extraction import GAP, Claim, Mention, Retraction
from karma_language.told.facts.moments import Moment
from karma_language.told.facts.times import SpokenTime
from karma_language.told.facts.verb_group import Clause


@dataclass
class Found:
    """What the clauses of a sentence claim so far."""

    claims: list[Claim] = field(default_factory=list)
    retractions: list[Retraction] = field(default_factory=list)

    def claim(
        self, subject: Mention | None, relation: str, obj: Mention | Moment | None, *, replaces: str = ""
    ) -> None:
        """Add a claim, unless something of it is missing."""
        if subject is not None and obj is not None and relation and subject != obj:
            self.claims.append(Claim(subject, relation, obj, replaces=replaces))

    def retract(self, subject: Mention | None, relation: str = "", obj: str = "") -> None:
        """Add a retraction."""
        if subject is not None:
            self.retractions.append(Retraction(subject, relation, obj))


class ClauseReading:
    """One clause, and what helps to read it."""

    def __init__(self, clause: Clause, times: Sequence[SpokenTime], found: Found) -> None:
        self.clause = clause
        self.found = found
        self.spoken = spoken = [times[i] for i in clause.times]
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
        return mention([w for w in words if not (w.startswith("@") and w[1:].isdigit())])
