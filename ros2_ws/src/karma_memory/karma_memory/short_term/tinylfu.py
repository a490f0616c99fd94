# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""W-TinyLFU replacement (KARMA, section 3.6; Einziger, Friedman, Manes 2017, section 4)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from karma_memory.short_term.sketch import FrequencySketch

PROTECTED_SHARE = 0.8
"""Share of the main segment that is protected (Einziger, Friedman, Manes 2017)."""


class Segment(str, Enum):
    """Where a key is. Window holds what is new; the main segment is probation (KARMA: elimination) and protected."""

    WINDOW = "window"
    PROBATION = "probation"
    PROTECTED = "protected"


class WTinyLfu:
    """A window and a two-segment main memory, all least-recently-used, with use counts deciding who goes.

    A key enters the window; what overflows there moves to probation; a key used again on probation becomes protected,
    and what overflows there goes back on probation. When the memory is full,

    - with `compare_all` (KARMA), the least used of all keys in window and probation goes, the newcomer excepted;
    - without (Einziger et al.), the key that leaves the window goes, unless it is used more than the oldest on
      probation.

    Ties go against the less recently used. Keys that are protected are never victims while another can be.
    """

    def __init__(self, capacity: int, window: float, *, compare_all: bool) -> None:
        """Make an empty memory of `capacity` keys; `window` is the window's share of them (at least one key)."""
        self.capacity = capacity
        self.window_size = min(capacity, max(1, round(window * capacity)))
        self.protected_size = int(PROTECTED_SHARE * (capacity - self.window_size))
        self._compare_all = compare_all
        self._sketch = FrequencySketch(capacity)
        self._segments: dict[Segment, OrderedDict[str, int]] = {segment: OrderedDict() for segment in Segment}
        self._tick = 0

    def admit(self, key: str) -> list[str]:
        """Count a use of `key` and put it in; return the keys that had to go."""
        if self._where(key) is not None:
            self.touch(key)
            return []
        self._sketch.increment(key)
        candidate = self._enter(key)
        if len(self) <= self.capacity:
            return []
        victim = self._victim(key, candidate)
        self.remove(victim)
        return [victim]

    def touch(self, key: str) -> None:
        """Count a use of `key`, which is in, and promote it."""
        segment = self._where(key)
        if segment is None:
            raise KeyError(key)
        self._sketch.increment(key)
        if segment is Segment.PROBATION and self.protected_size:
            del self._segments[segment][key]
            segment = Segment.PROTECTED
        self._put(segment, key)
        protected = self._segments[Segment.PROTECTED]
        if len(protected) > self.protected_size:
            demoted, tick = protected.popitem(last=False)
            self._segments[Segment.PROBATION][demoted] = tick

    def remove(self, key: str) -> None:
        """Take `key` out; its use count stays."""
        segment = self._where(key)
        if segment is not None:
            del self._segments[segment][key]

    def load(self, keys: Iterable[str]) -> list[str]:
        """Fill an empty memory, first to go first, without counting a use; return what doesn't fit."""
        ordered = list(keys)
        fits = ordered[-self.capacity :]
        for key in fits:
            self._enter(key)
        return ordered[: len(ordered) - len(fits)]

    def order(self) -> list[str]:
        """Return the keys, first to go first."""
        exposed = {**self._segments[Segment.PROBATION], **self._segments[Segment.WINDOW]}
        first = sorted(exposed, key=lambda key: (self._sketch.estimate(key), exposed[key]))
        return first + list(self._segments[Segment.PROTECTED])

    def segment(self, key: str) -> str:
        """Return "window", "probation" or "protected", or "" when `key` is not in."""
        segment = self._where(key)
        return segment.value if segment else ""

    def frequency(self, key: str) -> int:
        """Return about how often `key` was used lately."""
        return self._sketch.estimate(key)

    def __len__(self) -> int:
        return sum(map(len, self._segments.values()))

    def inherit(self, other: WTinyLfu) -> None:
        """Take over use counts: all of a policy of the same capacity, else those of the keys that it holds."""
        if other.capacity == self.capacity:
            self._sketch.restore(other._sketch.snapshot())
            return
        for key in other.order():
            for _ in range(other.frequency(key)):
                self._sketch.increment(key)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        segments = {segment.value: list(map(list, keys.items())) for segment, keys in self._segments.items()}
        return {"tick": self._tick, "segments": segments, "sketch": self._sketch.snapshot()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of a policy with the same settings."""
        self._sketch.restore(state["sketch"])
        self._tick = int(state["tick"])
        self._segments = {
            segment: OrderedDict((str(key), int(tick)) for key, tick in state["segments"][segment.value])
            for segment in Segment
        }

    def _where(self, key: str) -> Segment | None:
        return next((segment for segment, keys in self._segments.items() if key in keys), None)

    def _put(self, segment: Segment, key: str) -> None:
        """Make `key` the most recently used of `segment`."""
        self._tick += 1
        self._segments[segment][key] = self._tick
        self._segments[segment].move_to_end(key)

    def _enter(self, key: str) -> str:
        """Put `key` into the window; return the key that left the window for it, or `key`."""
        self._put(Segment.WINDOW, key)
        window = self._segments[Segment.WINDOW]
        if len(window) <= self.window_size:
            return key
        candidate, tick = window.popitem(last=False)
        self._segments[Segment.PROBATION][candidate] = tick
        return candidate

    def _victim(self, newcomer: str, candidate: str) -> str:
        """Choose who goes, when the memory holds one key too many."""
        probation = self._segments[Segment.PROBATION]
        if self._compare_all:
            exposed = {**probation, **self._segments[Segment.WINDOW]}
            exposed.pop(newcomer)
            if not exposed:
                return next(iter(self._segments[Segment.PROTECTED]), newcomer)
            return min(exposed, key=lambda key: (self._sketch.estimate(key), exposed[key]))
        rivals = [key for key in probation if key != candidate]
        if not rivals:
            return candidate
        oldest = rivals[0]
        return oldest if self._sketch.estimate(candidate) > self._sketch.estimate(oldest) else candidate
