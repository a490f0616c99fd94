# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How often keys were used lately, in little space: a count-min sketch of 4-bit counters behind a doorkeeper.

TinyLFU (Einziger, Friedman, Manes 2017, section 3): keys seen once only enter the doorkeeper, a Bloom filter; after
`sample` increments all counters are halved and the doorkeeper is cleared, so that the counts stay fresh.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from zlib import crc32

ROWS = 4
"""Counters per key; the estimate is their minimum."""
MAX_COUNT = 15
"""Largest value of a 4-bit counter."""
SAMPLE_FACTOR = 10
"""Increments between two halvings, per unit of capacity, by default."""
HASHED = 16_384
"""Keys whose hash values are kept at hand."""

_GOLDEN = 0x9E3779B97F4A7C15
"""2**64 over the golden ratio: the multiplier of Fibonacci hashing (Knuth, volume 3, section 6.4)."""
_HALVED = bytes((byte >> 1) & 0x77 for byte in range(256))
"""Both 4-bit counters of a byte, halved."""


class FrequencySketch:
    """Approximate use counts, 0..16 (the doorkeeper counts for one); never too low since the last halving."""

    def __init__(self, capacity: int, sample_factor: int = SAMPLE_FACTOR) -> None:
        """Size the sketch for a memory of `capacity` units; it halves after `sample_factor` increments per unit."""
        self.width = 256
        while self.width < 8 * capacity:
            self.width *= 2
        self.sample = sample_factor * max(capacity, 1)
        self.additions = 0
        self.halvings = 0
        """How often the counters were halved: between two halvings no estimate ever falls."""
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
                shift = (column & 1) << 2
                if (row[column >> 1] >> shift) & 0xF < MAX_COUNT:
                    row[column >> 1] += 1 << shift
        self.additions += 1
        if self.additions >= self.sample:
            self._halve()

    def estimate(self, key: str) -> int:
        """Return about how often `key` was used lately."""
        columns = self._columns(key)
        # Written out, like the doorkeeper below: comparing keys is most of what replacing one costs.
        (p, q, r, s), (a, b, c, d) = self._counters, columns
        least = min(
            p[a >> 1] >> ((a & 1) << 2) & 0xF,
            q[b >> 1] >> ((b & 1) << 2) & 0xF,
            r[c >> 1] >> ((c & 1) << 2) & 0xF,
            s[d >> 1] >> ((d & 1) << 2) & 0xF,
        )
        return least + self._at_door(columns)

    def inherit(self, other: FrequencySketch, keys: Iterable[str]) -> None:
        """Take over use counts: all those of a sketch of the same size, else those of `keys`."""
        if (other.width, other.sample) == (self.width, self.sample):
            self.restore(other.snapshot())
            return
        for key in keys:
            for _ in range(other.estimate(key)):
                self.increment(key)

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
        """Return one column per row, by double hashing (Kirsch, Mitzenmacher 2006); the same in every process."""
        first, step = _hashes(key)
        mask = self.width - 1
        return (first & mask, (first + step) & mask, (first + 2 * step) & mask, (first + 3 * step) & mask)

    def _at_door(self, columns: tuple[int, ...]) -> bool:
        door = self._doorkeeper
        a, b, c, d = columns
        bits = door[a >> 3] >> (a & 7) & door[b >> 3] >> (b & 7) & door[c >> 3] >> (c & 7) & door[d >> 3] >> (d & 7)
        return bool(bits & 1)

    def _halve(self) -> None:
        self._counters = [row.translate(_HALVED) for row in self._counters]
        self._doorkeeper = bytearray(len(self._doorkeeper))
        self.additions //= 2
        self.halvings += 1


@lru_cache(maxsize=HASHED)
def _hashes(key: str) -> tuple[int, int]:
    """Return a column and an odd step, 32 bits each."""
    mixed = crc32(key.encode()) * _GOLDEN
    return mixed >> 32 & 0xFFFFFFFF, mixed & 0xFFFFFFFF | 1
