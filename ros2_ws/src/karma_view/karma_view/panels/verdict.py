# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a viewer thinks of the instruction that ended last: right, wrong, in words, or otherwise again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from karma_interfaces.srv import Feedback
from karma_view.ros.transcript import Ended
from karma_view.text import render

if TYPE_CHECKING:
    from karma_view.session import Session

RIGHT, WRONG, AGAIN = "Right", "Wrong", "Again, otherwise"
_VERDICTS = {RIGHT: Feedback.Request.RIGHT, WRONG: Feedback.Request.WRONG}


class VerdictBox:
    """Is there when an instruction has ended."""

    def __init__(self, session: Session, again: Callable[[Ended], None]) -> None:
        """`again`: has it done otherwise."""
        self._session = session
        self._again = again
        self._about: Ended | None = None
        gui = session.client.gui
        self._folder = gui.add_folder("How was that?", visible=False)
        with self._folder:
            self._heading = gui.add_html("")
            buttons = gui.add_button_group("That was", (RIGHT, WRONG, AGAIN))
            buttons.on_click(lambda event: self._press(event.target.value))
            with gui.add_form(None) as form:
                self._words: Any = gui.add_text(
                    "In words", "", hint="What should have been; it goes with the button, or alone with Enter"
                )
            form.on_submit(lambda _: self._judge(Feedback.Request.UNSAID))

    def update(self, ended: Ended | None) -> None:
        """Show what can be judged; None: nothing now. Words that are being written stay, with what they are about."""
        if self._folder.visible != (ended is not None):
            self._folder.visible = ended is not None
        if ended is None or ended == self._about or (self._about is not None and self._words.value.strip()):
            return
        self._about = ended
        self._heading.content = render("verdict", ended=ended)

    def _press(self, which: str) -> None:
        if which == AGAIN:
            self._do_again()
        else:
            self._judge(_VERDICTS[which])

    def _judge(self, verdict: int) -> None:
        session, about, text = self._session, self._about, self._words.value.strip()
        if about is None:
            return
        if not text and verdict == Feedback.Request.UNSAID:
            session.say("Feedback", f"Say something, or press “{RIGHT}” or “{WRONG}”.", failed=True)
            return
        if about.user and about.user != session.user:
            session.say("Feedback", f"Only {about.user}, who gave it, can judge it.", failed=True)
            return
        heard: list[str] = []

        def tell() -> None:
            heard.append(session.robot.feedback(about.id, text, verdict=verdict, user=session.user))

        if session.attempt("Feedback", tell):
            self._words.value = ""
            session.say("Feedback", heard[0] or "The robot has heard it.")

    def _do_again(self) -> None:
        about = self._about
        if about is None:
            return
        if about.user != self._session.user:
            who = f"{about.user}, who gave it" if about.user else "nobody in particular, as it was given"
            self._session.say("Again", f"Only {who}, can have it done otherwise.", failed=True)
            return
        self._again(about)
