# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's question: its choices as buttons, or an answer in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karma_view.text import render, short

if TYPE_CHECKING:
    from karma_view.session import Session

ANSWER, NONE = "Answer", "No answer"
MOST_CHOICES = 12
"""That are buttons; any other can be written."""
_LONGEST_LABEL, _LONGEST_HINT = 80, 500


class QuestionBox:
    """Is there while the robot waits for an answer, whoever gives it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked: Any = None
        """The instruction (InstructionStatus) as it was when the question was put; None: there is no question."""
        self._buttons: list[Any] = []
        gui = session.client.gui
        self._folder = gui.add_folder("The robot asks", visible=False)
        with self._folder:
            self._question = gui.add_html("", order=0)
            with gui.add_form(None, order=MOST_CHOICES + 1) as form:
                self._words: Any = gui.add_text("In words", "", hint="Enter: answer")
            form.on_submit(lambda _: self._in_words())
            buttons = gui.add_button_group(
                "", (ANSWER, NONE), order=MOST_CHOICES + 2, hint="Without an answer the robot waits no longer."
            )
            buttons.on_click(lambda event: self._press(event.target.value))

    @property
    def is_open(self) -> bool:
        """Whether the robot waits for an answer."""
        return self._asked is not None

    def update(self, status: Any) -> None:
        """Show the question of an instruction (InstructionStatus), if it has one; None: there is no instruction."""
        asked = status if status is not None and status.question_id else None
        if (asked.question_id if asked else "") == (self._asked.question_id if self._asked else ""):
            return
        self._asked = asked
        for button in self._buttons:
            button.remove()
        self._buttons.clear()
        self._folder.visible = asked is not None
        if asked is None:
            return
        self._words.value = ""
        self._question.content = render("question", status=asked, more=max(0, len(asked.choices) - MOST_CHOICES))
        with self._folder:
            for number, choice in enumerate(asked.choices[:MOST_CHOICES]):
                self._buttons.append(self._offer(asked, choice, number + 1))

    def _offer(self, asked: Any, choice: str, order: int) -> Any:
        label, hint = short(choice, _LONGEST_LABEL), short(choice, _LONGEST_HINT)
        button = self._session.client.gui.add_button(label, hint=hint, order=order)
        button.on_click(lambda _: self._answer(asked, choice))
        return button

    def _press(self, which: str) -> None:
        if which == ANSWER:
            self._in_words()
        else:
            self._answer(self._asked, "")

    def _in_words(self) -> None:
        if text := self._words.value.strip():
            self._answer(self._asked, text)
        else:
            self._session.say("Answer", "Say something, or press “No answer”.", failed=True)

    def _answer(self, asked: Any, text: str) -> None:
        session = self._session
        if asked is None:
            session.say("Answer", "The robot does not ask any more.", failed=True)
        elif asked.user and session.user and asked.user != session.user:
            session.say("Answer", f"That is not your question: the robot asks {asked.user}.", failed=True)
        elif session.attempt("Answer", lambda: session.robot.answer(asked.question_id, text, user=session.user)):
            session.say("Answer", text or "The robot does not wait for an answer any more.")
