# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A planner's language model in an evaluation: what the server fails at is not taken for what the model understands."""

from __future__ import annotations

from karma_eval.llm import AnswerFile
from planner_node.instruction import Understander
from planner_node.skills import Code
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.goals import NotUnderstood, ObjectRef, Understanding

_OF_THE_SERVER = frozenset({Code.UNAVAILABLE, Code.TIMEOUT, Code.NOT_FOUND})
"""Codes of an instruction that the server, not the model, is at fault with."""


class PersistentUnderstanding:
    """Asks again where the server failed, and ends the evaluation where it answers nothing any more."""

    def __init__(self, inner: Understander, answers: AnswerFile) -> None:
        self._inner = inner
        self._answers = answers

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), aid: Aid = NO_AID) -> Understanding:
        """Return the goals. ClickException when the server answers nothing any more."""
        while True:
            found = self._inner.understand(text, spoken_of, aid)
            if not isinstance(found, NotUnderstood) or found.code not in _OF_THE_SERVER:
                return found
            if not self._answers.failed(text, found.message):
                self._answers.lost(found.message)
                return found
