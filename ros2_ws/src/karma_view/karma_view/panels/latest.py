# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Wishes that take long: one is done at a time, and of those for the same only the last."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)


class Latest:
    """Does what is asked for in a thread that lives while there is something to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wishes: dict[str, Callable[[], object]] = {}
        self._done: str = ""
        """What the wish that is being done is for; empty: nothing is being done."""
        self._closed = False

    def ask(self, what: str, wish: Callable[[], object]) -> None:
        """Do something, instead of what was asked for the same and has not begun; after the others."""
        with self._lock:
            if self._closed:
                return
            self._wishes[what] = wish
            if not self._done:
                self._done = what
                threading.Thread(target=self._work, name="view_past", daemon=True).start()

    def busy(self, what: str) -> bool:
        """Whether something has been asked for and is not done."""
        with self._lock:
            return what in self._wishes or self._done == what

    def close(self) -> None:
        """Begin nothing any more. What is being done ends in its own time."""
        with self._lock:
            self._closed = True
            self._wishes.clear()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._wishes:
                    self._done = ""
                    return
                self._done = next(iter(self._wishes))
                wish = self._wishes.pop(self._done)
            try:
                wish()
            except Exception:
                logger.exception("%s could not be done", self._done)
