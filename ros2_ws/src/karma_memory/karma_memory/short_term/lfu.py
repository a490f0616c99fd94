# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Least-frequently-used replacement in constant time (Shah, Mitra, Matani 2010)."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from karma_memory.short_term.fifo import Queue

SEGMENT = "frequent"


class Lfu(Queue):
    """The key that was used least often since it came in goes; of several, the one that was not used for longest.

    A key's count is forgotten with it. Keys of one count share a bucket, in the order of their last uses.
    """

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._counts: dict[str, int] = {}
        self._buckets: dict[int, OrderedDict[str, None]] = {}
        self._least = 1
        """No bucket below this has keys. It falls to one with every newcomer and rises no faster than keys are used."""

    def admit(self, key: str) -> list[str]:
        """Use `key`; return the key that had to go for it."""
        if key in self._counts:
            self.touch(key)
            return []
        evicted = []
        if len(self._counts) >= self.capacity:
            evicted.append(self._first())
            self.remove(evicted[0])
        self._put(key, 1)
        self._least = 1
        return evicted

    def touch(self, key: str) -> None:
        """Use `key`, which is in."""
        count = self._counts[key]
        self.remove(key)
        self._put(key, count + 1)

    def remove(self, key: str) -> None:
        """Take `key` out and forget its count."""
        count = self._counts.pop(key, 0)
        if not count:
            return
        del self._buckets[count][key]
        if not self._buckets[count]:
            del self._buckets[count]

    def order(self) -> list[str]:
        """Return the keys, first to go first."""
        return [key for count in sorted(self._buckets) for key in self._buckets[count]]

    def segment(self, key: str) -> str:
        """Return "frequent" when `key` is in."""
        return SEGMENT if key in self._counts else ""

    def frequency(self, key: str) -> int:
        """Return how often `key` was used since it came in."""
        return self._counts.get(key, 0)

    def __len__(self) -> int:
        return len(self._counts)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {"counts": [[key, self._counts[key]] for key in self.order()]}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of a memory of the same capacity."""
        self._counts, self._buckets, self._least = {}, {}, 1
        for key, count in state["counts"]:
            self._put(str(key), int(count))

    def _put(self, key: str, count: int) -> None:
        self._counts[key] = count
        if count not in self._buckets:
            self._buckets[count] = OrderedDict()
        self._buckets[count][key] = None

    def _first(self) -> str:
        while self._least not in self._buckets:
            self._least += 1
        return next(iter(self._buckets[self._least]))
