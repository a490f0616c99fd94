# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Hit rates and times of policies on a trace."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from karma_eval.cache import theine_peer
from karma_eval.cache.opt import optimal_hits
from karma_eval.cache.traces import Trace
from karma_memory.short_term import PolicySettings, make_policy

Hits = Callable[[Sequence[str], int], int]
"""From keys and a capacity to the number of hits."""

ADAPTIVE, THEINE, OPTIMUM = "W-TinyLFU adaptive", "theine", "OPT"


@dataclass(frozen=True)
class Score:
    """How a policy did."""

    hit_rate: float
    """Percent."""
    ns_per_op: float
    """Nanoseconds an access, look-up and admission together."""


@dataclass(frozen=True)
class Result:
    """How all policies did on a trace."""

    trace: str
    capacity: int
    requests: int
    policies: dict[str, Score]


def policy_hits(policy: str, window: float, keys: Sequence[str], capacity: int) -> int:
    """Return the hits of a policy of KARMA's short-term memory."""
    memory = make_policy(PolicySettings(policy, capacity, window))
    hits = 0
    for key in keys:
        hits += bool(memory.segment(key))
        memory.admit(key)
    return hits


def contestants() -> dict[str, Hits]:
    """Return what is compared, by the names in the report; theine only where it is installed."""
    ours: dict[str, Hits] = {
        "FIFO": partial(policy_hits, "fifo", 1.0),
        "FIFO+merge": partial(policy_hits, "fifo_merge", 1.0),
        "LRU": partial(policy_hits, "lru", 1.0),
        "LFU": partial(policy_hits, "lfu", 1.0),
        "W-TinyLFU 1%": partial(policy_hits, "w_tinylfu", 0.01),
        "W-TinyLFU 20%": partial(policy_hits, "w_tinylfu", 0.2),
        "W-TinyLFU 50%": partial(policy_hits, "w_tinylfu", 0.5),
        "W-TinyLFU 90%": partial(policy_hits, "w_tinylfu", 0.9),
        "KARMA 9+1": partial(policy_hits, "w_tinylfu_karma", 0.9),
        ADAPTIVE: partial(policy_hits, "w_tinylfu_adaptive", 1.0),
    }
    peers: dict[str, Hits] = {THEINE: theine_peer.theine_hits} if theine_peer.available() else {}
    return {**ours, **peers, OPTIMUM: optimal_hits}


def score(hits: Hits, trace: Trace, capacity: int) -> Score:
    """Run a policy over a trace."""
    began = time.perf_counter_ns()
    count = hits(trace.keys, capacity)
    spent = time.perf_counter_ns() - began
    return Score(100.0 * count / len(trace.keys), spent / len(trace.keys))
