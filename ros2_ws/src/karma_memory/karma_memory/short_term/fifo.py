# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""First-in-first-out replacement, plain and with the paper's merge option (KARMA, section 3.6)."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from typing import Any


class Queue:
    """Keys without a window, filled by admitting one after the other; uses are not counted."""

    window_size = 0

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity

    def admit(self, key: str) -> list[str]:
        """Put `key` in; return the key that had to go."""
        raise NotImplementedError

    def touch(self, key: str) -> None:
        """Do nothing: the order of arrival is all that counts."""

    def load(self, keys: Iterable[str]) -> list[str]:
        """Fill an empty memory, first to go first; return what doesn't fit."""
        return [evicted for key in keys for evicted in self.admit(key)]

    def frequency(self, key: str) -> int:
        """Return 0: uses are not counted."""
        return 0


class Fifo(Queue):
    """A queue of units: every admission takes a slot, also when the same object has one already.

    A key is gone when its last slot is.
    """

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._queue: deque[str] = deque()
        self._slots: Counter[str] = Counter()

    def admit(self, key: str) -> list[str]:
        """Append `key`; return the key whose last slot had to go."""
        self._queue.append(key)
        self._slots[key] += 1
        if len(self._queue) <= self.capacity:
            return []
        first = self._queue.popleft()
        self._slots[first] -= 1
        if self._slots[first]:
            return []
        del self._slots[first]
        return [first]

    def remove(self, key: str) -> None:
        """Take all slots of `key` out."""
        if self._slots.pop(key, 0):
            self._queue = deque(other for other in self._queue if other != key)

    def order(self) -> list[str]:
        """Return the keys in the order in which their last slots will go."""
        return list(OrderedDict.fromkeys(reversed(self._queue)))[::-1]

    def segment(self, key: str) -> str:
        """Return "queue" when `key` is in."""
        return "queue" if self._slots[key] else ""

    def __len__(self) -> int:
        return len(self._queue)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {"queue": list(self._queue)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of a queue of the same capacity."""
        self._queue = deque(map(str, state["queue"]))
        self._slots = Counter(self._queue)


class FifoMerge(Queue):
    """A queue of objects: a new unit replaces the one of the same object and joins at the end.

    The paper merges when the queue is full; merging also before that only saves slots.
    """

    _segment = "queue"
    _stored = "queue"
    """Name of the keys in a state."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._queue: OrderedDict[str, None] = OrderedDict()

    def admit(self, key: str) -> list[str]:
        """Put `key` at the end; return the key that had to go."""
        self._queue[key] = None
        self._queue.move_to_end(key)
        if len(self._queue) <= self.capacity:
            return []
        return [self._queue.popitem(last=False)[0]]

    def remove(self, key: str) -> None:
        """Take `key` out."""
        self._queue.pop(key, None)

    def order(self) -> list[str]:
        """Return the keys, first to go first."""
        return list(self._queue)

    def segment(self, key: str) -> str:
        """Return the only segment when `key` is in."""
        return self._segment if key in self._queue else ""

    def __len__(self) -> int:
        return len(self._queue)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {self._stored: list(self._queue)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of a queue of the same capacity."""
        self._queue = OrderedDict.fromkeys(map(str, state[self._stored]))
