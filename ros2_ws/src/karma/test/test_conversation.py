# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions of the robot on a terminal, and where there is none."""

from __future__ import annotations

import io
import queue
from typing import Any

import pytest
from rich.console import Console
from rich.status import Status

from karma.command.conversation import Conversation
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result
from karma_interfaces.srv import Answer


class Client:
    """Takes answers instead of a running graph."""

    def __init__(self) -> None:
        self.answers: queue.Queue[Any] = queue.Queue()

    def service(self, kind: type, name: str) -> None:
        assert (kind, name) == (Answer, "answer")

    def call_once(self, kind: type, name: str, request: Any) -> Any:
        self.answers.put(request)
        return Answer.Response(result=Result(code=Result.SUCCESS))


@pytest.mark.parametrize(("typed", "answer"), [("", ""), ("\n", ""), ("2\n", "the blue one"), ("neither\n", "neither")])
def test_a_question_is_answered_at_once_even_where_nobody_is_there(
    typed: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    said, client = io.StringIO(), Client()
    status = Status("", console=Console(file=said))
    conversation = Conversation(client, status, user="ann")  # type: ignore[arg-type]
    conversation.on_feedback(
        ExecuteInstruction.Feedback(question_id="q1", question="Which?", choices=["the red one", "the blue one"])
    )
    request = client.answers.get(timeout=10.0)
    assert (request.question_id, request.text, request.user) == ("q1", answer, "ann")
    assert ("Nobody is there to answer." in said.getvalue()) is (typed == "")
