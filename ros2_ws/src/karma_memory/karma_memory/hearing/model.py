# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A language model reads what people tell where rules don't, beside the work of the memory.

Its reading is an event (READING) that takes the place of the one by rules; until then the words are recalled as they
are. Whoever remembers words with a reading has had them read, as KARMA's planner does.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence

from karma_language.models import CanceledError, Model, Urgency, Usage, Waiting
from karma_language.told.by_model import TellingReader
from karma_memory.events import Event, EventKind
from karma_memory.hearing.hearing import reading_event
from karma_memory.journal import JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.scene import InvalidEventError

logger = logging.getLogger(__name__)

WAITING = 64
"""Words that wait for the model; of more, the newest keep the reading by rules."""


class ModelHearing:
    """Words that wait to be read, and the thread that has the model read them. Thread-safe."""

    def __init__(self, model: Model, remember: Callable[[Sequence[Event]], object]) -> None:
        """`remember` commits readings; what it raises of the memory's errors loses the reading, not the words."""
        self._model = model
        self._remember = remember
        self._queue: queue.Queue[Event | None] = queue.Queue(WAITING)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="model hearing", daemon=True)
        self._thread.start()

    def note(self, events: Sequence[Event], sequences: Sequence[int]) -> None:
        """Keep what users told in events that were remembered, unless its reading is among them.

        `sequences`: of the events, 0 for one that was not kept.
        """
        read = {event.target for event in events if event.kind is EventKind.READING}
        for event, sequence in zip(events, sequences, strict=True):
            if event.kind is EventKind.TOLD and event.user and sequence and event.id not in read:
                try:
                    self._queue.put_nowait(event)
                except queue.Full:
                    logger.warning("words wait for the model already: it won't read %s", event.id)

    @property
    def usage(self) -> Usage:
        """What the model was asked so far."""
        return self._model.usage

    def close(self) -> None:
        """Read nothing any more. Nobody waits for the model's answer."""
        self._closed.set()
        try:
            self._queue.put_nowait(None)
        except queue.Full:
            return  # the thread looks at `_closed` before the next one

    def _run(self) -> None:
        reader = TellingReader(self._model)
        waiting = Waiting(Urgency.NOBODY, cancelled=self._closed.is_set)
        while (words := self._queue.get()) is not None and not self._closed.is_set():
            try:
                reading = reader.read(words.text, words.user, words.stamp, waiting)
                if reading is not None and not self._closed.is_set():
                    self._remember([reading_event(words, reading)])
            except CanceledError:
                return
            except (JournalError, BusyError, InvalidEventError) as error:  # forgotten meanwhile, among others
                logger.warning("what the model read in %s is lost: %s", words.id, error)
