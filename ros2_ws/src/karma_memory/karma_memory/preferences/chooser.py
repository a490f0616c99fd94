# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The three steps of PAHF (section 3.2) without a state: choose or ask, and find out what a user's words teach.

Whoever calls it brings the user's history, acts, and keeps the lesson. So the same steps serve a loop in one process
and a service that may have been restarted by the time the user says what they think.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from karma_language.told.wishes.choice import Language, Request
from karma_language.told.wishes.phrases import tokens
from karma_language.vocabulary.terms import normalised
from karma_memory.preferences.deciding import Decider, Decision
from karma_memory.preferences.preference import Lesson, Preference

MOST_OPTIONS = 6
"""Options that one question names; more are no question but a list."""


@dataclass(frozen=True)
class Choice:
    """What to do about a request."""

    request: Request
    decision: Decision
    question: str = ""
    """What to ask before acting; "" where there is no need."""
    candidates: tuple[str, ...] = ()
    """The options that the question names."""

    @property
    def acted_on(self) -> Preference | None:
        """What decides, so that nobody need be asked; None where it is asked or guessed."""
        return None if self.question or not self.decision.sure else self.decision.supports[0].preference


@dataclass(frozen=True)
class Teaching:
    """What a user's words come to."""

    lesson: Lesson | None = None
    """What to remember; None: nothing."""
    option: str = ""
    """What they want: one of the options or another name; "" where the words don't say."""

    @property
    def new(self) -> bool:
        """Whether the lesson says what is wanted, and not only that all is well."""
        return bool(self.option)


class Chooser:
    """Decides by what a user has taught. Not thread-safe."""

    def __init__(self, language: Language, decider: Decider) -> None:
        self._language = language
        self._decider = decider

    def read(self, user: str, text: str, scene: Sequence[str]) -> Request:
        """Return what a request leaves open. `scene`: names of the things and places that are there."""
        return self._language.read(user, text, scene)

    def choose(self, request: Request, history: Sequence[Preference], *, may_ask: bool = True) -> Choice:
        """Return what the memory says to a request, and what to ask where that does not decide.

        `history`: all that the request's user ever preferred, see PreferenceMemory.history.
        """
        decision = self._decider.decide(request, history)
        if not may_ask or decision.sure or len(request.options) == 1:
            return Choice(request, decision)
        candidates = _candidates(request, decision)
        return Choice(request, decision, self._language.question(request, candidates), tuple(candidates))

    def guess(self, request: Request) -> str:
        """Return the option that the request's words alone speak for; "" without options."""
        return self._decider.guess(request)

    def hear(
        self,
        request: Request,
        words: str,
        history: Sequence[Preference],
        *,
        acted_on: Preference | None = None,
        others: bool = False,
    ) -> Teaching:
        """Return what a user's words say about a choice, and the lesson: it takes the place of what was known.

        `acted_on`: what the memory decided by, None where it was asked or guessed: thanks confirm it, and words of
        change end it. `others`: the words may be about something else, so that only what names an option counts.
        """
        heard = self._language.heard(request, words)
        options = {normalised(option) for option in request.options}
        if heard is not None and (not others or normalised(heard.chosen) in options):
            request = _under(request, heard.condition)
            revises = self._decider.revised(request, self._decider.decide(request, history), heard.chosen)
            if heard.changed and acted_on is not None:
                revises = tuple(dict.fromkeys((*revises, acted_on.id)))
            return Teaching(Lesson(request, heard.chosen, revises), heard.chosen)
        if heard is None and acted_on is not None and self._language.approves(words):
            return Teaching(Lesson(request, acted_on.chosen, (acted_on.id,)))
        return Teaching()


def _under(request: Request, condition: str) -> Request:
    """Return the request as it would have been put had it said the condition, too, unless it did."""
    if not condition or set(tokens(condition)) <= set(tokens(request.text)):
        return request
    return replace(request, text=f"{condition} {request.text}")


def _candidates(request: Request, decision: Decision) -> list[str]:
    """Return the options to name: all, or the likeliest of many, in the order in which they were given."""
    if len(request.options) <= MOST_OPTIONS:
        return list(request.options)
    likely = [option for option in dict.fromkeys(s.option for s in decision.supports) if option in request.options]
    kept = list(dict.fromkeys((*likely, *request.options)))[:MOST_OPTIONS]
    return [option for option in request.options if option in kept]
