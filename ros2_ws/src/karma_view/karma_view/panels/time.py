# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Looking back: a slider over the journal's events, steps, playing, the events, and what is different now."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from karma_ros.client import GraphError
from karma_view.known import Known
from karma_view.panels.events import EventList
from karma_view.panels.latest import Latest
from karma_view.ros.history import KINDS, Happened, History, Span, words
from karma_view.scene.compare import COLORS, MOST_DRAWN, Difference
from karma_view.scene.viewer_scene import ViewerScene
from karma_view.text import render

if TYPE_CHECKING:
    from karma_view.session import Session

REFRESH_S = 2.0
"""Between two questions for what has been added to the journal, while somebody looks back."""
BACK, ON, PLAY, PAUSE, NOW = STEPS = ("« event", "event »", "Play", "Pause", "Now")
SPEEDS = {"1 event a second": 1.0, "2 events a second": 2.0, "5 events a second": 5.0, "as fast as it goes": 1000.0}
LATE_S = 60.0
"""How much earlier an event may have happened than the one before it in the journal: what is seen is told later."""
USED_PX, UNUSED_PX = 270, 100
"""Heights of the panel: it covers little of the home for those who don't look back."""
WIDE_PX, NARROW_PX = 520, 340
"""Its widths: one that leaves room for the other panels at the side on a small screen."""
MOST_TOLD = 200
"""Differences that are told in words."""
TIME, SPAN = "the time", "the span of the journal"
"""What is asked for, for Latest."""


