# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of several topics that belong together, though their stamps differ: to each leader the nearest others."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 500_000_000
"""Nanoseconds by which messages of one instant may be recorded apart."""

MAX_WAITING = 2**30
"""Bytes of the messages that wait."""


@dataclass(frozen=True, eq=False)
class Stamped:
    """A message with its stamp and when it was received, nanoseconds."""

    stamp: int
    received: int
    message: Any
    size: int = 0
    """Bytes."""


@dataclass(frozen=True, eq=False)
class Group:
    """A leader and, for each other stream, the nearest message within the slop; what has none is missing."""

    leader: Stamped
    others: Mapping[str, Stamped] = field(default_factory=dict)


class NearestSynchronizer:
    """Groups messages that come in the order of receipt."""

    def __init__(self, leader: str, others: Sequence[str], *, slop: int) -> None:
        """`slop`: nanoseconds by which stamps of a group may differ from the leader's."""
        self._leader = leader
        self._slop = slop
        self._leaders: deque[Stamped] = deque()
        self._others: dict[str, deque[Stamped]] = {name: deque() for name in others}
        self._used: set[int] = set()
        self._bytes = 0
        self.unused = dict.fromkeys(others, 0)
        """How many messages of each other stream were of no leader's group."""
        self.first_unused: dict[str, int] = {}
        """When the first of those was received."""

    def add(self, stream: str, item: Stamped) -> Iterator[Group]:
        """Take a message; yield the groups that are complete with it, or that waited long enough."""
        (self._leaders if stream == self._leader else self._others[stream]).append(item)
        self._bytes += item.size
        while self._leaders and (self._settled(self._leaders[0], item.received) or self._bytes > MAX_WAITING):
            yield self._take()
        self._forget(item.received)

    def flush(self) -> Iterator[Group]:
        """Yield what still waits, at the end of the recording or of a part of it."""
        while self._leaders:
            yield self._take()
        self._forget(None)

    def _settled(self, leader: Stamped, now: int) -> bool:
        if now - leader.received >= PATIENCE:
            return True
        return all(any(o.stamp == leader.stamp for o in reversed(queue)) for queue in self._others.values())

    def _take(self) -> Group:
        leader = self._leaders.popleft()
        self._bytes -= leader.size
        found: dict[str, Stamped] = {}
        for name, queue in self._others.items():
            near = min(queue, key=lambda o: abs(o.stamp - leader.stamp), default=None)
            if near is not None and abs(near.stamp - leader.stamp) <= self._slop:
                found[name] = near
                self._used.add(id(near))
        return Group(leader, found)

    def _forget(self, now: int | None) -> None:
        """Let go of what is too old for the leaders that wait and for those to come; all of it at the end."""
        if now is not None and self._leaders:
            now = min(now, self._leaders[0].received)
        for name, queue in self._others.items():
            while queue and (now is None or queue[0].received < now - PATIENCE or self._bytes > MAX_WAITING):
                gone = queue.popleft()
                self._bytes -= gone.size
                if id(gone) in self._used:
                    self._used.remove(id(gone))
                else:
                    self.unused[name] += 1
                    self.first_unused.setdefault(name, gone.received)
