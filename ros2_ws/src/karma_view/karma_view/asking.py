# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What one viewer asks of the graph: one thing of a kind at a time, not too often, and no failure without a word."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from karma_ros.client import GraphError


class Say(Protocol):
    """Tells the viewer something."""

    def __call__(self, title: str, text: str, *, failed: bool = False) -> None:
        """Show it for a while."""


MOST, WITHIN_S = 5, 10.0
"""Things of a kind that a viewer may do in so many seconds: as many as a person does who means it."""
QUIET_S = 5.0
"""Between two times that a viewer is told to wait for the same."""

FAILED = "The page could not do that; its log says why."


class Asking:
    """Calls take as long as the graph lets them, in the 32 threads in which viser answers all viewers.

    One viewer holds one thread for each kind of thing at most. A few whom the graph doesn't answer can hold all of them
    until their calls time out, so what must never wait (“Stop all”) needs none of them.
    """

    def __init__(self, say: Say) -> None:
        self._say = say
        self._changing = threading.Lock()
        self._underway: set[str] = set()
        self._begun: dict[str, deque[float]] = {}
        """By kind, when the last MOST were begun, seconds, monotonic."""
        self._told: dict[str, float] = {}
        """By kind, when the viewer was last told to wait."""

    def attempt(self, what: str, do: Callable[[], object], *, often: bool = False) -> bool:
        """Do something of the kind `what`, and tell the viewer where it can't be done; return whether it was.

        While another of that kind has no answer, nothing is done, nor where MOST were done just now, and the viewer is
        told so. `often`: it may be done however often, as what only asks, or holds the robot back. Errors other than
        GraphError are told and raised.
        """
        now = time.monotonic()
        with self._changing:
            if refused := self._refused(what, now, often):
                tell = now - self._told.get(what, -QUIET_S) >= QUIET_S
                if tell:
                    self._told[what] = now
            else:
                self._underway.add(what)
                self._begun.setdefault(what, deque(maxlen=MOST)).append(now)
        if refused:
            if tell:
                self._say(what, refused)
            return False
        try:
            do()
        except GraphError as error:
            self._say(what, str(error), failed=True)
            return False
        except Exception:
            self._say(what, FAILED, failed=True)
            raise
        finally:
            with self._changing:
                self._underway.remove(what)
        return True

    def _refused(self, what: str, now: float, often: bool) -> str:
        """Return why something is not done, "" where it is; the lock is held."""
        if what in self._underway:
            return "There is no answer to the last one yet."
        begun = self._begun.get(what)
        if not often and begun is not None and len(begun) == MOST and now - begun[0] < WITHIN_S:
            return f"Not so fast: {MOST} in {WITHIN_S:.0f} seconds at most."
        return ""
