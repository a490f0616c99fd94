# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Bélády's optimum (1966): the hits of a memory that knows the future."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush


def optimal_hits(keys: Sequence[str], capacity: int) -> int:
    """Return the most hits that any memory of `capacity` keys can have that takes in every key it is asked for.

    The key whose next use is farthest away goes. Takes time n log n in the number of accesses.
    """
    never = len(keys)
    following = [never] * len(keys)
    later: dict[str, int] = {}
    for i in range(len(keys) - 1, -1, -1):
        following[i] = later.get(keys[i], never)
        later[keys[i]] = i
    held: dict[str, int] = {}
    farthest: list[tuple[int, str]] = []
    hits = 0
    for key, next_use in zip(keys, following, strict=True):
        if key in held:
            hits += 1
        elif len(held) == capacity:
            # Entries of earlier uses are still in the heap; only a key's last one tells its next use.
            use, victim = heappop(farthest)
            while held.get(victim) != -use:
                use, victim = heappop(farthest)
            del held[victim]
        held[key] = next_use
        heappush(farthest, (-next_use, key))
    return hits
