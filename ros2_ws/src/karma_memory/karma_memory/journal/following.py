# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Follows a journal that other processes write, too."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from karma_memory.journal import Journal

logger = logging.getLogger(__name__)

PERIOD = 1.0
"""Seconds after which the journal is looked at though nobody told of an event, and after an error."""


class JournalFollower:
    """A thread that calls `catch_up` whenever there are events after the sequence that `applied` returns.

    What goes wrong is tried again: it says so once in the log, and once when all is well again.
    """

    def __init__(self, journal: Journal, applied: Callable[[], int], catch_up: Callable[[], None]) -> None:
        self._journal = journal
        self._applied = applied
        self._catch_up = catch_up
        self._closing = threading.Event()
        self.trouble = ""
        """Why events of other processes aren't seen; empty when they are."""
        self._thread = threading.Thread(target=self._run, name="journal follower", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Say that the journal is about to be closed: that ends the wait, and then the thread."""
        self._closing.set()

    def join(self) -> None:
        """Wait for the end of the thread, after the journal was closed."""
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                if self._journal.wait(self._applied(), PERIOD):
                    self._catch_up()
            except Exception as error:  # noqa: BLE001 - a thread that ends would leave this memory behind unnoticed
                if not self._closing.is_set() and not self.trouble:
                    self.trouble = f"events of other memory servers are not seen: {type(error).__name__}: {error}"
                    logger.warning("%s", self.trouble)
                self._closing.wait(PERIOD)
            else:
                if self.trouble:
                    self.trouble = ""
                    logger.info("events of other memory servers are seen again")
