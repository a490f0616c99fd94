# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users prefer, behind the memory server's memory/choose and memory/learn_choice."""

from __future__ import annotations

import time
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node as RosNode

from karma_interfaces.srv import Choose, LearnChoice
from planner_node import conversions
from planner_node.ground.preferences import Advice, Learned, Question, Words
from planner_node.memory import MemoryRefused, MemoryUnavailable
from planner_node.ros.calling import NoAnswer, call
from planner_node.ros.exchanges import Exchanges
from planner_node.skills import Code

_DISCOVERY = 2.0
"""Seconds in which a memory that is there is found by a planner that has just been started."""
_AVOIDED = 10.0
"""Seconds for which a memory that did not answer is waited for no more."""


class RosPreferences:
    """The memory of preferences over ROS; see `Preferences`."""

    def __init__(
        self, node: RosNode, group: CallbackGroup, *, timeout: float, exchanges: Exchanges | None = None
    ) -> None:
        """Seconds that a service may take; `exchanges` hears of every call."""
        self._exchanges = exchanges
        self._timeout = timeout
        self._choose = node.create_client(Choose, "memory/choose", callback_group=group)
        self._learn = node.create_client(LearnChoice, "memory/learn_choice", callback_group=group)
        self._avoid_until = 0.0

    def destroy(self, node: RosNode) -> None:
        """Give the clients back."""
        for client in (self._choose, self._learn):
            node.destroy_client(client)

    def choose(self, question: Question) -> Advice:
        """Ask what the user would choose."""
        response = self._ask(self._choose, _filled(Choose.Request(), question))
        return Advice(
            response.option,
            bool(response.sure),
            response.question,
            tuple(response.candidates),
            response.because,
            tuple(map(conversions.recollection_from, response.recollections)),
        )

    def learn(self, question: Question, words: Words) -> Learned:
        """Let the memory learn what the user's words teach."""
        request = _filled(LearnChoice.Request(), question)
        request.id, request.words = words.id, words.text
        request.answering, request.others = words.answering, words.others
        request.acted_on, request.instruction_id = words.acted_on, words.instruction_id
        response = self._ask(self._learn, request)
        kept = bool(response.taught or response.confirmed)
        return Learned(response.option, kept, response.record, response.result.message)

    def _ask(self, client: Any, request: Any) -> Any:
        discovery = _DISCOVERY if time.monotonic() >= self._avoid_until else 0.0
        try:
            response = call(client, request, self._timeout, discovery, self._exchanges)
        except NoAnswer as error:
            self._avoid_until = time.monotonic() + _AVOIDED
            raise MemoryUnavailable(str(error)) from error
        code = conversions.code_from(response.result)
        if code in (Code.INVALID_ARGUMENT, Code.INTERNAL_ERROR):
            raise MemoryRefused(response.result.message)
        if code is not Code.SUCCESS:
            raise MemoryUnavailable(f"{client.srv_name}: {code.name} {response.result.message}")
        return response


def _filled(request: Any, question: Question) -> Any:
    """Return a request of either service with the choice in it."""
    request.user, request.text = question.user, question.text
    request.mode = Choose.Request.PLACE if question.thing else Choose.Request.THING
    request.thing, request.options = question.thing, list(question.options)
    return request
