# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A language model thinks about episodes that have ended, beside the work of the memory (BrainMem, section 3.4).

What it says is written into the journal as an event of a kind of its own: guidelines stay a function of the events, a
replay needs no model and gives the same, and what it says of a user's episode is erased with that user's events.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from karma_memory.encoding import dumps
from karma_memory.episodic.attempts import Attempt
from karma_memory.events import Event, EventKind
from karma_memory.journal import JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.scene import InvalidEventError
from karma_memory.state.live import LiveState, new_id

logger = logging.getLogger(__name__)

WAITING = 64
"""Episodes that wait to be thought about; of more, the newest are not."""

Think = Callable[[Attempt, Attempt | None], Sequence[str]]
"""Returns what an attempt teaches, in sentences, none where it fails; with the failed one that it tried again."""


class Reflecting:
    """Episodes that wait to be thought about, and the thread that does it. Thread-safe."""

    def __init__(self, live: LiveState, think: Think) -> None:
        self._live = live
        self._think = think
        self._queue: queue.Queue[str | None] = queue.Queue(WAITING)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reflection", daemon=True)
        self._thread.start()

    def note(self, events: Iterable[Event]) -> None:
        """Keep what has ended in events that were observed."""
        for event in events:
            if event.kind is EventKind.EPISODE_END:
                try:
                    self._queue.put_nowait(event.episode)
                except queue.Full:
                    logger.warning("%d episodes wait for the model; it won't think about %s", WAITING, event.episode)

    def close(self) -> None:
        """Write nothing any more. The thread ends when the model has answered; nobody waits for that."""
        self._closed.set()
        with suppress(queue.Full):  # then it looks at `_closed` anyway, before the next one
            self._queue.put_nowait(None)

    def _run(self) -> None:
        while (episode := self._queue.get()) is not None and not self._closed.is_set():
            known = self._attempt(episode)
            if known is None:
                continue
            attempt, failed = known
            learned = list(self._think(attempt, failed))
            if not learned or self._closed.is_set() or self._attempt(episode) is None:
                continue
            try:
                self._live.commit([_thought(attempt, learned, self._live.clock)], checked=False)
            except (JournalError, BusyError, InvalidEventError) as error:
                logger.warning("what the model learned of episode %s is lost: %s", episode, error)

    def _attempt(self, episode: str) -> tuple[Attempt, Attempt | None] | None:
        """Return an attempt that says something, and the one that it tries again; None where its user disagrees."""
        with self._live.lock:
            state = self._live.state
            attempt = state.trajectories.attempt(episode)
            if attempt is None or attempt.succeeded is None or not attempt.steps or not state.may_use(attempt.user):
                return None
            failed = state.trajectories.attempt(attempt.retry_of) if attempt.retry_of else None
            return attempt, failed if failed is not None and failed.user == attempt.user else None


def _thought(attempt: Attempt, learned: Sequence[str], stamp: float) -> Event:
    return Event(
        new_id(),
        EventKind.REFLECTION,
        stamp,
        user=attempt.user,
        scene=attempt.scene,
        episode=attempt.id,
        text=dumps({"insights": list(learned)}),
    )
