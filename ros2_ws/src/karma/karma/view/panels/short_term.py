# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Short-term memory: its segments, how often each unit was used, and what had to go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karma.view.known import Known
from karma.view.text import render

if TYPE_CHECKING:
    from karma.view.session import Session


class ShortTermPanel:
    """A table of the units, by segment."""

    def __init__(self, session: Session) -> None:
        self._shown: Any = ()
        self._table = session.client.gui.add_html("")

    def update(self, known: Known) -> None:
        """Show the units as they are."""
        if known.short_term is self._shown:
            return
        self._shown = known.short_term
        self._table.content = render("short_term", memory=known.short_term)
