# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Least-recently-used replacement."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

SEGMENT = "recent"


class Lru:
    """The key that was not used for longest goes."""

    window_size = 0

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._keys: OrderedDict[str, None] = OrderedDict()

    def admit(self, key: str) -> list[str]:
        """Use `key`; return the key that had to go."""
        self._keys[key] = None
        self._keys.move_to_end(key)
        if len(self._keys) <= self.capacity:
            return []
        return [self._keys.popitem(last=False)[0]]

    def touch(self, key: str) -> None:
        """Use `key`, which is in."""
        self._keys.move_to_end(key)

    def remove(self, key: str) -> None:
        """Take `key` out."""
        self._keys.pop(key, None)

    def load(self, keys: Iterable[str]) -> list[str]:
        """Fill an empty memory, first to go first; return what doesn't fit."""
        return [evicted for key in keys for evicted in self.admit(key)]

    def order(self) -> list[str]:
        """Return the keys, the least recently used first."""
        return list(self._keys)

    def segment(self, key: str) -> str:
        """Return "recent" when `key` is in."""
        return SEGMENT if key in self._keys else ""

    def frequency(self, key: str) -> int:
        """Return 0: uses are not counted."""
        return 0

    def __len__(self) -> int:
        return len(self._keys)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {"keys": list(self._keys)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of a memory of the same capacity."""
        self._keys = OrderedDict.fromkeys(map(str, state["keys"]))
