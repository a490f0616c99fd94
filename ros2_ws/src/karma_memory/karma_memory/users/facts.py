# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a user told, asked of the state of a memory: answers, forms, reminders (EMG-RAG, section 4.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karma_language.told.facts.moments import spoken
from karma_memory.facts.answering import FactAnswer
from karma_memory.recall.query import Recollection
from karma_memory.scene import check_id, check_range, check_text

if TYPE_CHECKING:
    from karma_memory.state.state import MemoryState

MOST_FIELDS = 100
LONGEST_FIELD = 200
"""Characters of a label, or of a question in its place."""
MOST_DAYS = 3660.0


@dataclass(frozen=True)
class Filled:
    """One field of a form."""

    field: str
    value: str
    """For people; "" where it isn't known."""
    evidence: tuple[Recollection, ...] = ()


@dataclass(frozen=True)
class Due:
    """Something to come."""

    what: str
    when: str
    """For people; "" for any time."""
    due: float | None
    """Seconds: the time, or the start of the day; None for any time."""
    evidence: Recollection


class UserFacts:
    """What one user told, as the state of a memory knows it. To be used at once: the memory goes on."""

    def __init__(self, state: MemoryState, user: str, now: float) -> None:
        """`now`: the robot's time, seconds. InvalidEventError without a user."""
        self._state = state
        self._user = check_id("user", user)
        self._now = now

    def fill(self, fields: Sequence[str]) -> list[Filled]:
        """Fill in the fields of a form: labels ("Phone number"), or questions. InvalidEventError."""
        check_range("number of fields", len(fields), 1, MOST_FIELDS)
        for field in fields:
            check_text("field", field, LONGEST_FIELD)
        answers = self._state.fact_agent(self._user, self._now).fill(fields, self._now)
        return [Filled(field, answers[field].said, self._evidence(field, answers[field])) for field in fields]

    def reminders(self, at: float = 0.0, days: float = 0.0) -> list[Due]:
        """Return what is to come: from the day of `at` (seconds; 0: now), `days` long (0: 7). InvalidEventError."""
        check_range("days", days, 0.0, MOST_DAYS)
        agent = self._state.fact_agent(self._user, max(at, self._now))
        return [
            Due(
                item.what,
                spoken(item.when),
                item.due if math.isfinite(item.due) else None,
                self._evidence("to come", FactAnswer((item.what,), (item.fact,)))[0],
            )
            for item in agent.reminders(at or self._now, days or 7.0)
        ]

    def shopping_list(self) -> list[str]:
        """Return what is to be bought."""
        return self._state.fact_agent(self._user, self._now).shopping_list()

    def _evidence(self, why: str, answer: FactAnswer) -> tuple[Recollection, ...]:
        return tuple(Recollection(record, 1.0, (why,)) for record in self._state.facts.records(self._user, answer))
