# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot says while it works, and the questions it asks, on a terminal."""

from __future__ import annotations

import queue
import threading
from typing import Any

from rich.markup import escape
from rich.status import Status

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result
from karma_interfaces.srv import Answer
from karma_language.answers.plain_words import calls_in_words
from karma_ros.client import GraphClient, GraphError

Feedback = ExecuteInstruction.Feedback


class Conversation:
    """Shows the feedback of execute_instruction and answers its questions with what a person types.

    Where nobody is there to type, or nothing is typed, the robot is told so at once and need not wait.

    Questions are answered in a thread of their own, because the feedback comes in the client's thread, which the answer
    needs, too. It ends with the process.
    """

    def __init__(self, client: GraphClient, status: Status, *, user: str) -> None:
        client.service(Answer, "answer")  # which the planner knows by the time that it takes an instruction
        self._client = client
        self._status = status
        self._user = user
        self._shown = ("", -1)
        self._asked: set[str] = set()
        self._questions: queue.Queue[Any] = queue.Queue()
        threading.Thread(target=self._answer_all, name="karma_answers", daemon=True).start()

    def on_feedback(self, feedback: Any) -> None:
        """Show one ExecuteInstruction.Feedback: every skill in a line, what it is at in the status."""
        step = calls_in_words(feedback.step)
        skill = (step.partition(": ")[0], feedback.steps_done)
        if feedback.paused:
            self._status.console.print(f"  [yellow]{escape(step)}[/]")
        elif feedback.stage == Feedback.ACT and skill != self._shown:
            self._shown = skill
            self._status.console.print(f"  [dim]{escape(skill[0])}[/]")
        self._status.update(f"{escape(step)}  [dim]{feedback.steps_done} skills done[/]")
        if feedback.question_id and feedback.question_id not in self._asked:
            self._asked.add(feedback.question_id)
            self._questions.put(feedback)

    def _answer_all(self) -> None:
        while True:
            self._answer(self._questions.get())

    def _answer(self, feedback: Any) -> None:
        console = self._status.console
        self._status.stop()
        console.print(f"[bold]{escape(feedback.question)}[/]")
        for number, choice in enumerate(feedback.choices, start=1):
            console.print(f"  {number}  {escape(choice)}")
        try:
            text = chosen(console.input("> "), feedback.choices)
        except EOFError:
            text = ""
            console.print("Nobody is there to answer.")
        finally:
            self._status.start()
        request = Answer.Request(question_id=feedback.question_id, text=text, user=self._user)
        try:
            response = self._client.call_once(Answer, "answer", request)
        except GraphError as error:
            console.print(f"[red]{escape(str(error))}[/]")
            return
        if response.result.code != Result.SUCCESS:
            console.print(f"[red]{escape(response.result.message)}[/]")


def chosen(typed: str, choices: list[str]) -> str:
    """Return the answer a person means: the number of a choice stands for the choice."""
    text = typed.strip()
    if text.isdecimal() and 1 <= int(text) <= len(choices):
        return str(choices[int(text) - 1])
    return text
