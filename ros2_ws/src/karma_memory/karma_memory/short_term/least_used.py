# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""KARMA's choice of a victim (section 3.6): the least used unit of the window and the elimination segment."""

from __future__ import annotations

from heapq import heapify, heappop, heappush, heapreplace

from karma_memory.short_term.segments import Segments
from karma_memory.short_term.sketch import FrequencySketch


class LeastUsed:
    """Finds the least used key in window and probation; ties go against the less recently used.

    It is a heap of counts and last uses as they were when last looked at. Until the sketch halves its counters counts
    never fall, and last uses only get later: the top of the heap is right, or it is too low and is put right then.
    """

    def __init__(self, segments: Segments, sketch: FrequencySketch) -> None:
        """Find victims in `segments`, which are empty or were just restored."""
        self._segments = segments
        self._sketch = sketch
        self._heap: list[tuple[int, int, str]] = []
        self._listed: set[str] = set()
        self._halvings = -1
        """Halvings of the sketch when all keys were looked at."""

    def expose(self, key: str) -> None:
        """Note that `key` may have come into the window or on probation."""
        if key not in self._listed:
            self._listed.add(key)
            heappush(self._heap, self._entry(key))

    def other_than(self, newcomer: str) -> str:
        """Return the least used key that isn't `newcomer`, the oldest protected one where none is exposed."""
        if self._halvings != self._sketch.halvings:
            self._look_at_all()
        spared = False
        victim = next(iter(self._segments.protected), newcomer)
        while self._heap:
            top = self._heap[0]
            key = top[2]
            entry = self._entry(key)
            if entry[1] and entry != top:
                heapreplace(self._heap, entry)
                continue
            heappop(self._heap)
            self._listed.discard(key)
            if key == newcomer:
                spared = True
            elif entry[1]:
                victim = key
                break
        if spared:
            self.expose(newcomer)
        return victim

    def _entry(self, key: str) -> tuple[int, int, str]:
        return self._sketch.estimate(key), self._segments.last_use(key), key

    def _look_at_all(self) -> None:
        self._halvings = self._sketch.halvings
        self._listed = set(self._segments.exposed())
        self._heap = [self._entry(key) for key in self._listed]
        heapify(self._heap)
