# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users prefer, behind the memory server's memory/choose and memory/learn_choice."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node as RosNode

from karma_interfaces.srv import Choose, LearnChoice
from planner_node import conversions
from planner_node.ground.preferences import Advice, Learned, Question, Words
from planner_node.ros.calling import MemoryCalls
from planner_node.ros.exchanges import Exchanges


class RosPreferences:
    """The memory of preferences over ROS; see `Preferences`."""

    def __init__(
        self, node: RosNode, group: CallbackGroup, *, timeout: float, exchanges: Exchanges | None = None
    ) -> None:
        """Seconds that a service may take; `exchanges` hears of every call."""
        self._call = MemoryCalls(timeout, exchanges)
        self._choose = node.create_client(Choose, "memory/choose", callback_group=group)
        self._learn = node.create_client(LearnChoice, "memory/learn_choice", callback_group=group)

    def destroy(self, node: RosNode) -> None:
        """Give the clients back."""
        for client in (self._choose, self._learn):
            node.destroy_client(client)

    def choose(self, question: Question) -> Advice:
        """Ask what the user would choose."""
        response = self._call(self._choose, _filled(Choose.Request(), question))
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
        response = self._call(self._learn, request)
        kept = bool(response.taught or response.confirmed)
        return Learned(response.option, kept, response.record, response.result.message)


def _filled(request: Any, question: Question) -> Any:
    """Return a request of either service with the choice in it."""
    request.user, request.text = question.user, question.text
    request.mode = Choose.Request.PLACE if question.thing else Choose.Request.THING
    request.thing, request.options = question.thing, list(question.options)
    return request
