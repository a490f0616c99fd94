# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One viewer: what they look at, as whom, and at what time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

import viser

from karma.client import GraphError
from karma.view.known import Known
from karma.view.panels.export import ExportPanel
from karma.view.panels.short_term import ShortTermPanel
from karma.view.panels.talk import TalkPanel
from karma.view.recording import Recorder
from karma.view.robot import Robot

logger = logging.getLogger(__name__)


class Panel(Protocol):
    """A part of the page beside the 3D view."""

    def update(self, known: Known) -> None:
        """Show what is known, at whatever time the viewer looks at; called often, mostly with nothing new."""


class Session:
    """What one viewer sees, does and has chosen. Its panels are made once and updated as long as the viewer stays."""

    def __init__(self, client: viser.ClientHandle, robot: Robot, now: str, recorder: Recorder) -> None:
        """`now`: name of the drawing that all viewers share."""
        self.client = client
        self.robot = robot
        self.now = now
        self.user = ""
        """As whom the viewer speaks, and whose memories are shown; empty: nobody in particular."""
        self.at = 0.0
        """The time that the viewer looks at, seconds in the robot's clock; 0: now."""
        tabs = client.gui.add_tab_group()
        with tabs.add_tab("Talk"):
            talk = TalkPanel(self)
        with tabs.add_tab("Short-term"):
            short_term = ShortTermPanel(self)
        with tabs.add_tab("Export"):
            self._export = ExportPanel(self, recorder)
        self._panels: tuple[Panel, ...] = (talk, short_term, self._export)

    def update(self, known: Known) -> None:
        """Show what is known now. A panel that fails is logged and does the others no harm."""
        for panel in self._panels:
            try:
                panel.update(known)
            except Exception:
                logger.exception("%s could not be shown", type(panel).__name__)

    def say(self, title: str, text: str, *, failed: bool = False) -> None:
        """Tell the viewer something in a corner of the page, for a while."""
        self.client.add_notification(
            title, text, color="red" if failed else "green", auto_close_seconds=10.0 if failed else 5.0
        )

    def attempt(self, what: str, do: Callable[[], object]) -> bool:
        """Do something that the viewer asked for, and tell them where it can't be done; return whether it was."""
        try:
            do()
        except GraphError as error:
            self.say(what, str(error), failed=True)
            return False
        return True

    def close(self) -> None:
        """Give everything back: the viewer has gone."""
        self._export.close()
