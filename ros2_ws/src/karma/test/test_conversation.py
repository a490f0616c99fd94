# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot says and asks on a terminal, and where there is none."""

from __future__ import annotations

import io
import queue
from typing import Any

import pytest
from rich.console import Console
from rich.status import Status

from karma.command.conversation import Conversation, Feedback
from karma.command.do import _show
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Recollection, Result
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


def test_what_is_done_is_told_in_words() -> None:
    said = io.StringIO()
    conversation = Conversation(Client(), Status("", console=Console(file=said)), user="")  # type: ignore[arg-type]
    conversation.on_feedback(ExecuteInstruction.Feedback(stage=Feedback.ACT, step="Explore(Mug, 3 positions): look"))
    conversation.on_feedback(ExecuteInstruction.Feedback(paused=True, step="paused before explore()"))
    assert said.getvalue().split("\n") == ["  Explore Mug from 3 viewpoints", "  paused before explore", ""]


def test_what_was_understood_and_came_of_it_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    report = {
        "goals": ["explore()"],
        "skills": [
            {"skill": "Explore", "target": "", "receptacle": "", "code": "TIMEOUT", "message": "Explore() ended"}
        ],
        "success": False,
        "code": "TIMEOUT",
        "message": "not done: place(mug, sink, in)",
    }
    remembered = Recollection(kind="episodic", text="done: explore()")
    _show(Console(highlight=False, soft_wrap=True), report, [remembered], verbose=False)
    assert capsys.readouterr().out.splitlines() == [
        "  understood: explore",
        "  TIMEOUT Explore Explore ended",
        "  remembered: done: explore",
        "TIMEOUT: not done: place mug in sink",
    ]
