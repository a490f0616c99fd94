# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the memories hold of people, and for everybody: to read, to correct and to forget."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karma_interfaces.msg import MemoryEvent
from karma_ros.client import GraphError
from karma_view.known import Known
from karma_view.panels.confirmation import close
from karma_view.panels.speaker import LONGEST_LABEL
from karma_view.ros.robot import Robot
from karma_view.text import distinct, fact, moment, render, seconds, short

if TYPE_CHECKING:
    from karma_view.session import Session

PAGE = 10
"""Records that are shown at once."""
FETCHED = 1000
MOST_FETCHED = 10_000
"""Records that are asked for at a time, and at most, to find those with the viewer's words."""
CHANGE_S = 1.0
"""Least seconds between two questions, when something changed."""
USUAL_S = 5.0
"""The same when nothing is known to have changed. viser doesn't tell which tab is open."""
USUAL_SHARE = 0.1
"""Of the time, at most, that is spent on questions that nothing gave rise to."""
MOST_LETTERS = 200
"""Of the viewer's words."""
LONG_S = 0.5
"""After so much time the viewer is told that an answer is waited for."""
SILENT_S = 2.0
"""After so much time without an answer the viewer is told that the memory doesn't."""
SOURCE_S = 1.0
"""How far what a record rests on may lie from the time since when it holds."""
SOURCES = 5000

NOBODY = "(nobody: what holds for everybody)"
KINDS: dict[str, tuple[str, ...]] = {
    "All but episodes and places": ("facts", "guideline", "preferences", "profile", "told"),
    "Profile": ("profile",),
    "Preferences": ("preferences",),
    "Facts": ("facts",),
    "What was told": ("told",),
    "Guidelines": ("guideline",),
    "Episodes": ("episodic",),
    "Places and things": ("long_term",),
    "Everything": ("episodic", "facts", "guideline", "long_term", "preferences", "profile", "told"),
}
TITLES = {kinds[0]: title for title, kinds in KINDS.items() if len(kinds) == 1}
HAPPENED = {
    MemoryEvent.OBSERVATION: "this was seen",
    MemoryEvent.SKILL_OUTCOME: "the robot did this",
    MemoryEvent.EPISODE_START: "this was asked for",
    MemoryEvent.EPISODE_END: "this was the end of what was asked for",
    MemoryEvent.TOLD: "this was told",
    MemoryEvent.FEEDBACK: "somebody judged what the robot did",
    MemoryEvent.EDIT: "this was corrected",
}
SOURCE, CORRECT, FORGET, CLOSE = "Where from", "Correct", "Forget", "Close"
HOW = {"episodic": "done", "long_term": "seen", "guideline": "learned"}
"""How what is recollected came to be known, by kind; the others were told."""
LONGEST_LINE = 200
"""Characters of a record in the list."""
FORGETS = (
    "The robot goes by it no more; the words stay in Events and in the past, for every viewer, until all of a "
    "person is erased (./karma memory forget --user NAME)."
)
"""What goes and what stays."""


@dataclass(frozen=True)
class Asked:
    """What the viewer wants to see."""

    user: str
    kinds: tuple[str, ...]
    words: tuple[str, ...]
    """In lower case; records have them all."""
    at: float
    """As it was known then, seconds; 0: now."""
    offset: int = 0


@dataclass(frozen=True)
class Found:
    """What the memory said."""

    asked: Asked
    records: tuple[Any, ...] = ()
    """karma_interfaces/Recollection, at most PAGE."""
    total: int = 0
    searched: int = 0
    """Records of which those with the words were taken, where that was not all; else 0."""
    users: tuple[str, ...] = ()
    trouble: str = ""


def find(robot: Robot, asked: Asked) -> Found:
    """Ask for a page. GraphError."""

    def browse(offset: int, limit: int) -> Any:
        return robot.browse(user=asked.user, kinds=asked.kinds, at=asked.at, offset=offset, limit=limit)

    if not asked.words:
        response = browse(asked.offset, PAGE)
        return Found(asked, tuple(response.recollections), response.total, 0, tuple(response.users))
    matching: list[Any] = []
    looked_at = 0
    while True:
        response = browse(looked_at, FETCHED)
        looked_at += len(response.recollections)
        matching += [record for record in response.recollections if _has(record, asked.words)]
        if not response.recollections or looked_at >= min(response.total, MOST_FETCHED):
            break
    page = tuple(matching[asked.offset : asked.offset + PAGE])
    searched = looked_at if looked_at < response.total else 0
    return Found(asked, page, len(matching), searched, tuple(response.users))


