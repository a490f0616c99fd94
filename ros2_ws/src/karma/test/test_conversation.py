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
from karma.command.do import _as_json, _show
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Recollection, Result, SkillCall, SkillOutcome, SkillTarget
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
    ended = Result(code=Result.TIMEOUT, message="Explore() ended")
    result = ExecuteInstruction.Result(
        result=Result(code=Result.TIMEOUT, message="not done: place(mug, sink, in)"),
        goals=["explore()"],
        skills=[SkillOutcome(call=SkillCall(skill="Explore"), result=ended)],
        recalled=[Recollection(kind="episodic", text="done: explore()")],
    )
    assert told(capsys, result) == ["  understood: explore", "not done: place mug in sink"]
    assert told(capsys, result, verbose=True) == [
        "  understood: explore",
        "  TIMEOUT Explore Explore ended",
        "  remembered: done: explore",
        "not done: place mug in sink",
    ]


def test_a_dry_run_lists_the_plan_and_says_nothing_was_done(capsys: pytest.CaptureFixture[str]) -> None:
    taken = SkillCall(skill="PickupObject", target=SkillTarget(id="Mug?1", category="Mug"))
    put = SkillCall(skill="PutObject", receptacle=SkillTarget(id="Shelf|2", category="Shelf"))
    well = Result(code=Result.SUCCESS)
    result = ExecuteInstruction.Result(
        result=well, skills=[SkillOutcome(call=call, result=well) for call in (taken, put)]
    )
    assert told(capsys, result, dry_run=True) == ["  · PickupObject Mug", "  · PutObject Shelf", "planned: 2 skills"]
    assert told(capsys, result, dry_run=True, verbose=True)[:2] == ["  · PickupObject Mug?1", "  · PutObject Shelf|2"]
    assert told(capsys, result) == ["done: 2 skills, explored 0×, 0 s of simulated time"]


def told(capsys: pytest.CaptureFixture[str], result: Any, *, verbose: bool = False, dry_run: bool = False) -> list[str]:
    """Return the lines that end an instruction, without blanks at their ends."""
    console = Console(highlight=False, soft_wrap=True)
    _show(console, _as_json("", result), result, verbose=verbose, dry_run=dry_run)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]
