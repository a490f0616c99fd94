# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Items of several streams that belong to the same instant, put together by their exact stamp."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Generic, TypeVar

T = TypeVar("T")


class StampSynchronizer(Generic[T]):
    """Collects one item of each stream for every stamp; bounded, so that a silent stream costs no memory."""

    def __init__(self, streams: Collection[str], *, capacity: int, max_bytes: int, size: Callable[[T], int]) -> None:
        """`capacity`: stamps that are waited for at once; `max_bytes`: of their items; `size`: bytes of an item.

        When there are more, the stamp that came first is given up.
        """
        if not streams or capacity < 1:
            raise ValueError("a synchronizer needs at least one stream and room for one stamp")
        self._streams = frozenset(streams)
        self._capacity = capacity
        self._max_bytes = max_bytes
        self._size = size
        self._pending: dict[int, dict[str, T]] = {}
        self._bytes = 0
        self.given_up = 0
        """Stamps that never became complete."""

    def add(self, stream: str, stamp: int, item: T) -> dict[str, T] | None:
        """Take an item; return stream → item once the stamp (nanoseconds) is complete.

        KeyError for an unknown stream.
        """
        if stream not in self._streams:
            raise KeyError(f"no stream {stream!r} is synchronised; there are {sorted(self._streams)}")
        group = self._pending.setdefault(stamp, {})
        if stream in group:
            self._bytes -= self._size(group[stream])
        group[stream] = item
        self._bytes += self._size(item)
        if len(group) == len(self._streams):
            return self._take(stamp)
        while len(self._pending) > self._capacity or self._bytes > self._max_bytes:
            self._take(next(iter(self._pending)))
            self.given_up += 1
        return None

    def clear(self) -> None:
        """Forget what is waiting."""
        self._pending.clear()
        self._bytes = 0

    def _take(self, stamp: int) -> dict[str, T]:
        group = self._pending.pop(stamp)
        self._bytes -= sum(map(self._size, group.values()))
        return group
