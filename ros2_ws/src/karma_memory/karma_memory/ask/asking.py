# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A person's question, read and answered: each of several by itself, with a search only where one is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from karma_language.answers.evidence import Answered
from karma_language.dialogue.social import friendly, small_talk
from karma_language.questions.questions import read_questions
from karma_language.reading import Kind, Question
from karma_language.syntax.own_words import in_own_words
from karma_language.told.quoting import wh
from karma_memory.ask.answering import Asked, SearchNeededError, answer, together
from karma_memory.recall.index import Search
from karma_memory.recall.query import Query

if TYPE_CHECKING:
    from karma_memory.state.state import MemoryState

Find = Callable[["MemoryState"], Search | None]
"""Finds what may answer a question, in the state that is asked."""


class Asking:
    """Answers questions of people in a memory's state."""

    def __init__(
        self,
        in_state: Callable[[Query, Callable[[Query, MemoryState], Asked]], Asked],
        search: Callable[[Query], Find],
    ) -> None:
        """`in_state`: has a query answered in the state that it asks; `search`: searches for one, by meaning, too."""
        self._in_state = in_state
        self._search = search

    def ask(self, query: Query, question: Question | None) -> Asked:
        """Answer the question of a query, with its time in `now`; `question`: what it asks for, where that was read."""
        words = in_own_words(query.text, query.user)
        query = replace(query, text=words)
        if question is None:
            now = query.now if query.at is None else query.at
            several = read_questions(words, now or 0.0, hints=True, orders=True)
            if len(several) > 1:
                return together([self._asked(replace(query, text=one.quote), one) for one in several])
            question = several[0] if several else None
        asked = self._asked(query, question)
        told = question is None or question.kind is Kind.TOLD
        social = small_talk(words) if told and not asked.answered.known and not wh(words) else None
        return asked if social is None else Asked(Answered(friendly(social), True))  # "busy day, isn't it?"

    def _asked(self, query: Query, question: Question | None) -> Asked:
        """Answer a question; the words of people are searched only where the answer depends on them."""
        try:
            return self._answer(query, question, lambda state: None)
        except SearchNeededError:
            return self._answer(query, question, self._search(query))

    def _answer(self, query: Query, question: Question | None, find: Find) -> Asked:
        return self._in_state(query, lambda query, state: answer(query, question, state, find(state)))