def source_of(robot: Robot, record: Any) -> Any:
    """Return the event that a record rests on (karma_interfaces/MemoryEvent); None where it is not found. GraphError.

    That is mostly one of the time since when the record holds, or else a later one.
    """
    since = seconds(record.valid_from)
    for until in (since + SOURCE_S, 0.0):
        response = robot.events(since=max(0.0, since - SOURCE_S), until=until, limit=SOURCES)
        for event in response.events:
            if event.id == record.source:
                return event
    return None


class PeoplePanel:
    """A list by kind, page by page. Questions are asked beside the drawing, one at a time for each viewer."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._users: dict[str, str] = {NOBODY: ""}
        """Names as they can be chosen, and the users that they mean."""
        self._chosen: str | None = None
        """None: whoever the viewer says that they are."""
        self._followed = ""
        """Who the viewer said last that they are."""
        self._asked = Asked("", KINDS["Everything"], (), 0.0)
        self._asking: threading.Thread | None = None
        self._answer: list[Found] = []
        self._found: Found | None = None
        self._events: Any = None
        """What came of the last change that was noticed."""
        self._changed = True
        """What is shown is not yet what the viewer wants to see."""
        self._redraw = False
        self._waits = ""
        """What the viewer is told of an answer that is waited for."""
        self._offset = 0
        self._began = self._ended = 0.0
        gui = session.client.gui
        self._who: Any = gui.add_dropdown(
            "Whose", tuple(self._users), hint="Whose memories are shown, beside everybody's"
        )
        self._who.on_update(self._on_who)
        self._kind = gui.add_dropdown("Show", tuple(KINDS))
        self._words = gui.add_text("With words", "", hint="Only what has all of these words")
        self._state = gui.add_html("")
        self._turn = gui.add_button_group("Page", ("Back", "Next"), visible=False)
        self._turn.on_click(lambda event: self._on_turn(event.target.value))
        self._lines = [_Line(session, self._open) for _ in range(PAGE)]

    def update(self, known: Known) -> None:
        """Show what was found, and ask anew when something changed, or after a while."""
        now = time.monotonic()
        if self._asking is not None and not self._asking.is_alive():
            self._asking, self._ended = None, now
            if self._answer:
                self._take(self._answer.pop())
        self._follow_user()
        instruction = known.planner.instruction[0] if known.planner is not None and known.planner.instruction else None
        events = (instruction.id, instruction.ended) if instruction else None, known.short_term
        if events != self._events and not self._session.at:
            self._changed = True
        self._events = events
        asked = Asked(
            self._users.get(self._who.value, ""),
            KINDS.get(self._kind.value, KINDS["Everything"]),
            tuple(self._words.value[:MOST_LETTERS].casefold().split()),
            self._session.at,
            self._offset,
        )
        if replace(asked, offset=0) != replace(self._asked, offset=0):
            self._offset = 0
            asked = replace(asked, offset=0)
        if asked != self._asked:
            self._asked, self._changed = asked, True
        if self._asking is None and self._is_due(now):
            self._ask(now)
        waits = self._waiting(now)
        if self._redraw or waits != self._waits:
            self._redraw, self._waits = False, waits
            self._show()

    def _waiting(self, now: float) -> str:
        waited = now - self._began if self._asking is not None else 0.0
        if waited > SILENT_S:
            return "The memory does not answer yet."
        new = self._found is None or self._found.asked != self._asked
        return "The memory is asked …" if new and waited > LONG_S else ""

    def _is_due(self, now: float) -> bool:
        spent = self._ended - self._began
        if self._changed:
            return now >= self._ended + max(CHANGE_S, spent) or not self._began
        # The past doesn't change.
        return not self._session.at and now >= self._ended + max(USUAL_S, spent / USUAL_SHARE)

    def _ask(self, now: float) -> None:
        self._changed, self._began = False, now
        robot, asked = self._session.robot, self._asked

        def ask() -> None:
            try:
                found = find(robot, asked)
            except GraphError as error:
                found = Found(asked, trouble=str(error))
            self._answer.append(found)

        self._asking = threading.Thread(target=ask, name="view_people", daemon=True)
        self._asking.start()

    def _take(self, found: Found) -> None:
        """Show an answer, unless the viewer wants to see something else by now."""
        if found.asked != self._asked:
            return
        if not found.trouble and not found.records and found.total:  # the last of this page was forgotten
            self._offset = (found.total - 1) // PAGE * PAGE
            return
        if found.trouble and self._found is not None and self._found.asked == found.asked:
            found = replace(self._found, trouble=found.trouble)  # what was seen stays to be read
        self._found = found
        if not found.trouble:
            self._name_users(found.users)
        self._redraw = True

    def _show(self) -> None:
        found = self._found
        self._state.content = render("people_state", found=found, waits=self._waits)
        if found is None:
            return
        self._turn.visible = found.total > PAGE
        kind = ""
        for number, line in enumerate(self._lines):
            record = found.records[number] if number < len(found.records) else None
            line.show(record, titled=record is not None and record.kind != kind)
            kind = record.kind if record is not None else kind

    # Whose

    def _name_users(self, users: tuple[str, ...]) -> None:
        labels = {user: label for label, user in self._users.items()}  # that are shown stay
        offered = dict.fromkeys(("", *users, self._session.user, self._chosen or ""))
        for user in offered:
            if user not in labels:
                labels[user] = distinct(user, LONGEST_LABEL, labels.values())
        self._users = wanted = {labels[user]: user for user in offered}
        if self._who.options != tuple(wanted):
            self._who.options = tuple(wanted)

    def _follow_user(self) -> None:
        """Show the viewer's own, until they choose somebody."""
        own = self._session.user
        # Not by what the list shows: a choice is there before this panel is told of it.
        if own == self._followed or self._chosen is not None:
            return
        self._followed = own
        if own not in self._users.values():
            self._name_users(tuple(self._users.values()))
        self._who.value = next(label for label, user in self._users.items() if user == own)

    def _on_who(self, event: Any) -> None:
        if event.client is not None:  # a person did it
            self._chosen = self._users.get(self._who.value, "")

    def _on_turn(self, where: str) -> None:
        total = self._found.total if self._found is not None else 0
        offset = self._offset + (PAGE if where == "Next" else -PAGE)
        if 0 <= offset < total:
            self._offset = offset

    # What can be done with a record

    def _open(self, record: Any) -> None:
        """Show all of a record, with the event that it rests on, and let it be corrected or forgotten."""
        session, source = self._session, list[Any]()
        session.attempt(SOURCE, lambda: source.append(source_of(session.robot, record)), often=True)
        gui = session.client.gui
        modal = gui.add_modal(TITLES.get(record.kind, record.kind))
        with modal:
            gui.add_html(render("record", record=record, source=next(iter(source), None), happened=HAPPENED))
            if not session.at:  # what was known in the past can't be changed
                text: Any = gui.add_text("It should say", record.text, multiline=True)
                save, forget = gui.add_button(CORRECT), gui.add_button(FORGET, color="red")
                gui.add_html(render("line", text=FORGETS))
            leave = gui.add_button(CLOSE, color="gray")

        def change(what: str, do: Callable[[], object]) -> None:
            if not modal.closed and session.attempt(what, do):
                self._changed = True
                close(modal)
            # else the viewer was told why, and may say it in another way

        leave.on_click(lambda _: close(modal))
        if not session.at:
            robot, user = session.robot, session.user
            save.on_click(lambda _: change(CORRECT, lambda: robot.edit(record.id, text.value, user=user)))
            forget.on_click(lambda _: change(FORGET, lambda: robot.forget(record.id, user=user)))


