# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who speaks: one of those whom the memory knows, or somebody new."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from karma_ros.client import GraphError
from karma_view.text import distinct

if TYPE_CHECKING:
    from karma_view.session import Session

logger = logging.getLogger(__name__)

NOBODY, ANOTHER = "nobody in particular", "somebody else …"
LONGEST_NAME = 256
"""Characters; a longer one is no name to the memory."""
LONGEST_LABEL = 40
"""Characters of a name that are shown."""
_MOST = 500
"""Names that can be chosen."""
_AGAIN_S = 30.0
"""Between two questions to a memory that doesn't answer."""


class Speaker:
    """A list of names to choose from, and a field for a new one. Sets the session's user."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._names: dict[str, str] = {}
        """By what is shown of it, a name."""
        self._changing = threading.Lock()
        self._ask_at = 0.0
        gui = session.client.gui
        self._chosen: Any = gui.add_dropdown(
            "I am", (NOBODY, ANOTHER), hint="The robot remembers by name whom it talks to."
        )
        self._chosen.on_update(lambda _: self._choose())
        with gui.add_form(None, visible=False) as self._form:
            self._name: Any = gui.add_text("My name", "", hint="Enter: that is me")
        self._form.on_submit(lambda _: self._introduce())

    def update(self) -> None:
        """Ask the memory whom it knows, until it has answered once."""
        if time.monotonic() >= self._ask_at:
            self._ask_at = float("inf")
            threading.Thread(target=self._ask, name="view_users", daemon=True).start()

    def learn(self, names: Iterable[str]) -> None:
        """Let these be chosen, too."""
        with self._changing:
            new = sorted({name for name in names if is_name(name)} - set(self._names.values()))
            for name in new[: _MOST - len(self._names)]:
                self._names[distinct(name, LONGEST_LABEL, (NOBODY, ANOTHER, *self._names))] = name
            if new:
                self._chosen.options = (NOBODY, *sorted(self._names, key=str.casefold), ANOTHER)

    def _choose(self) -> None:
        self._session.user = self._names.get(self._chosen.value, "")
        self._form.visible = self._chosen.value == ANOTHER

    def _introduce(self) -> None:
        name = self._name.value.strip()
        if not is_name(name):
            self._session.say("My name", f"A name is 1 to {LONGEST_NAME} letters on one line.", failed=True)
            return
        self.learn((name,))
        shown = next((label for label, known in self._names.items() if known == name), None)
        if shown is None:
            self._session.say("My name", f"There are {_MOST} names already.", failed=True)
            return
        self._name.value = ""
        self._chosen.value = shown

    def _ask(self) -> None:
        try:
            self.learn(self._session.robot.browse(limit=1).users)
        except GraphError as error:
            logger.info("whom the memory knows is not known: %s", error)
            self._ask_at = time.monotonic() + _AGAIN_S


def is_name(text: str) -> bool:
    """Whether the memory would take it as the name of a user."""
    return bool(text.strip()) and len(text) <= LONGEST_NAME and text.isprintable()
