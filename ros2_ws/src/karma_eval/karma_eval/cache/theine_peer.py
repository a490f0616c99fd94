# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""theine (PyPI), a W-TinyLFU with an adaptive window in Rust, on the same accesses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib.util import find_spec


def available() -> bool:
    """Whether theine is installed."""
    return find_spec("theine") is not None


def theine_hits(keys: Sequence[str], capacity: int) -> int:
    """Return the hits of theine's cache, without locks.

    Keys are numbered: Python hashes strings differently in each process, and theine takes Python's hashes. Its read
    buffers are chosen at random, for which there is a seed.
    """
    from theine import Cache

    numbers: dict[str, int] = {}
    cache: Cache[int, bool] = Cache(capacity, nolock=True)
    state = random.getstate()
    random.seed(0)
    hits = 0
    try:
        for key in keys:
            number = numbers.setdefault(key, len(numbers))
            if cache.get(number)[1]:
                hits += 1
            else:
                cache.set(number, True)
    finally:
        random.setstate(state)
        cache.close()
    return hits
