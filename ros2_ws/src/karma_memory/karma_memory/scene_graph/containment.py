# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What holds what: a forest in which an item has one holder at most, by ids that need not be known otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


class Containment:
    """Holder → items. Lean, because a memory has one item for each object: a fifth of a general graph's bytes."""

    def __init__(self) -> None:
        self._items: dict[str, dict[str, str]] = {}
        """Holder → item → how it is held."""
        self._holders: dict[str, str] = {}

    def put(self, item: str, holder: str, how: str = "") -> None:
        """Let `holder` hold an item, and nothing else hold it."""
        self.remove(item)
        self._holders[item] = holder
        held = self._items.get(holder)
        if held is None:
            self._items[holder] = {item: how}
        else:
            held[item] = how

    def remove(self, item: str) -> None:
        """Let nothing hold an item; what it holds itself stays with it."""
        holder = self._holders.pop(item, None)
        if holder is not None:
            held = self._items[holder]
            del held[item]
            if not held:
                del self._items[holder]

    def holder(self, item: str) -> str:
        """Return what holds an item, "" when nothing does."""
        return self._holders.get(item, "")

    def items(self, holder: str) -> Mapping[str, str]:
        """Return what a holder holds, and how."""
        return self._items.get(holder, {})

    def holding(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield all that hold something, and what."""
        yield from self._items.items()

    def within(self, holders: Iterable[str]) -> set[str]:
        """Return all items of `holders`, and of those, and so on."""
        found: set[str] = set()
        waiting = list(holders)
        while waiting:
            for item in self._items.get(waiting.pop(), ()):
                if item not in found:
                    found.add(item)
                    waiting.append(item)
        return found