class TimePanel:
    """Moves one viewer through time. The memory is asked while they look back, and never two questions at a time.

    The slider goes by events, not by hours: a home where nothing happens has nothing to show. Its end is now. A time
    that can't be shown leaves what is shown as it is.
    """

    def __init__(self, session: Session, *, folded: bool = False) -> None:
        """`folded`: narrow, and folded at first, as on a small screen."""
        self._session = session
        self._history = History(session.robot)
        self._latest = Latest()
        self._scene = ViewerScene(
            session.client.scene, session.now, session.covers, on_pick=lambda _, name: session.choose(name)
        )
        self._lock = threading.Lock()
        """Held while the viewer's time, what they want and what they see change together."""
        self._wish = 0
        """Grows with each time that the viewer wants to see: what was wanted before is not shown any more."""
        self._find: Callable[[], Happened | None] | None = None
        """Finds the event whose time is wanted, where that has not begun; None: what is aimed at."""
        self._steps_wanted = 0
        """Events to go on from there, or back."""
        self._aim: Happened | None = None
        """The event that is looked up or shown; None: now."""
        self._shown: Happened | None = None
        self._looks_up = False
        """Whether what is wanted is still being looked up."""
        self._span: Span | None = None
        self._answered: bool | None = None
        """Whether the memory answered when it was last asked for the span; None: it was not asked."""
        self._playing = False
        self._next_step = self._next_refresh = 0.0
        """Seconds, monotonic."""
        self._told: tuple[Any, ...] = ()
        self._listed: tuple[Difference, ...] | None = None
        self._numbered: dict[str, Difference] = {}
        """By what is written in the list, the differences that one can fly to."""
        gui = session.client.gui
        self._panel = panel = gui.add_panel()
        with panel.add_tab("Time"):
            self._looking: Any = gui.add_checkbox("Look back", False, hint="Show what was known at a time")
            self._slider: Any = gui.add_slider("Event", 1, 2, 1, 2, hint="Goes by events, not by hours")
            self._text = gui.add_html("")
            self._steps = gui.add_button_group("Go", STEPS)
            self._speed = gui.add_dropdown("Play", tuple(SPEEDS))
            self._compare = gui.add_checkbox("Compare", False, hint="Show what is different now")
        with panel.add_tab("Events"):
            self._events = EventList(gui, self._history, self._latest, self._go_to, self._wake, self._guarded)
        with panel.add_tab("Differences"):
            self._fly: Any = gui.add_dropdown("Fly to", ("",), visible=False)
            self._differences = gui.add_html(render("differences", found=None))
        panel.float(x=15, y=-15, width=NARROW_PX if folded else WIDE_PX)
        if folded:
            panel.minimize()
        self._used = (self._slider, self._steps, self._speed, self._compare)
        panel.set_height(UNUSED_PX)
        self._show_used()
        self._looking.on_update(lambda _: self._look_back(self._looking.value))
        self._slider.on_update(lambda event: self._slide(int(self._slider.value)) if event.client is not None else None)
        self._fly.on_update(lambda _: self._fly_to(self._fly.value))
        self._steps.on_click(lambda event: self._press(event.target.value))

    @property
    def compares(self) -> bool:
        """Whether the home of now is drawn for who looks at another time, with what is different."""
        return self._session.then is not None and bool(self._compare.value)

    def update(self, known: Known) -> None:
        """Draw the viewer's time; `known`: now."""
        then = self._session.then
        compares = self.compares
        self._scene.update(known.graph, None if then is None else then.graph, compare=compares)
        found = self._scene.differences if compares else None
        if found is not self._listed:
            self._listed = found
            self._session.labels.changes = (found or ())[:MOST_DRAWN]
            counts = Counter(difference.change.value for difference in found or ())
            self._differences.content = render(
                "differences",
                found=found,
                counts=[f"{n} {what}" for what, n in counts.items()],
                colors=COLORS,
                most=MOST_TOLD,
            )
            self._numbered = {f"{n}. {one.words}": one for n, one in enumerate((found or ())[:MOST_TOLD], 1)}
            self._fly.options = ("", *self._numbered)
            self._fly.visible = bool(found)
        if not self._looking.value:
            return
        moment = time.monotonic()
        if moment >= self._next_refresh and not self._latest.busy(SPAN):
            self._next_refresh = moment + REFRESH_S
            self._latest.ask(SPAN, lambda: self._guarded(self._refresh))
        if self._playing and moment >= self._next_step and not self._latest.busy(TIME):
            self._next_step = moment + 1.0 / SPEEDS[self._speed.value]
            self._step(1)
        self._tell()

    def look_at(self, at: float) -> None:
        """Go to what was known at a time, seconds."""
        self._playing = False
        self._wake()

        def find() -> Happened | None:
            happened = self._history.until(at)
            if happened is not None:
                self._slider.value = happened.position
            return happened

        self._want(find)

    def close(self) -> None:
        """Ask nothing any more: the viewer has gone."""
        self._latest.close()
        with self._lock:
            self._wish += 1
            self._playing = False

    # What the viewer does

    def _look_back(self, looking: bool) -> None:
        self._panel.set_height(USED_PX if looking else UNUSED_PX)
        self._show_used()
        self._next_refresh = 0.0
        if not looking:
            self._go_to_now()

    def _press(self, which: str) -> None:
        if which == NOW:
            self._go_to_now()
        elif which in (BACK, ON):
            self._playing = False
            self._step(1 if which == ON else -1)
        else:
            self._playing = which == PLAY
            self._next_step = time.monotonic() + 1.0 / SPEEDS[self._speed.value]
            if self._playing and self._aim is None and self._span is not None:
                self._slider.value = first = self._span.first
                self._want(lambda: self._history.at(first))

    def _slide(self, position: int) -> None:
        self._playing = False
        span = self._span
        if span is not None and position >= span.last:
            self._go_to_now()
        else:
            self._want(lambda: self._history.at(position))

    def _go_to(self, happened: Happened) -> None:
        self._playing = False
        self._wake()
        self._slider.value = happened.position
        self._want(lambda: happened)

    def _fly_to(self, words: str) -> None:
        if (difference := self._numbered.get(words)) is not None:
            self._session.fly_to(difference.node)

    def _wake(self) -> None:
        if not self._looking.value:
            self._looking.value = True  # as if the viewer had said so

    def _go_to_now(self) -> None:
        with self._lock:
            self._wish += 1
            self._leave()
        self._put_slider()

    def _leave(self) -> None:
        """Be back in the present; the lock is held."""
        self._playing = False
        self._find, self._steps_wanted = None, 0
        self._aim = self._shown = self._session.then = None
        self._looks_up = False

    def _want(self, find: Callable[[], Happened | None]) -> None:
        """Show the time of the event that `find` finds, now where it finds none."""
        with self._lock:
            self._wish += 1
            self._find, self._steps_wanted = find, 0
            self._looks_up = True
        self._latest.ask(TIME, lambda: self._guarded(self._show))

    def _step(self, by: int) -> None:
        """Go on by some events, or back, from what is wanted."""
        with self._lock:
            self._wish += 1
            self._steps_wanted += by
            self._looks_up = True
        self._latest.ask(TIME, lambda: self._guarded(self._show))

    # What is done for it, in a thread of its own

    def _show(self) -> None:
        with self._lock:
            wish, find, steps = self._wish, self._find, self._steps_wanted
            if find is None and not steps:
                return  # back in the present already
            self._find, self._steps_wanted = None, 0
        try:
            begin = happened = find() if find is not None else self._aim
            if steps:
                happened = self._stepped(begin, steps)
            with self._lock:
                if wish != self._wish:
                    if self._steps_wanted and self._find is None:
                        self._find = lambda: happened  # further steps count from there
                    return
                if happened is None:
                    self._leave()
                self._aim = happened
            if happened is None:
                self._put_slider()
                return
            at = happened.stamp
            if steps:
                self._slider.value = happened.position
                if steps > 0 and begin is self._shown and at < self._session.at <= at + LATE_S:
                    at = self._session.at
            then = self._history.known(at, lambda: wish != self._wish)
        except Exception as error:
            with self._lock:
                if wanted := wish == self._wish:
                    self._aim = self._shown
                    self._looks_up = self._playing = False
            if wanted:
                self._put_slider()
            elif isinstance(error, GraphError):
                return  # nobody wants to know any more
            raise
        with self._lock:
            if then is None or wish != self._wish:
                return
            self._shown, self._session.then = happened, then
            self._looks_up = False
        self._events.mark(happened.position)

    def _stepped(self, begin: Happened | None, by: int) -> Happened | None:
        span = self._span
        if span is None or (begin is None and by > 0):
            return None
        position = begin.position if begin is not None else span.last + 1
        if by > 0:
            rows = self._history.after(position, by).rows
            return rows[by - 1] if len(rows) >= by else None
        rows = self._history.before(position, -by, first=span.first).rows
        return rows[0] if rows else begin

    def _refresh(self) -> None:
        try:
            span = self._history.span(self._span)
        except Exception:
            if self._answered is not False:  # once is enough
                self._answered = False
                raise
            return
        self._answered = True
        if span is None:
            return
        self._span = span
        self._slider.min, self._slider.max = span.first, max(span.last, span.first + 1)
        if self._aim is None and not self._latest.busy(TIME):
            self._put_slider()
        self._show_used()
        self._events.grow(span)

    def _guarded(self, do: Callable[[], object]) -> None:
        self._session.attempt("Looking back", do, often=True)

    # What is shown of it

    def _put_slider(self) -> None:
        shown, span = self._shown, self._span
        if shown is not None:
            self._slider.value = shown.position
        elif span is not None:
            self._slider.value = span.last
        self._events.mark(None if shown is None else shown.position)

    def _tell(self) -> None:
        told = (self._aim, self._span, self._looks_up, self._answered, self.compares)
        if told == self._told:
            return
        self._told = told
        event, span, looking, answered, compares = told
        self._text.content = render(
            "time",
            event=event,
            span=span,
            looking=looking,
            answered=answered,
            compares=compares,
            kind=KINDS.get(event.event.kind, "") if event is not None else "",
            text=words(event.event) if event is not None else "",
        )

    def _show_used(self) -> None:
        """Show what one looks back with to those who do, once the slider says from where to where."""
        with self._lock:
            self._text.visible = looking = self._looking.value
            for handle in self._used:
                handle.visible = looking and self._span is not None
