# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Talking to the robot: an instruction, an answer to its question, what one thinks of it; pause, resume, stop.

Whatever time the viewer looks at, it happens now.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from karma_interfaces.msg import Result
from karma_language.answers.plain_words import calls_in_words
from karma_view.known import Known
from karma_view.panels.answer import AnswerBox
from karma_view.panels.first_visit import FirstVisit
from karma_view.panels.question import QuestionBox
from karma_view.panels.speaker import Speaker
from karma_view.panels.verdict import VerdictBox
from karma_view.ros.transcript import Ended, Said
from karma_view.text import render

if TYPE_CHECKING:
    from karma_view.session import Session

_NOT_BEGUN = (Result.INVALID_ARGUMENT, Result.UNAVAILABLE)
"""Codes of an instruction that can be corrected or given again: it goes back to where it was written."""

LAST = 4
"""Of what was said; what was before is folded away."""
PAUSE, RESUME, CANCEL, STOP = "Pause", "Resume", "Cancel", "Stop all"


class TalkPanel:
    """What people say to the robot, and what it says."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._state: Any = None
        self._said: tuple[Said, ...] | None = None
        self._spoke = False
        """The viewer has said something, so they know how."""
        self._taking = threading.Lock()
        """Held while an instruction is taken out of its field: who presses twice gives it once."""
        gui = session.client.gui
        self._notice = gui.add_html("")
        self._speaker = Speaker(session)
        with gui.add_form(None) as form:
            self._text: Any = gui.add_text(
                "Instruction", "", hint="Ask or tell the robot something, or have it do something. Enter: say it"
            )
            gui.add_button("Do it").on_click(lambda _: self._instruct())
        form.on_submit(lambda _: self._instruct())
        self._first_visit = FirstVisit(session, self._give)
        with gui.add_folder("More", expand_by_default=False):
            self._urgent = gui.add_checkbox("Urgent", False, hint="Before the others; interrupts the running one.")
            self._dry_run = gui.add_checkbox("Only plan", False, hint="Understand and plan, but don't move.")
            self._ignore_memory = gui.add_checkbox(
                "Without memory", False, hint="Act as if nothing was remembered, for comparison."
            )
        control = gui.add_button_group(
            "Robot", (PAUSE, RESUME, CANCEL, STOP), hint="Cancel: what is being done; Stop all: what waits, too"
        )
        control.on_click(lambda event: self._control(event.target.value))
        control.on_click(self._on_stop)
        self._question = QuestionBox(session)
        self._verdict = VerdictBox(session, self._again)
        self._transcript = gui.add_html("")
        self._answer = AnswerBox(session)

    def update(self, known: Known) -> None:
        """Show what was said, and what the robot asks now."""
        session, transcript = self._session, self._session.robot.transcript
        state, said = transcript.state, transcript.said
        self._notice.content = render("talk_notice", at=session.at, state=state)
        self._speaker.update()
        self._first_visit.update(known, said=self._spoke)
        if said is not self._said:
            self._said = said
            self._transcript.content = render("transcript", said=said, last=LAST)
            if said:
                self._answer.show(said[-1].evidence, said[-1].picture)
            self._speaker.learn({one.user for one in said})
        if state is not self._state:
            self._state = state
            self._question.update(self._running)
        self._verdict.update(None if self._question.is_open else transcript.ended)

    @property
    def _running(self) -> Any:
        """The instruction that has not ended (InstructionStatus); None: there is none, as far as is known."""
        state = self._session.robot.transcript.state
        return next((status for status in state.instruction if not status.ended), None) if state is not None else None

    def _instruct(self) -> None:
        with self._taking:
            text, self._text.value = self._text.value.strip(), ""
        if not text:
            self._session.say("Instruction", "Say what the robot is to do.", failed=True)
            return
        if not self._give(text) and not self._text.value:
            self._text.value = text

    def _again(self, ended: Ended) -> None:
        self._give(ended.instruction, retry_of=ended.id)

    def _give(self, text: str, retry_of: str = "") -> bool:
        session, self._spoke = self._session, True

        def ended(result: Any) -> None:
            done = result.result.code == Result.SUCCESS
            title = "Done" if done else "Not done"
            if result.result.code == Result.NOT_FOUND and not (result.goals or result.skills):
                title = "Not known"
            session.say(title, calls_in_words(result.result.message) or text, failed=not done)
            if result.result.code in _NOT_BEGUN and not retry_of and not self._text.value:
                self._text.value = text

        return session.attempt(
            "Instruction",
            lambda: session.robot.instruct(
                text,
                user=session.user,
                ignore_memory=self._ignore_memory.value,
                dry_run=self._dry_run.value,
                urgent=self._urgent.value,
                retry_of=retry_of,
                on_result=ended,
            ),
        )

    def _control(self, which: str) -> None:
        if which == STOP:  # see _on_stop
            return
        if which == CANCEL:
            self._cancel()
            return
        session, heard = self._session, list[str]()
        do = session.robot.pause if which == PAUSE else session.robot.resume
        if session.attempt(which, lambda: heard.append(do()), often=which == PAUSE):
            session.say(which, heard[0])

    def _cancel(self) -> None:
        session, running, were = self._session, self._running, list[bool]()
        if running is None and (dropped := session.robot.drop()):
            session.say("Cancel", f"{len(dropped)} dropped that had not been given yet.")
        elif running is None:
            session.say("Cancel", "No instruction is being carried out.", failed=True)
        elif session.attempt("Cancel", lambda: were.append(session.robot.cancel(running.id)), often=True):
            told = "The robot stops at the next safe point." if were[0] else "It had ended already."
            session.say("Cancel", told)

    async def _on_stop(self, event: Any) -> None:
        """Stop, though all threads in which viser answers viewers wait for the graph."""
        if event.target.value == STOP:
            asyncio.get_running_loop().run_in_executor(None, self._stop)

    def _stop(self) -> None:
        session, many = self._session, list[int]()
        if session.attempt("Stop", lambda: many.append(session.robot.stop()), often=True):
            session.say("Stop", f"{many[0]} stopped." if many[0] else "There was nothing to stop.")
        else:  # also while an earlier one has no answer
            session.robot.drop()
