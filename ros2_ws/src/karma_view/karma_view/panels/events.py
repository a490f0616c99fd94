# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What happened, a few events at a time: by kind and by words; a click goes to the time of one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from karma_view.panels.latest import Latest
from karma_view.ros.history import KINDS, Happened, History, Page, Span, words
from karma_view.text import day, render, short

if TYPE_CHECKING:
    import viser

ROWS = 10
LONGEST = 110
"""Characters of a row."""
ALL = "all"
OLDEST, EARLIER, LATER, NEWEST = TURNS = ("Oldest", "Earlier", "Later", "Newest")
LIST = "the list of events"
"""What is asked for, for Latest."""


class EventList:
    """A page of events, a button each, and what turns and filters it. It is asked for when somebody wants it."""

    def __init__(
        self,
        gui: viser.GuiApi,
        history: History,
        latest: Latest,
        go: Callable[[Happened], None],
        wake: Callable[[], None],
        guard: Callable[[Callable[[], object]], None],
    ) -> None:
        """`go` to the time of an event; `wake` what calls `grow`; `guard` runs what may raise GraphError."""
        self._history = history
        self._latest = latest
        self._wake = wake
        self._guard = guard
        self._marked: int | None = None
        self._span: Span | None = None
        self._page = Page()
        self._turned = NEWEST
        self._kind = gui.add_dropdown("Kind", (ALL, *KINDS.values()))
        self._words = gui.add_text("Words", "", hint="Only events with these words in their text, or of this user")
        self._turn = gui.add_button_group("Page", TURNS)
        self._said = gui.add_html("")
        self._rows = [gui.add_button("", visible=False, color="gray") for _ in range(ROWS)]
        self._kind.on_update(lambda _: self.turn(NEWEST))
        self._words.on_update(lambda _: self.turn(NEWEST))
        self._turn.on_click(lambda event: self.turn(event.target.value))
        for number, row in enumerate(self._rows):
            row.on_click(partial(self._pick, number, go))

    def grow(self, span: Span) -> None:
        """Take note of how far the journal goes; what is new is shown where the newest page is looked at."""
        grown = span != self._span
        self._span = span
        if grown and self._turned == NEWEST:
            self.turn(NEWEST)

    def turn(self, which: str) -> None:
        """Show another page, one of TURNS."""
        if self._span is None:
            self._wake()
        else:
            self._latest.ask(LIST, lambda: self._guard(lambda: self._show(which)))

    def mark(self, position: int | None) -> None:
        """Show which event is looked at."""
        self._marked = position
        for row, happened in zip(self._rows, self._page.rows, strict=False):
            row.color = "blue" if happened.position == position else "gray"

    def _show(self, which: str) -> None:
        span = self._span
        assert span is not None
        if which == EARLIER:
            page = self._history.before(self._page.start, ROWS, self._wanted(), first=span.first)
        elif which == LATER:
            page = self._history.after(self._page.end, ROWS, self._wanted())
        elif which == OLDEST:
            page = self._history.after(span.first - 1, ROWS, self._wanted())
        else:
            page = self._history.before(span.last + 1, ROWS, self._wanted(), first=span.first)
        if page.rows:
            said = ""
        elif which == EARLIER and page.start > span.first:
            said = "None so far among those before; Earlier looks on."
        elif which == LATER and page.end < span.last:
            said = "None so far among those after; Later looks on."
        elif which in (EARLIER, LATER):
            self._said.content = render("line", text="There are no more.")
            return
        else:
            said = "None of the newest; Earlier looks on." if page.start > span.first else "There are none."
        self._said.content = render("line", text=said)
        self._turned = which
        self._page = page
        for number, row in enumerate(self._rows):
            row.visible = number < len(page.rows)
            if row.visible:
                row.label = line(page.rows[number])
        self.mark(self._marked)

    def _wanted(self) -> Callable[[Any], bool]:
        kind, sought = self._kind.value, self._words.value.casefold().split()

        def wanted(event: Any) -> bool:
            if kind not in (ALL, KINDS.get(event.kind)):
                return False
            text = f"{words(event)} {event.user}".casefold()
            return all(word in text for word in sought)

        return wanted

    def _pick(self, number: int, go: Callable[[Happened], None], _: object) -> None:
        rows = self._page.rows
        if number < len(rows):
            go(rows[number])


def line(happened: Happened) -> str:
    """Return an event as one line: time, kind, who, text."""
    event = happened.event
    parts = (day(event.stamp), KINDS.get(event.kind, ""), event.user, words(event))
    return short(" · ".join(part for part in parts if part), LONGEST)
