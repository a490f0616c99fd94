# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory's own preferences in this process, as the planner asks for them; it can be away, too."""

from __future__ import annotations

from pathlib import Path

from karma_memory.memory import Memory
from karma_memory.preferences import Mode, Request
from karma_memory.preferences.serving import Choices, checked_request
from karma_memory.scene import InvalidEventError
from planner_node.ground.preferences import Advice, Learned, Question, Words
from planner_node.memory import MemoryRefused, MemoryUnavailable, Recollection


class PreferringMemory:
    """Adapter from the memory's types to the planner's."""

    def __init__(self, path: Path) -> None:
        self.memory = Memory(path, embedder="lexical")
        self.away = False
        self._choices = Choices(self.memory)
        self._clock = 0.0

    def choose(self, question: Question) -> Advice:
        choice, grounds = self._choices.choose(self._request(question))
        decision = choice.decision
        recollections = tuple(Recollection(g.record.kind, g.record.id, g.record.text) for g in grounds)
        return Advice(
            decision.option, decision.sure, choice.question, choice.candidates, decision.because, recollections
        )

    def learn(self, question: Question, words: Words) -> Learned:
        self._clock += 1.0
        learned = self._choices.learn(
            self._request(question),
            words.text,
            lesson_id=words.id,
            stamp=self._clock,
            answering=words.answering,
            others=words.others,
            acted_on=words.acted_on,
            episode=words.instruction_id,
        )
        return Learned(learned.option, learned.taught or learned.confirmed, learned.record, learned.remark)

    def _request(self, question: Question) -> Request:
        if self.away:
            raise MemoryUnavailable("no answer")
        mode = Mode.PUT if question.thing else Mode.FETCH
        try:
            return checked_request(question.user, question.text, mode, question.thing, question.options)
        except InvalidEventError as error:
            raise MemoryRefused(str(error)) from error
