# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Keeping a sequence of events at a rate."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Pace:
    """Holds events apart in wall time; an event that is late is not made up for."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`rate` is in events a second, above 0."""
        if not rate > 0:
            raise ValueError(f"a pace needs a rate above 0, not {rate}")
        self._period = 1 / rate
        self._clock = clock
        self._due = clock()

    def due(self) -> bool:
        """Whether an event may happen now; if so, it is taken to happen."""
        now = self._clock()
        if now < self._due:
            return False
        self._due = now + self._period
        return True

    def wait(self, interrupt: threading.Event) -> None:
        """Wait until an event may happen, or until `interrupt` is set; the event is taken to happen."""
        interrupt.wait(max(0.0, self._due - self._clock()))
        self._due = self._clock() + self._period
