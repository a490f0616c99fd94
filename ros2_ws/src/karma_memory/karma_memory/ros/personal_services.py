# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Services of the memory server about its users: what they would choose, what they told of themselves."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from karma_interfaces.srv import Choose, FillForm, GetReminders, LearnChoice
from karma_memory import answer_conversions, conversions
from karma_memory.events import Code
from karma_memory.memory import Memory
from karma_memory.preferences import Mode, Request
from karma_memory.preferences.serving import Choices, checked_request
from karma_memory.ros.serving import Serve
from karma_memory.scene import InvalidEventError
from karma_memory.state.state import MemoryState
from karma_memory.users.facts import Due, UserFacts

MODES = {Choose.Request.THING: Mode.FETCH, Choose.Request.PLACE: Mode.PUT}


class PersonalServices:
    """Answers from whatever memory is open when it is asked."""

    def __init__(self, serve: Serve, now: Callable[[], float]) -> None:
        """`now`: the time in seconds, the robot's clock."""
        self._now = now
        self._lock = threading.Lock()
        self._of: tuple[Memory, Choices] | None = None
        """The memory that was asked last."""
        serve(Choose, "memory/choose", self._choose)
        serve(LearnChoice, "memory/learn_choice", self._learn_choice)
        serve(GetReminders, "memory/get_reminders", self._get_reminders)
        serve(FillForm, "memory/fill_form", self._fill_form)

    def release(self) -> None:
        """Keep nothing of the memory that was closed: a user may be erased from it. A closed one is not taken again."""
        with self._lock:
            self._of = None

    def _choices(self, memory: Memory) -> Choices:
        with self._lock:
            if self._of is None or self._of[0] is not memory:
                self._of = memory, Choices(memory)
            return self._of[1]

    def _choose(self, memory: Memory, request: Any, response: Any) -> None:
        choice, grounds = self._choices(memory).choose(_request(request))
        decision = choice.decision
        response.option, response.sure, response.confidence = decision.option, decision.sure, decision.confidence
        response.question, response.candidates = choice.question, list(choice.candidates)
        response.because, response.why = decision.because, decision.why
        response.recollections = answer_conversions.from_recollections(grounds)

    def _learn_choice(self, memory: Memory, request: Any, response: Any) -> None:
        learned = self._choices(memory).learn(
            _request(request),
            request.words,
            lesson_id=request.id,
            stamp=self._now(),
            answering=request.answering,
            others=request.others,
            acted_on=request.acted_on,
            episode=request.instruction_id,
        )
        response.option, response.record = learned.option, learned.record
        response.taught, response.confirmed = learned.taught, learned.confirmed
        response.result = conversions.result(Code.SUCCESS, learned.remark)

    def _get_reminders(self, memory: Memory, request: Any, response: Any) -> None:
        def ask(state: MemoryState) -> tuple[list[Due], list[str]]:
            facts = UserFacts(state, request.user, self._now())
            return facts.reminders(conversions.to_seconds(request.at), request.days), facts.shopping_list()

        reminders, response.shopping = memory.with_state(ask)
        response.reminders = [answer_conversions.from_reminder(item) for item in reminders]
        response.location = memory.location

    def _fill_form(self, memory: Memory, request: Any, response: Any) -> None:
        filled = memory.with_state(lambda state: UserFacts(state, request.user, self._now()).fill(request.fields))
        response.values = [item.value for item in filled]
        response.evidence = answer_conversions.from_recollections([found for item in filled for found in item.evidence])
        response.location = memory.location


def _request(message: Any) -> Request:
    """Return what is to be chosen. InvalidEventError says what is wrong with the request."""
    mode = MODES.get(message.mode)
    if mode is None:
        raise InvalidEventError(f"mode must be {Choose.Request.THING} (thing) or {Choose.Request.PLACE} (place)")
    return checked_request(message.user, message.text, mode, message.thing, message.options)