class _Line:
    """One place of the list, below a title where a kind begins; which record is there changes."""

    def __init__(self, session: Session, open_: Callable[[Any], None]) -> None:
        gui = session.client.gui
        self.record: Any = None
        self._title = gui.add_html("", visible=False)
        self._button: Any = gui.add_button("", color="gray", hint="Where from; correct or forget it", visible=False)
        self._button.on_click(lambda _: open_(self.record) if self.record is not None else None)

    def show(self, record: Any, *, titled: bool) -> None:
        """Show a record; None: nothing."""
        self.record = record
        if record is not None:
            self._title.content = render("kind", title=TITLES.get(record.kind, record.kind))
            self._button.label = line_of(record)
        self._title.visible, self._button.visible = titled, record is not None


def line_of(record: Any) -> str:
    """Return what a record (karma_interfaces/Recollection) says, how it came to be known and when, as one line."""
    said = record.name if record.kind == "facts" and record.name else fact(record)
    return f"{short(said, LONGEST_LINE)} · {HOW.get(record.kind, 'told')} {moment(record.valid_from)}".strip()


def _has(record: Any, words: tuple[str, ...]) -> bool:
    said = "\n".join((record.kind, record.text, record.name, record.told, *record.objects, *record.why)).casefold()
    return all(word in said for word in words)
