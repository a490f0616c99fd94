# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The three steps of PAHF (section 3.2): ask first when the memory does not decide, act on it, learn from corrections.

The loop writes nothing itself: what it learns goes to `remember`, which makes an event of the journal of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from karma_memory.preferences.deciding import Decider, Decision
from karma_memory.preferences.language import Language
from karma_memory.preferences.memory import PreferenceMemory
from karma_memory.preferences.preference import Lesson, Preference, Request

MOST_OPTIONS = 6
"""Options that one question names; more are no question but a list."""

Remember = Callable[[Lesson, str], None]
"""Takes a lesson and the words that taught it."""


@dataclass
class Turn:
    """One request on its way."""

    request: Request
    decision: Decision
    choice: str
    """The thing to bring or the place to put it; "" where nothing is known."""
    question: str = ""
    """What to ask before acting; "" where there is no need."""

    @property
    def acted_on(self) -> Preference | None:
        """What the memory decided by; None where it was asked or guessed."""
        return None if self.question or not self.decision.sure else self.decision.supports[0].preference


class PreferenceLoop:
    """Carries requests through the three steps. Not thread-safe."""

    def __init__(self, memory: PreferenceMemory, language: Language, decider: Decider, remember: Remember) -> None:
        self._memory = memory
        self._language = language
        self._decider = decider
        self._remember = remember

    def begin(self, user: str, text: str, scene: Sequence[str], *, may_ask: bool = True) -> Turn:
        """Return what to do, or what to ask first. `scene`: names of the things and places that are there."""
        request = self._language.read(user, text, scene)
        decision = self._decider.decide(request, self._memory.history(user))
        choice = decision.option or self._decider.guess(request)
        question = ""
        if may_ask and not decision.sure and len(request.options) != 1:
            question = self._language.question(request, self._asked(request, decision))
        return Turn(request, decision, choice, question)

    def answer(self, turn: Turn, words: str) -> None:
        """Take in the answer to the question: it decides this time and is remembered."""
        heard = self._language.heard(turn.request, words)
        if heard is not None:
            turn.choice = heard.chosen
            self._learn(turn, heard.chosen, words, heard.changed)

    def feedback(self, turn: Turn, words: str) -> bool:
        """Take in what the user says afterwards; return whether it taught something."""
        heard = self._language.heard(turn.request, words)
        if heard is not None:
            self._learn(turn, heard.chosen, words, heard.changed)
            return True
        acted_on = turn.acted_on
        if acted_on is not None and self._language.approves(words):
            self._remember(Lesson(turn.request, acted_on.chosen, (acted_on.id,)), words)
        return False

    def _learn(self, turn: Turn, chosen: str, words: str, changed: bool) -> None:
        """Remember it in place of what was known about this situation, and of what was acted on if the user says so."""
        decision = self._decider.decide(turn.request, self._memory.history(turn.request.user))
        revises = self._decider.revised(turn.request, decision, chosen)
        if changed and turn.acted_on is not None:
            revises = tuple(dict.fromkeys((*revises, turn.acted_on.id)))
        self._remember(Lesson(turn.request, chosen, revises), words)

    def _asked(self, request: Request, decision: Decision) -> list[str]:
        """Return the options to name: all, or the likeliest of many, in the order in which they were given."""
        if len(request.options) <= MOST_OPTIONS:
            return list(request.options)
        likely = list(dict.fromkeys(support.option for support in decision.supports))
        kept = {*likely[:MOST_OPTIONS], *request.options[: max(0, MOST_OPTIONS - len(likely))]}
        return [option for option in request.options if option in kept]
