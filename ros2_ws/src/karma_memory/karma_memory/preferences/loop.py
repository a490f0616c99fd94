# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The three steps of PAHF (section 3.2) in one process: ask first when the memory does not decide, act, be corrected.

The loop writes nothing itself: what it learns goes to `remember`, which makes an event of the journal of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from karma_language.told.wishes.choice import Language, Request
from karma_memory.preferences.chooser import Choice, Chooser, Teaching
from karma_memory.preferences.deciding import Decider, Decision
from karma_memory.preferences.memory import PreferenceMemory
from karma_memory.preferences.preference import Lesson, Preference

Remember = Callable[[Lesson, str], None]
"""Takes a lesson and the words that taught it."""


@dataclass
class Turn:
    """One request on its way."""

    step: Choice
    choice: str
    """The thing to bring or the place to put it; "" where nothing is known."""

    @property
    def request(self) -> Request:
        """What was left open."""
        return self.step.request

    @property
    def decision(self) -> Decision:
        """What the memory said to it."""
        return self.step.decision

    @property
    def question(self) -> str:
        """What to ask before acting; "" where there is no need."""
        return self.step.question

    @property
    def acted_on(self) -> Preference | None:
        """What the memory decided by; None where it was asked or guessed."""
        return self.step.acted_on


class PreferenceLoop:
    """Carries requests through the three steps. Not thread-safe."""

    def __init__(self, memory: PreferenceMemory, language: Language, decider: Decider, remember: Remember) -> None:
        self._memory = memory
        self._chooser = Chooser(language, decider)
        self._remember = remember

    def begin(self, user: str, text: str, scene: Sequence[str], *, may_ask: bool = True) -> Turn:
        """Return what to do, or what to ask first. `scene`: names of the things and places that are there."""
        request = self._chooser.read(user, text, scene)
        step = self._chooser.choose(request, self._memory.history(user), may_ask=may_ask)
        return Turn(step, step.decision.option or self._chooser.guess(request))

    def answer(self, turn: Turn, words: str) -> None:
        """Take in the answer to the question: it decides this time and is remembered."""
        teaching = self._hear(turn, words)
        if teaching.new:
            turn.choice = teaching.option

    def feedback(self, turn: Turn, words: str) -> bool:
        """Take in what the user says afterwards; return whether it taught something."""
        return self._hear(turn, words).new

    def _hear(self, turn: Turn, words: str) -> Teaching:
        history = self._memory.history(turn.request.user)
        teaching = self._chooser.hear(turn.request, words, history, acted_on=turn.acted_on)
        if teaching.lesson is not None:
            self._remember(teaching.lesson, words)
        return teaching
