# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people say is read before it is journaled, or beside the work of the memory, and its reading is journaled too.

Nothing that is made of the journal reads English: it takes readings (events of kind READING). New words are read by
rules, in the call that remembers them. A thread reads those that are there without a reading: of journals that an older
version wrote, of other servers.
"""

from __future__ import annotations

import logging
import threading
import traceback
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from karma_language.reading import Reading, Telling
from karma_memory.events import Event, EventKind
from karma_memory.journal import JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.scene import InvalidEventError
from karma_memory.state.live import LiveState
from karma_memory.state.state import WORDS, MemoryState, reading_of
from karma_memory.told.statements import KIND

logger = logging.getLogger(__name__)

READER = "rules"
BATCH = 64
"""Words that are read and committed together: whoever remembers waits no longer."""
REST = 10.0
"""Seconds after which it is tried again where the journal took nothing."""


class Hearing:
    """Reads what people say. Thread-safe."""

    def __init__(self, live: LiveState) -> None:
        self._live = live
        self._closed = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._unreadable: set[str] = set()
        """Ids of words that were forgotten since, or that take no reading."""

    def framed(self, events: Sequence[Event]) -> list[Event]:
        """Return the events, readings of others with the user, the place and the time of the words that they read.

        InvalidEventError for a reading of words that nobody said, for one with words that they don't have, and for what
        is no reading.
        """
        if not any(event.kind is EventKind.READING for event in events):
            return list(events)
        said = {event.id: event for event in events if event.kind in WORDS}
        return [self._framed(event, said) if event.kind is EventKind.READING else event for event in events]

    def heard(self, events: Sequence[Event], known: Collection[str] = ()) -> list[Event]:
        """Return the events with a reading after each that has words of a user, unless it is among them.

        Of what nobody in particular tells, a reading where that says whose a thing is.
        `known`: ids of those that are in the journal already.
        """
        done = {*known, *(event.target for event in events if event.kind is EventKind.READING)}
        with self._live.lock:
            said = {event.id: words for event in events if (words := self._words(event)) and words.id not in done}
            asked = [event for event in events if event.kind is EventKind.EPISODE_START]
            before = {words.id: asked_before(words, asked, self._live.state) for words in said.values()}
        found: list[Event] = []
        for event in events:
            found.append(event)
            if (words := said.pop(event.id, None)) is None:
                continue
            reading = read(words, before[words.id])
            if words.user or any(one.kind is Telling.OWNER for one in reading.told):
                found.append(reading_event(words, reading))
        return found

    def corrections(self, events: Sequence[Event], known: Collection[str] = ()) -> list[Event]:
        """Return the edits by which what users tell takes the place of what they told before, each with its reading.

        What was told keeps its sentence, with the value that it has now; the words that corrected it are closed, too.
        `known`: ids of events that are in the journal already.
        """
        found: list[Event] = []
        for event in events:
            if event.kind is not EventKind.TOLD or not event.user or event.id in known:
                continue
            from karma_language.requests.prohibitions import lifted  # what reads English, 0.1 s: with the first words
            from karma_language.requests.telling import says_whose
            from karma_language.told.corrections import corrected, withdrawn

            with self._live.lock:
                before = self._live.state.told.of(event.user)
            texts = [statement.text for statement in before]
            gone = withdrawn(texts, event.text)
            if gone is None:
                gone = lifted(texts, event.text)
            if gone is not None:
                found += [_edit(event, before[gone].id), _edit(event, event.id)]
            elif (right := corrected(texts, event.text)) is not None and not says_whose(event.text):
                index, text = right
                edit = _edit(event, before[index].id, text)
                found += [edit, reading_event(edit, read(edit, "")), _edit(event, event.id)]
        return found

    def wake(self) -> None:
        """Read what is there without a reading, beside the work of the caller."""
        with self._live.lock:
            waits = not self._live.state.unread.keys() <= self._unreadable
        if not waits or self._closed.is_set():
            return
        self._wake.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="hearing", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Read nothing any more."""
        self._closed.set()
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _framed(self, event: Event, said: dict[str, Event]) -> Event:
        with self._live.lock:
            words = said.get(event.target) or self._live.state.words(event.target, event.episode)
        if words is None or not words.user:
            raise InvalidEventError(f"the reading {event.id!r} is of words that no user said: {event.target!r}")
        if event.user != words.user and (event.user or event.target not in said):
            raise InvalidEventError(f"the reading {event.id!r} is of another user's words: {words.id!r}")
        reading = reading_of(event)
        if reading is None:
            raise InvalidEventError(f"the text of event {event.id!r} is no reading; see karma_language.reading")
        if any(item.quote not in words.text for item in reading.items):
            raise InvalidEventError(f"the reading {event.id!r} quotes words that {words.id!r} does not have")
        return _frame(event, words)

    def _words(self, event: Event) -> Event | None:
        """Return the words in an event that are read, as the event that says them; None where there are none."""
        if event.kind in WORDS:
            return event if event.user or event.kind is EventKind.TOLD else None
        if event.kind is not EventKind.EDIT or not event.text:
            return None
        record = self._live.state.index.records.get(event.target)
        if record is None or not record.user or record.kind not in self._live.state.personal:
            return None
        return replace(event, user=record.user, scene=record.scene)

    def _run(self) -> None:
        while not self._closed.is_set():
            self._wake.clear()
            try:
                while self._read_some():
                    pass
            except (JournalError, BusyError) as error:
                logger.warning("words wait to be read: %s", error)
                self._wake.wait(REST)
                continue
            self._wake.wait()

    def _read_some(self) -> bool:
        """Read some of the words that wait, and commit their readings; return whether more may wait."""
        if self._closed.is_set():
            return False
        with self._live.lock:
            state = self._live.state
            ids = [name for name in state.unread if name not in self._unreadable][:BATCH]
            begun = {episode.source: episode.id for episode in state.episodic.episodes()} if ids else {}
            found = {name: state.words(name, begun.get(name, "")) for name in ids}
            self._unreadable.update(name for name, words in found.items() if words is None)
            waiting = [(words, asked_before(words, (), state)) for words in found.values() if words is not None]
        if waiting:
            readings = [reading_event(words, read(words, before)) for words, before in waiting]
            self._live.commit(readings, checked=False)
            self._unreadable.update(ids)  # what is still without a reading then takes none
        return bool(ids)


