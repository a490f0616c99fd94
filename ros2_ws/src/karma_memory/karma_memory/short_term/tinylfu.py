# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""W-TinyLFU replacement (KARMA, section 3.6; Einziger, Friedman, Manes 2017, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from karma_memory.short_term.least_used import LeastUsed
from karma_memory.short_term.segments import PROTECTED_SHARE, Segments
from karma_memory.short_term.sketch import FrequencySketch

UNUSED: Mapping[str, tuple[int, int]] = MappingProxyType({})
NEVER = (0, 0)


class WTinyLfu:
    """Three segments (see segments.py), with use counts deciding who goes.

    When the memory is full,

    - with `compare_all` (KARMA), the least used of all keys in window and probation goes, the newcomer excepted;
    - without (Einziger et al.), the key that leaves the window goes, unless it is used more than the oldest on
      probation.

    Ties go against the less recently used. Keys that are protected are never victims while another can be. An
    admission takes constant time, with `compare_all` time logarithmic in the capacity, on average.
    """

    def __init__(self, capacity: int, window: float, protected: float = PROTECTED_SHARE, *, compare_all: bool) -> None:
        """Make an empty memory of `capacity` keys.

        `window` is the window's share of them (at least one key), `protected` the protected share of all others.
        """
        self.capacity = capacity
        self.sketch = FrequencySketch(capacity)
        self._segments = Segments(capacity, min(capacity, max(1, round(window * capacity))), protected)
        self._least_used = LeastUsed(self._segments, self.sketch) if compare_all else None

    @property
    def window_size(self) -> int:
        """Keys that the window holds at most."""
        return self._segments.window_size

    def admit(self, key: str) -> list[str]:
        """Count a use of `key` and put it in; return the keys that had to go."""
        self.sketch.increment(key)
        if self._use(key):
            return []
        candidate = self._segments.enter(key)
        if self._least_used is not None:
            self._least_used.expose(key)
        if len(self._segments) <= self.capacity:
            return []
        if self._least_used is not None:
            victim = self._least_used.other_than(key)
        else:
            victim = loser(self._segments, candidate, self.sketch)
        self._segments.remove(victim)
        return [victim]

    def touch(self, key: str) -> None:
        """Count a use of `key`, which is in, and promote it."""
        if key not in self._segments:
            raise KeyError(key)
        self.sketch.increment(key)
        self._use(key)

    def remove(self, key: str) -> None:
        """Take `key` out; its use count stays."""
        self._segments.remove(key)

    def load(self, keys: Iterable[str]) -> list[str]:
        """Fill an empty memory, first to go first, without counting a use; return what doesn't fit."""
        ordered = list(keys)
        first = max(0, len(ordered) - self.capacity)
        for key in ordered[first:]:
            self._segments.enter(key)
        return ordered[:first]

    def order(self) -> list[str]:
        """Return the keys, first to go first."""
        return by_use(self._segments, self.sketch)

    def segment(self, key: str) -> str:
        """Return "window", "probation" or "protected", or "" when `key` is not in."""
        segment = self._segments.where(key)
        return segment.value if segment else ""

    def frequency(self, key: str) -> int:
        """Return about how often `key` was used lately, whether it is in or not."""
        return self.sketch.estimate(key)

    def __len__(self) -> int:
        return len(self._segments)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {"segments": self._segments.snapshot(), "sketch": self.sketch.snapshot()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of a policy with the same settings."""
        self.sketch.restore(state["sketch"])
        self._segments.restore(state["segments"])
        if self._least_used is not None:
            self._least_used = LeastUsed(self._segments, self.sketch)

    def _use(self, key: str) -> bool:
        used = self._segments.use(key)
        if used and self._least_used is not None and self._segments.probation:
            # The one that was pushed out of the protected segment, if any was, is now the newest there.
            self._least_used.expose(next(reversed(self._segments.probation)))
        return used


def loser(
    segments: Segments,
    candidate: str,
    sketch: FrequencySketch,
    lead: int = 1,
    uses: Mapping[str, tuple[int, int]] = UNUSED,
) -> str:
    """Return who goes: `candidate`, which left the window, unless it was used `lead` times more than its rival.

    That is the oldest other key on probation. Without one, the candidate goes. `uses` has the instants of keys' last
    two uses: a candidate used twice since its rival's last use need only have been used more often at all.
    """
    for rival in segments.probation:
        if rival != candidate:
            ahead = sketch.estimate(candidate) - sketch.estimate(rival)
            wins = ahead >= lead or (ahead > 0 and uses.get(candidate, NEVER)[1] > uses.get(rival, NEVER)[0])
            return rival if wins else candidate
    return candidate


def by_use(segments: Segments, sketch: FrequencySketch) -> list[str]:
    """Return the keys, the least used of window and probation first, the protected last."""
    exposed = segments.exposed()
    return sorted(exposed, key=lambda key: (sketch.estimate(key), exposed[key])) + list(segments.protected)
