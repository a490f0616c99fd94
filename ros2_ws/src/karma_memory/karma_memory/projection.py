# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What every kind of memory is: a projection of the journal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from karma_language.reading import Told
from karma_memory.events import Event
from karma_memory.recall.index import Match, Search
from karma_memory.recall.query import Query, Record


class EditError(ValueError):
    """A record cannot be changed in this way; the message says what to do instead."""


class Projection(Protocol):
    """One kind of memory. Its state is a function of the events it observed, in order, and of nothing else.

    It keeps its current records in the index that all kinds share. Not thread-safe.
    """

    kind: str

    def observe(self, event: Event) -> None:
        """Take in an event. Never fails for a well-formed one; what doesn't concern this memory is ignored."""

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return what this memory adds to its records in the index that `search` found: nothing, by default."""
        return ()

    def check_edit(self, record_id: str, text: str) -> None:
        """Raise EditError if an EDIT event with this target and text makes no sense (empty text: forget).

        By default both are allowed: to forget a record, and to say it otherwise.
        """
        return

    def snapshot(self) -> dict[str, Any]:
        """Return the state as something of which encoding.dumps makes JSON.

        It copies references to what never changes, which is quick, and stays as it is while the memory goes on.
        """

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state, as JSON; the projection and the index hold nothing of this kind before."""


class Guiding(Projection, Protocol):
    """A memory that guides a planner. What it holds is not in the index, or not all that it says."""

    def records(self) -> list[Record]:
        """Return all that it holds, of everybody."""


class Personal(Projection, Protocol):
    """A memory of what people say of themselves. Nothing of one user is ever in what it says to another."""

    def resting_on(self, source: str) -> list[str]:
        """Return the ids of its current records that rest on the words of the event `source`."""


class Understanding(Personal, Protocol):
    """A memory that is made of what people's words come to: of readings, never of a text."""

    of_nobody: bool = False
    """Whether it takes in what is told by nobody in particular."""

    def hear(self, words: Event, told: Sequence[Told]) -> None:
        """Take in what a user's words tell. `words`: the event that said them, an EDIT where they change a record.

        They may have been read late, after words that were said after them: those hold on.
        """

    def unhear(self, words: Event) -> None:
        """Take back what words told: they are read anew."""

    def check_told(self, text: str, told: Sequence[Told]) -> None:
        """Raise EditError if an edit of one of its records with this text, which tells that, makes no sense."""