def reading_event(words: Event, reading: Reading) -> Event:
    """Return the event that says what words come to: with the words' user and time, it goes with them.

    The same reading of the same words is the same event.
    """
    text = reading.to_json()
    name = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{words.id}\n{text}"))
    return _frame(Event(name, EventKind.READING, words.stamp, target=words.id, text=text), words)


def _frame(event: Event, words: Event) -> Event:
    return replace(
        event, stamp=words.stamp, robot=words.robot, user=words.user, scene=words.scene, episode=words.episode
    )


def _edit(words: Event, statement: str, text: str = "") -> Event:
    """Return the event that words of a user make of what they told: the same one whenever the words are heard."""
    name = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{words.id}\n{statement}\n{text}"))
    target = f"{KIND}:{statement}"
    return Event(name, EventKind.EDIT, words.stamp, words.robot, words.user, words.scene, target=target, text=text)


def asked_before(words: Event, tasks: Iterable[Event], state: MemoryState) -> str:
    """Return what the user had asked for when they said something: in the same call, which began `tasks`, or before."""
    if words.kind is EventKind.EPISODE_START:
        return ""
    asked = [task.text for task in tasks if task.user == words.user and task.stamp <= words.stamp]
    return asked[-1] if asked else state.profile.asked_before(words)


def read(words: Event, before: str) -> Reading:
    """Return the rules' reading; an empty one where they fail: whatever people say, it is kept."""
    from karma_language.requests.telling import with_home  # what reads English, 0.1 s: with the first words
    from karma_language.told.reader import read_told

    try:
        told = (
            ()
            if not words.user
            else read_told(
                words.text,
                words.stamp,
                speaker=words.user if words.kind is EventKind.EDIT else "",
                before=before,
                reply=words.kind is EventKind.FEEDBACK,
                instruction=words.kind is EventKind.EPISODE_START,
            )
        )
        told = with_home(told, words.text, words.stamp) if words.kind in (EventKind.TOLD, EventKind.EDIT) else told
    except Exception as error:  # noqa: BLE001 - see above
        last = traceback.extract_tb(error.__traceback__)[-1]
        logger.error(  # noqa: TRY400 - the error's message may quote what was said
            "a rule failed with %s in %s, %s:%d", type(error).__name__, last.name, last.filename, last.lineno
        )
        told = ()
    return Reading(reader=READER, items=tuple(told))
