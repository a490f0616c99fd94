# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The optimum against trying everything, and hit rates that others have published or that follow from a loop."""

import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_eval.cache import theine_peer
from karma_eval.cache.measure import ADAPTIVE, OPTIMUM, THEINE, contestants, policy_hits
from karma_eval.cache.opt import optimal_hits
from karma_eval.cache.synthetic import synthetic_traces
from karma_eval.cache.traces import read_trace

DATA = os.environ.get("KARMA_DATA", "")

KNOWN = {
    "lirs/gli.trace.gz": {"LRU": 11.2, "LFU": 31.3, THEINE: 50.8, OPTIMUM: 53.1},
    "lirs/loop.trace.gz": {"LRU": 0.0, "LFU": 0.0, THEINE: 46.3, OPTIMUM: 50.5},
    "lirs/multi1.trace.gz": {"LRU": 48.2, "LFU": 49.7, THEINE: 68.5, OPTIMUM: 71.4},
    "cache2k/web07.trace.xz": {"LRU": 45.7, "LFU": 38.7, THEINE: 48.4, OPTIMUM: 59.3},
}
"""Hit rates in percent that the project was given, at the traces' known capacities."""


def most_hits(keys, capacity):
    """Return the most hits that are possible, by trying every victim."""

    @cache
    def best(position, held):
        if position == len(keys):
            return 0
        key = keys[position]
        if key in held:
            return 1 + best(position + 1, held)
        if len(held) < capacity:
            return best(position + 1, held | {key})
        return max(best(position + 1, held - {victim} | {key}) for victim in held)

    return best(0, frozenset())


@settings(max_examples=200, deadline=None)
@given(keys=st.lists(st.sampled_from("abcdef"), max_size=14), capacity=st.integers(1, 4))
def test_the_optimum_is_the_most_that_trying_everything_finds(keys, capacity):
    assert optimal_hits(keys, capacity) == most_hits(tuple(keys), capacity)


@settings(max_examples=40, deadline=None)
@given(keys=st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=120), capacity=st.integers(1, 8))
def test_no_policy_beats_the_optimum(keys, capacity):
    limit = optimal_hits(keys, capacity)
    for name, hits in contestants().items():
        if name not in (THEINE, OPTIMUM):  # theine may hold some units more until its buffers are worked off
            assert hits(keys, capacity) <= limit, name


def test_a_loop_over_more_than_fits_leaves_lru_without_hits_and_the_optimum_with_all_but_one_unit():
    """Of n keys in a loop, capacity c: the optimum keeps c - 1 of them and passes the rest through one place."""
    keys = [str(i % 30) for i in range(3000)]
    assert policy_hits("lru", 1.0, keys, 20) == policy_hits("fifo", 1.0, keys, 20) == 0
    assert optimal_hits(keys, 20) == pytest.approx((3000 - 30) * 19 / 29, abs=20)
    assert policy_hits("w_tinylfu_adaptive", 1.0, keys, 20) > 0.9 * optimal_hits(keys, 20)


@pytest.mark.slow
@pytest.mark.parametrize("capacity", [16, 64])
def test_the_adaptive_policy_is_at_most_one_point_worse_than_lru_or_lfu_on_any_made_up_trace(capacity):
    for trace in synthetic_traces():
        rates = {name: 100 * hits(trace.keys, capacity) / len(trace.keys) for name, hits in contestants().items()}
        assert rates[ADAPTIVE] >= max(rates["LRU"], rates["LFU"]) - 1.0, (trace.name, rates)


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="KARMA_DATA does not name the folder with traces/ and memento/")
@pytest.mark.parametrize("file", KNOWN)
def test_known_hit_rates_are_reproduced_and_the_adaptive_policy_is_at_most_a_point_below_the_best(file):
    trace = read_trace(Path(DATA) / "traces" / file)
    measured = {
        name: 100 * hits(trace.keys, trace.capacity) / len(trace.keys)
        for name, hits in contestants().items()
        if name in (*KNOWN[file], ADAPTIVE)
    }
    for name, known in KNOWN[file].items():
        if name != THEINE:
            assert measured[name] == pytest.approx(known, abs=0.06), name
        elif theine_peer.available():  # its buffers drop some reads at random
            assert measured[name] == pytest.approx(known, abs=2.0)
    assert measured[ADAPTIVE] >= max(known for name, known in KNOWN[file].items() if name != OPTIMUM) - 1.0


@pytest.mark.skipif(not (DATA and theine_peer.available()), reason="needs KARMA_DATA with traces/, and theine")
@pytest.mark.parametrize(("file", "capacity"), [("gli", 750), ("multi1", 300), ("multi1", 400)])
def test_between_the_known_capacities_too_the_adaptive_policy_is_at_most_a_point_below_theine(file, capacity):
    keys = read_trace(Path(DATA) / f"traces/lirs/{file}.trace.gz").keys
    hits = contestants()
    assert hits[ADAPTIVE](keys, capacity) >= hits[THEINE](keys, capacity) - 0.01 * len(keys)
