# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions that wait for a person's answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_POLL = 0.1


@dataclass
class _Open:
    user: str = ""
    """Who is asked; "" for anybody."""
    answered: threading.Event = field(default_factory=threading.Event)
    text: str = ""


class Questions:
    """One thread waits for an answer, another brings it."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._last = ("", "")
        """The question that was answered last, and its answer."""
        self._lock = threading.Lock()

    def wait(
        self,
        question_id: str,
        timeout: float,
        cancelled: Callable[[], bool],
        asked: Callable[[], None],
        *,
        user: str = "",
    ) -> str:
        """Call `asked`, then wait for the answer; empty when there is none in time or `cancelled()` turns true.

        `user`: who is asked; what they answer is learned as theirs.
        """
        question = _Open(user)
        with self._lock:
            self._open[question_id] = question
        try:
            asked()
            until = time.monotonic() + timeout
            while not question.answered.wait(_POLL):
                if cancelled() or time.monotonic() > until:
                    return ""
            return question.text
        finally:
            with self._lock:
                self._open.pop(question_id, None)

    def answer(self, question_id: str, text: str, user: str = "") -> bool:
        """Answer a question; return whether it was waiting, or has just got this answer. The first answer counts.

        An empty one ends the waiting: nobody will answer. A client that has not heard that its answer came says it
        again. Nobody answers for somebody else who is named.
        """
        with self._lock:
            question = self._open.get(question_id)
            if question is None:
                return (question_id, text) == self._last
            if user and question.user and user != question.user:
                return False
            del self._open[question_id]
            self._last = (question_id, text)
        question.text = text
        question.answered.set()
        return True
