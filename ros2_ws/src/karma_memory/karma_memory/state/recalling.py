# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions to all memories, as they are now or as they were: records for robots, answers for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from karma_memory.recall.embedding_worker import EmbeddingWorker
from karma_memory.recall.latency import Latency
from karma_memory.recall.query import Answer, Query
from karma_memory.state.history import History
from karma_memory.state.live import LiveState
from karma_memory.state.state import MemoryState

if TYPE_CHECKING:
    from karma_language.reading import Question
    from karma_memory.ask.answering import Asked
    from karma_memory.ask.asking import Find

T = TypeVar("T")
EMBEDDED_AT_RECALL = 64
"""Labels without a vector that a recall embeds itself; more are left to the worker (about 2 ms each)."""


class Recalling:
    """Asks the memories of an EventMemory. Thread-safe."""

    def __init__(self, live: LiveState, history: History, worker: Callable[[], EmbeddingWorker]) -> None:
        """`worker`: what makes vectors; JournalError where the memory is closed."""
        self._live = live
        self._history = history
        self._worker = worker
        self.latency = Latency()

    def recall(self, query: Query) -> Answer:
        """Ask every memory the same question; see EventMemory.recall."""
        with self.latency.measured():
            vector = self._vector(query)
            if query.at is not None:
                return self._in_past(
                    query, query.at, lambda asked, past: past.answer(asked, past.search(asked, vector))
                )
            with self._live.lock:
                state = self._live.state
                search = state.search(query, vector)
                short_term = state.short_term
                used = short_term.look_up(search) if not query.kinds or short_term.kind in query.kinds else ()
                answer = replace(state.answer(query, search), sequence=self._live.applied)
            if used:
                self._live.note_access(used)
            return answer

    def ask(self, query: Query, question: Question | None) -> Asked:
        """Answer a person's question; see EventMemory.ask."""
        from karma_memory.ask.asking import Asking  # what reads English, 0.2 s: with the first question

        return Asking(self._answered, self._found).ask(query, question)

    def _answered(self, query: Query, answer: Callable[[Query, MemoryState], Asked]) -> Asked:
        """Have a query answered in the state that it asks, now or as it was."""
        if query.at is not None:
            return self._in_past(query, query.at, answer)
        with self._live.lock:
            return replace(answer(query, self._live.state), sequence=self._live.applied)

    def _found(self, query: Query) -> Find:
        """Return what searches the words of people for a query, by meaning, too."""
        vector = self._vector(query)
        return lambda state: state.search(query, vector)

    def _in_past(self, query: Query, at: float, answer: Callable[[Query, MemoryState], T]) -> T:
        with self._live.lock:
            query = self._live.state.permitted(query)  # who withdrew their consent did so for the past, too
        with self._history.at(at, self._live.applied) as past:
            return answer(query, past)

    def _vector(self, query: Query) -> NDArray[np.float32] | None:
        """Return the vector of what is asked, after those of what was told a moment ago and is not embedded yet."""
        worker = self._worker()
        vector = worker.query_vector(query.text)
        if vector is not None and query.at is None:
            with self._live.lock:
                missing = self._live.state.index.semantic.missing[-EMBEDDED_AT_RECALL:]  # what is new is asked for
            worker.embed_now(missing)
        return vector
