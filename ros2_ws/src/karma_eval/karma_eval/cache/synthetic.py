# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up accesses of the kinds that policies are known to be good or bad at."""

from __future__ import annotations

from bisect import bisect
from itertools import accumulate
from random import Random

from karma_eval.cache.traces import Trace

REQUESTS = 20_000
SEED = 1


def synthetic_traces() -> list[Trace]:
    """Return traces of popular keys (Zipf), with scans, with shifts; of loops; of recent use; of all in turn."""
    rng = Random(SEED)  # noqa: S311 - not for secrets
    popular = _zipf(rng, 1000, REQUESTS)
    scans = [
        key for i, key in enumerate(popular) for key in ([key] if i % 2000 else [f"scan{i + n}" for n in range(800)])
    ]
    shifts = [f"{i // 2500}-{key}" for i, key in enumerate(popular)]
    loop = [f"loop{i % 150}" for i in range(REQUESTS)]
    loops = [f"{i // 4000}-{i % (20, 90, 300, 45, 600)[i // 4000]}" for i in range(REQUESTS)]
    recent = _recent(rng, 40, REQUESTS)
    mixed = [key for kind in (popular, recent, loop) * 2 for key in kind[:3000]]
    named = {"zipf": popular, "scans": scans, "shifts": shifts, "loop": loop, "loops": loops, "recent": recent}
    return [Trace(name, tuple(keys)) for name, keys in {**named, "mixed": mixed}.items()]


def _zipf(rng: Random, keys: int, requests: int) -> list[str]:
    """Return keys of which the k-th is used in proportion to 1 / k**0.9."""
    weights = list(accumulate((k + 1) ** -0.9 for k in range(keys)))
    return [f"zipf{bisect(weights, rng.random() * weights[-1])}" for _ in range(requests)]


def _recent(rng: Random, depth: float, requests: int) -> list[str]:
    """Return keys: each is new with a chance of 3 %, else one that was used `depth` other keys ago on average."""
    used: list[str] = []
    keys = []
    for i in range(requests):
        back = int(rng.expovariate(1 / depth))
        key = f"recent{i}" if back >= len(used) or rng.random() < 0.03 else used.pop(-1 - back)
        used.append(key)
        keys.append(key)
    return keys
