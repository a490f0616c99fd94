# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How the client of an instruction follows it over ROS: feedback, questions, cancel requests, and the result."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.srv import Answer
from planner_node import conversions
from planner_node.act.questions import Questions
from planner_node.instruction import Report, Stage
from planner_node.printable import LABEL, STEP, printable
from planner_node.ros.exchanges import QUESTION, Exchanges
from planner_node.status import Following


class GoalObserver:
    """Shows the progress of an instruction as feedback of its goal, and asks the person through it."""

    def __init__(
        self,
        handle: Any,
        questions: Questions,
        question_timeout: float,
        stop: threading.Event,
        exchanges: Exchanges | None = None,
        following: Following | None = None,
    ) -> None:
        """`question_timeout`: seconds; 0 asks nothing. `stop` ends the instruction, whatever its client wants.

        `exchanges` and `following` hear of questions.
        """
        self._following = following or Following()
        self._exchanges = exchanges
        self._handle = handle
        self._questions = questions
        self._timeout = question_timeout
        self._stop = stop
        self._stage = Stage.UNDERSTAND
        self._done = 0

    def progress(self, stage: Stage, step: str, done: int) -> None:
        """Publish feedback."""
        self._stage, self._done = stage, done
        self._publish(step)

    def waits(self, why: str, done: int) -> None:
        """Publish that it waits."""
        self._done = done
        self._publish(why, paused=True)

    def ask(self, question: str, choices: Sequence[str]) -> str:
        """Publish a question and wait for the service `answer`."""
        if self._timeout <= 0.0:
            return ""
        name = str(uuid.uuid4())

        def asked() -> None:
            self._following.asks(name, question, choices)
            self._publish("wait for an answer", name, question, choices)

        since = self._exchanges.now() if self._exchanges else None
        said = self._questions.wait(name, self._timeout, self.cancelled, asked, user=self._handle.request.user)
        self._following.answered()
        if self._exchanges is not None:
            put = ExecuteInstruction.Feedback(question=printable(question), choices=list(choices))
            answer = Answer.Request(text=said) if said else None
            self._exchanges.note(QUESTION, put, answer, asked=since)
        return said

    def cancelled(self) -> bool:
        """Whether the client or the node's life wants it to end."""
        return bool(self._handle.is_cancel_requested) or self._stop.is_set()

    def _publish(
        self, step: str, question_id: str = "", question: str = "", choices: Sequence[str] = (), paused: bool = False
    ) -> None:
        self._handle.publish_feedback(
            ExecuteInstruction.Feedback(
                stage=int(self._stage),
                step=printable(step, STEP),
                steps_done=self._done,
                question_id=question_id,
                question=printable(question),
                choices=[printable(choice, LABEL) for choice in choices],
                paused=paused,
            )
        )


def result_to(report: Report) -> ExecuteInstruction.Result:
    """Return the message of a report: for people and logs, so without the objects that each skill saw."""
    return ExecuteInstruction.Result(
        result=conversions.result_to(report.code, report.message),
        instruction_id=report.instruction_id,
        heard=printable(report.heard),
        reader=printable(report.reader, LABEL),
        goals=[str(goal) for goal in report.goals],
        skills=[conversions.outcome_to(replace(outcome, seen=())) for outcome in report.outcomes],
        explore_steps=report.explore_steps,
        duration=float(report.duration),  # the generated code ends the process on an int
        recalled=[conversions.recollection_to(r) for r in report.recalled],
    )


def for_the_log(goal: ExecuteInstruction.Goal) -> str:
    """Return an instruction for the log, where no words of a user are: they could not be erased from it."""
    return "a user's instruction" if goal.user else repr(goal.instruction[:200])
