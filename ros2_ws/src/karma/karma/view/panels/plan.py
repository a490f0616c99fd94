# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The instruction that is carried out: what was understood, what it rests on, what was done and what is to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karma.view.known import Known
from karma.view.text import render

if TYPE_CHECKING:
    from karma.view.session import Session

PARTS = ("understood", "result", "step", "done", "ahead", "recalled", "waiting")
"""Of the panel, from top to bottom, each with a template of its own: one that is as before is not sent again."""
STAGES = ("understand", "ground", "plan", "check", "act", "learn")
"""Names of the values of InstructionStatus.stage."""
MOST = 40
"""Of skills, recollections and so on that are shown."""


class PlanPanel:
    """The instruction that runs, or the last one; at another time, the one of then."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: Any = ()
        self._parts = {part: session.client.gui.add_html("") for part in PARTS}

    def update(self, known: Known) -> None:
        """Show the planner's state."""
        state = known.planner
        at = known.stamp if self._session.at else 0.0
        if self._shown and self._shown[0] is state and self._shown[1] == at:
            return
        self._shown = (state, at)
        status = state.instruction[0] if state is not None and state.instruction else None
        for part, shown in self._parts.items():
            shown.content = render(f"plan_{part}", state=state, status=status, at=at, stages=STAGES, most=MOST)
