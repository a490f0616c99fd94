# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The three segments of W-TinyLFU (KARMA, section 3.6; Einziger, Friedman, Manes 2017, section 4), by recency only."""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum
from typing import Any

PROTECTED_SHARE = 0.8
"""Share of the main segment that is protected, by default (Einziger, Friedman, Manes 2017)."""


class Segment(str, Enum):
    """Where a key is. Window holds what is new; the main segment is probation (KARMA: elimination) and protected."""

    WINDOW = "window"
    PROBATION = "probation"
    PROTECTED = "protected"


class Segments:
    """A window and a two-segment main memory, all least-recently-used.

    A key enters the window; what overflows there moves to probation; a key used again on probation becomes protected,
    and what overflows there goes back on probation. Who goes when there is one key too many is for others to say.
    """

    def __init__(self, capacity: int, window_size: int, protected: float) -> None:
        """Make empty segments for `capacity` keys, `window_size` in the window, a share `protected` of the others."""
        self.capacity = capacity
        self.window_size = window_size
        self.protected_size = int(protected * (capacity - window_size))
        # Each with the instant of a key's last use, counted in uses.
        self.window: OrderedDict[str, int] = OrderedDict()
        self.probation: OrderedDict[str, int] = OrderedDict()
        self.protected: OrderedDict[str, int] = OrderedDict()
        self._tick = 0

    def enter(self, key: str) -> str:
        """Put `key`, which is not in, into the window; return the key that left the window for it, or `key`."""
        self._tick += 1
        self.window[key] = self._tick
        if len(self.window) <= self.window_size:
            return key
        candidate, tick = self.window.popitem(last=False)
        self.probation[candidate] = tick
        return candidate

    def use(self, key: str) -> bool:
        """Make `key` the most recently used and promote it; return False when it is not in."""
        if key in self.window:
            segment = self.window
        elif key in self.protected:
            segment = self.protected
        elif key in self.probation:
            del self.probation[key]
            segment = self.protected if self.protected_size else self.probation
        else:
            return False
        self._tick += 1
        segment[key] = self._tick
        segment.move_to_end(key)
        if len(self.protected) > self.protected_size:
            demoted, tick = self.protected.popitem(last=False)
            self.probation[demoted] = tick
        return True

    def remove(self, key: str) -> bool:
        """Take `key` out; return False when it was not in."""
        return bool(self.probation.pop(key, 0) or self.window.pop(key, 0) or self.protected.pop(key, 0))

    def where(self, key: str) -> Segment | None:
        """Return the segment in which `key` is."""
        if key in self.window:
            return Segment.WINDOW
        if key in self.probation:
            return Segment.PROBATION
        return Segment.PROTECTED if key in self.protected else None

    def last_use(self, key: str) -> int:
        """Return the instant of the last use of `key`, 0 when it is not exposed: in the window or on probation."""
        return self.window.get(key) or self.probation.get(key, 0)

    def exposed(self) -> dict[str, int]:
        """Return the keys in window and probation with their last uses."""
        return {**self.probation, **self.window}

    def __contains__(self, key: str) -> bool:
        return key in self.window or key in self.probation or key in self.protected

    def __len__(self) -> int:
        return len(self.window) + len(self.probation) + len(self.protected)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {"tick": self._tick, **{name.value: list(map(list, keys.items())) for name, keys in self._all()}}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of segments of the same sizes."""
        self._tick = int(state["tick"])
        for name, keys in self._all():
            keys.clear()
            keys.update((str(key), int(tick)) for key, tick in state[name.value])

    def _all(self) -> tuple[tuple[Segment, OrderedDict[str, int]], ...]:
        return (
            (Segment.WINDOW, self.window),
            (Segment.PROBATION, self.probation),
            (Segment.PROTECTED, self.protected),
        )
