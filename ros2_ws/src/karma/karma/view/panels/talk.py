# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Talking to the robot: an instruction, an answer to its question, what one thinks of it; pause, resume, stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karma.result_codes import code_name
from karma.view.known import Known
from karma.view.text import render
from karma_interfaces.msg import Result

if TYPE_CHECKING:
    from karma.view.session import Session


class TalkPanel:
    """What people say to the robot, and what it asks."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: Any = None
        gui = session.client.gui
        self._user = gui.add_text("I am", "", hint="The robot remembers by name; empty: nobody in particular")
        self._user.on_update(lambda _: setattr(session, "user", self._user.value.strip()))
        self._text: Any = gui.add_text("Instruction", "", multiline=True)
        gui.add_button("Do it").on_click(lambda _: self._instruct())
        gui.add_button_group("Robot", ("Pause", "Resume", "Stop")).on_click(
            lambda event: self._control(event.target.value)
        )
        self._status = gui.add_html("")

    def update(self, known: Known) -> None:
        """Show the instruction that runs or was the last."""
        if known.planner is self._shown:
            return
        self._shown = known.planner
        self._status.content = render("instruction", planner=known.planner)

    def _instruct(self) -> None:
        text = self._text.value.strip()
        if not text:
            self._session.say("Instruction", "Say what the robot is to do.", failed=True)
            return
        session = self._session

        def ended(result: Any) -> None:
            failed = result.result.code != Result.SUCCESS
            session.say(code_name(result.result), result.result.message or text, failed=failed)

        if session.attempt("Instruction", lambda: session.robot.instruct(text, user=session.user, on_result=ended)):
            self._text.value = ""

    def _control(self, which: str) -> None:
        robot = self._session.robot
        self._session.attempt(which, {"Pause": robot.pause, "Resume": robot.resume, "Stop": robot.stop}[which])
