# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a running instruction stops between two skills: while the robot is paused, and to let an urgent one pass."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from enum import Enum

from planner_node.skills import Outcome

_POLL = 0.1
"""Seconds between looks at whether to stop waiting."""


class _Way(Enum):
    OWN = 0
    WANTED = 1  # an urgent instruction waits for the running one to stop
    GIVEN = 2  # the running one has stopped, and waits for its way back


class Gate:
    """Shared by whoever carries out instructions and whoever pauses and interrupts them. Thread-safe.

    What runs asks `closed` before every skill, and where it is calls `wait` and `give_way`, which block.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paused = False
        self._way = _Way.OWN
        self._done: tuple[Outcome, ...] = ()
        self._waiting = ""

    # For whoever pauses and interrupts

    @property
    def paused(self) -> bool:
        """Whether no further skill is begun."""
        return self._paused

    def pause(self) -> None:
        """Let no further skill begin. The running one ends first; driving and looking stop where they are."""
        with self._changed:
            self._paused = True

    def resume(self) -> None:
        """Let skills begin again."""
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def reached(self, timeout: float) -> str:
        """Wait until a paused instruction has stopped; return what it says, "" where nothing has in time (seconds)."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting), timeout)
            return self._waiting

    def interrupt(self) -> bool:
        """Ask the running instruction to let another pass; return whether it has stopped for that."""
        with self._changed:
            if self._way is _Way.OWN:
                self._way = _Way.WANTED
            return self._way is _Way.GIVEN

    def hand_back(self, outcomes: Sequence[Outcome]) -> None:
        """Let the interrupted instruction go on, or not be interrupted; `outcomes`: the skills done in between."""
        with self._changed:
            # It may be handed back once more before the interrupted one wakes.
            self._way, self._done = _Way.OWN, (*self._done, *outcomes)
            self._changed.notify_all()

    # For what runs

    @property
    def closed(self) -> bool:
        """Whether what runs has to stop before its next skill."""
        return self._paused or self._way is _Way.WANTED

    @property
    def wanted(self) -> bool:
        """Whether an urgent instruction waits for the running one to stop."""
        return self._way is _Way.WANTED

    def wait(self, cancelled: Callable[[], bool], says: str) -> None:
        """Wait while the robot is paused, until `cancelled()` turns true. `says`: what a person should hear of it."""
        with self._changed:
            self._waiting = says
            self._changed.notify_all()
            while self._paused and not cancelled():
                self._changed.wait(_POLL)
            self._waiting = ""

    def give_way(self) -> tuple[Outcome, ...]:
        """Wait until the urgent instructions have ended; return the skills that they ran.

        It waits even when it is canceled meanwhile: two instructions never move the robot at once.
        """
        with self._changed:
            if self._way is not _Way.WANTED:
                return ()
            self._way = _Way.GIVEN
            while self._way is _Way.GIVEN:
                self._changed.wait(_POLL)
            done, self._done = self._done, ()
            return done
