# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions to a model wait for each other, the most urgent first: a person waits less than a reflection."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum


class Urgency(IntEnum):
    """Who waits for an answer."""

    PERSON = 0
    ROBOT = 1
    """The robot, in the middle of something."""
    NOBODY = 2
    """Reflections, words that were told long ago, states of things."""


class Turns:
    """One question at a time. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._numbers = itertools.count()
        self._busy = False

    @contextmanager
    def taken(self, urgency: Urgency, look: Callable[[], None], period: float) -> Iterator[None]:
        """Wait for a turn and hold it. `look` is called every `period` seconds meanwhile; what it raises ends that."""
        place = (int(urgency), next(self._numbers))
        with self._changed:
            heapq.heappush(self._waiting, place)
            try:
                while self._busy or self._waiting[0] != place:
                    self._changed.wait(period)
                    look()
                self._busy = True
            finally:
                self._waiting.remove(place)
                heapq.heapify(self._waiting)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
