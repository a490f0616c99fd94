# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How often keys were used lately, in little space: a count-min sketch of 4-bit counters behind a doorkeeper.

TinyLFU (Einziger, Friedman, Manes 2017, section 3): keys seen once only enter the doorkeeper, a Bloom filter; after
`sample` increments all counters are halved and the doorkeeper is cleared, so that the counts stay fresh.
"""

from __future__ import annotations

import hashlib
from typing import Any

ROWS = 4
"""Counters per key; the estimate is their minimum."""
MAX_COUNT = 15
"""Largest value of a 4-bit counter."""
SAMPLE_FACTOR = 10
"""Increments between two halvings, per unit of capacity."""

_HALVED = bytes((byte >> 1) & 0x77 for byte in range(256))
"""Both 4-bit counters of a byte, halved."""


class FrequencySketch:
    """Approximate use counts, 0..16 (the doorkeeper counts for one); never too low since the last halving."""

    def __init__(self, capacity: int) -> None:
        """Size the sketch for a memory of `capacity` units."""
        self.width = 256
        while self.width < 8 * capacity:
            self.width *= 2
        self.sample = SAMPLE_FACTOR * max(capacity, 1)
        self.additions = 0
        self._counters = [bytearray(self.width // 2) for _ in range(ROWS)]
        self._doorkeeper = bytearray(self.width // 8)

    def increment(self, key: str) -> None:
        """Count one use of `key`."""
        columns = self._columns(key)
        if not self._at_door(columns):
            for column in columns:
                self._doorkeeper[column >> 3] |= 1 << (column & 7)
        else:
            for row, column in zip(self._counters, columns, strict=True):
                shift = (column & 1) * 4
                if (row[column >> 1] >> shift) & 0xF < MAX_COUNT:
                    row[column >> 1] += 1 << shift
        self.additions += 1
        if self.additions >= self.sample:
            self._halve()

    def estimate(self, key: str) -> int:
        """Return about how often `key` was used lately."""
        columns = self._columns(key)
        counts = ((row[c >> 1] >> ((c & 1) * 4)) & 0xF for row, c in zip(self._counters, columns, strict=True))
        return min(counts) + self._at_door(columns)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {
            "additions": self.additions,
            "counters": [bytes(row).hex() for row in self._counters],
            "doorkeeper": bytes(self._doorkeeper).hex(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take the state over from a sketch of the same capacity."""
        counters = [bytearray.fromhex(row) for row in state["counters"]]
        doorkeeper = bytearray.fromhex(state["doorkeeper"])
        if [len(row) for row in counters] != [self.width // 2] * ROWS or len(doorkeeper) != self.width // 8:
            raise ValueError("the state is that of a sketch of another size")
        self._counters, self._doorkeeper, self.additions = counters, doorkeeper, int(state["additions"])

    def _columns(self, key: str) -> tuple[int, ...]:
        """Return one column per row; the same in every process."""
        digest = hashlib.blake2b(key.encode(), digest_size=4 * ROWS).digest()
        return tuple(int.from_bytes(digest[4 * i : 4 * i + 4], "little") & (self.width - 1) for i in range(ROWS))

    def _at_door(self, columns: tuple[int, ...]) -> bool:
        return all(self._doorkeeper[column >> 3] >> (column & 7) & 1 for column in columns)

    def _halve(self) -> None:
        self._counters = [row.translate(_HALVED) for row in self._counters]
        self._doorkeeper = bytearray(len(self._doorkeeper))
        self.additions //= 2
