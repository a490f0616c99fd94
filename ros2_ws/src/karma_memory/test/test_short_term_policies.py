# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every replacement policy against a simple model, over random operations."""

import json
import os
import random
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replacement_models import exchanged, model_of

from karma_memory.short_term import POLICIES, FrequencySketch, PolicySettings, WTinyLfu, make_policy
from karma_memory.short_term.policy import exchange

ALPHABET = "abcdefghijklmnop"
keys = st.sampled_from(ALPHABET)
shares = st.floats(0.05, 1.0)
operations = st.lists(st.tuples(st.sampled_from(["admit", "admit", "admit", "touch", "remove"]), keys), max_size=80)


def run(policy, steps):
    """Drive a policy; return what should be in it: everything admitted and neither removed nor evicted since."""
    inside = set()
    for step, key in steps:
        if step == "admit":
            inside.add(key)
            evicted = policy.admit(key)
            assert len(set(evicted)) == len(evicted)
            assert inside >= set(evicted)
            inside -= set(evicted)
        elif step == "touch" and key in inside:
            policy.touch(key)
        elif step == "remove":
            policy.remove(key)
            inside.discard(key)
        yield inside


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=150, deadline=None)
@given(steps=operations, capacity=st.integers(1, 8), window=shares, protected=st.floats(0.0, 1.0))
def test_a_policy_holds_exactly_what_was_admitted_and_did_not_go_within_its_capacity(
    name, steps, capacity, window, protected
):
    policy = make_policy(PolicySettings(name, capacity, window, protected))
    for inside in run(policy, steps):
        assert sorted(policy.order()) == sorted(inside)
        assert len(policy) <= capacity
        assert len(inside) <= len(policy)
        assert all(policy.segment(key) for key in inside)
        assert not policy.segment("not there")


def apply(policy, step, key):
    """Let a policy, or a model of one, take a step; return what went."""
    if step == "admit":
        return policy.admit(key)
    if step == "remove":
        policy.remove(key)
    elif policy.segment(key):
        policy.touch(key)
    return []


def agree(policy, model):
    assert policy.order() == model.order()
    assert len(policy) <= policy.capacity
    assert [policy.segment(key) for key in ALPHABET] == [model.segment(key) for key in ALPHABET]


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=60, deadline=None)
@given(steps=operations, more=operations, capacity=st.integers(1, 6), window=shares, protected=st.floats(0.0, 1.0))
def test_a_restored_policy_goes_on_as_the_one_that_was_saved(name, steps, more, capacity, window, protected):
    policy = make_policy(PolicySettings(name, capacity, window, protected))
    list(run(policy, steps))
    copy = make_policy(PolicySettings(name, capacity, window, protected))
    copy.restore(json.loads(json.dumps(policy.snapshot())))
    assert copy.order() == policy.order()
    for step, key in more:
        assert apply(copy, step, key) == apply(policy, step, key)
    assert copy.snapshot() == policy.snapshot()


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=100, deadline=None)
@given(steps=operations, capacity=st.integers(1, 8), window=shares, protected=st.floats(0.0, 1.0))
def test_a_policy_does_what_its_model_in_plain_lists_does(name, steps, capacity, window, protected):
    policy = make_policy(PolicySettings(name, capacity, window, protected))
    model = model_of(PolicySettings(name, capacity, window, protected))
    for step, key in steps:
        assert apply(policy, step, key) == apply(model, step, key)
        agree(policy, model)


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_does_what_its_model_does_over_thousands_of_steps_restarts_and_changes_of_settings(name):
    rng = random.Random(name)
    current = PolicySettings(name, 6, 0.5)
    policy, model = make_policy(current), model_of(current)
    for step in range(6000):
        # Some keys are used much more often than others, and which these are changes.
        key = ALPHABET[(min(rng.randrange(16), rng.randrange(16)) + step // 500) % 16]
        kind = rng.choices(["admit", "touch", "remove", "save", "change"], [60, 20, 2, 1, 1])[0]
        if kind == "save":
            saved = json.loads(json.dumps(policy.snapshot()))
            policy = make_policy(current)
            policy.restore(saved)
        elif kind == "change":
            other = rng.choice([name, name, *POLICIES])
            current = PolicySettings(
                other, rng.randint(1, 12), rng.choice([0.1, 0.5, 0.9]), rng.choice([0.0, 0.5, 0.8, 1.0])
            )
            policy, _ = exchange(policy, current)
            model = exchanged(model, current)
        else:
            assert apply(policy, kind, key) == apply(model, kind, key)
        agree(policy, model)


@settings(max_examples=150, deadline=None)
@given(
    steps=operations,
    first=st.builds(PolicySettings, st.sampled_from(POLICIES), st.integers(1, 8), shares, st.floats(0.0, 1.0)),
    second=st.builds(PolicySettings, st.sampled_from(POLICIES), st.integers(1, 8), shares, st.floats(0.0, 1.0)),
)
def test_changing_policy_or_capacity_loses_only_what_no_longer_fits_in_the_old_order(steps, first, second):
    old = make_policy(first)
    list(run(old, steps))
    order = old.order()
    new, evicted = exchange(old, second)
    assert evicted == order[: max(0, len(order) - second.capacity)]
    assert sorted(new.order()) == sorted(order[len(evicted) :])
    assert new.capacity == second.capacity


@given(steps=st.lists(keys, max_size=100), capacity=st.integers(1, 8))
def test_fifo_keeps_the_last_units_and_merging_keeps_the_last_objects(steps, capacity):
    plain = make_policy(PolicySettings("fifo", capacity))
    merging = make_policy(PolicySettings("fifo_merge", capacity))
    for key in steps:
        plain.admit(key)
        merging.admit(key)
    assert set(plain.order()) == set(steps[-capacity:])
    assert merging.order() == list(dict.fromkeys(reversed(steps)))[:capacity][::-1]


@given(steps=st.lists(keys, max_size=100), capacity=st.integers(1, 8))
def test_lru_keeps_the_objects_used_last(steps, capacity):
    policy = make_policy(PolicySettings("lru", capacity))
    for key in steps:
        policy.admit(key)
    assert policy.order() == list(dict.fromkeys(reversed(steps)))[:capacity][::-1]


def test_lfu_evicts_the_least_used_and_of_several_the_one_not_used_for_longest():
    policy = make_policy(PolicySettings("lfu", 3))
    for key in "aabbc":
        policy.admit(key)
    assert policy.admit("d") == ["c"]  # used once
    policy.touch("d")
    assert policy.admit("e") == ["a"]  # a, b and d were used twice, a before the others
    policy.remove("e")
    assert policy.admit("a") == []
    assert policy.admit("f") == ["a"]  # what it was used before it left does not count


def hits(name, uses, capacity, window=0.5):
    policy = make_policy(PolicySettings(name, capacity, window))
    count = 0
    for key in uses:
        count += bool(policy.segment(key))
        policy.admit(key)
    return count


def test_the_adaptive_window_opens_where_recency_counts_and_closes_in_a_loop():
    rng = random.Random(3)
    policy = make_policy(PolicySettings("w_tinylfu_adaptive", 20))
    sizes = []
    for phase in range(4):
        for i in range(3000):
            # New objects, each used again within the next twenty uses; then a loop over one object more than fits.
            recent = f"{phase}-{max(0, i - rng.randrange(20))}"
            policy.admit(recent if phase % 2 == 0 else f"loop{i % 21}")
        sizes.append(policy.window_size)
    assert min(sizes[0], sizes[2]) >= 15
    assert max(sizes[1], sizes[3]) <= 2


@pytest.mark.parametrize(("capacity", "window"), [(128, 128), (129, 1)])
def test_the_adaptive_window_starts_with_all_of_a_small_memory_and_with_one_unit_of_a_large_one(capacity, window):
    assert make_policy(PolicySettings("w_tinylfu_adaptive", capacity)).window_size == window


def test_the_adaptive_window_of_a_large_memory_opens_when_another_has_more_hits_than_its_credit():
    policy = make_policy(PolicySettings("w_tinylfu_adaptive", 200))
    for key in [f"old{i}" for i in range(200)] + ["a", "b", "c", "d"]:
        policy.admit(key)
    sizes = []
    for key in "abc":  # a window of one has lost them, the others have not
        policy.admit(key)
        sizes.append(policy.window_size)
    assert sizes == [1, 1, 20]


def test_the_adaptive_policy_soon_takes_keys_used_twice_since_those_on_probation_were_used():
    policy = make_policy(PolicySettings("w_tinylfu_adaptive", 200))
    for key in [f"old{i}" for i in range(200)] * 2 + [f"new{i}" for i in range(220)] * 3:  # a loop: no window helps
        policy.admit(key)
    # Each was used three times, an old one twice: a lead of one. 41 old ones are on probation, and lose.
    assert sum(key.startswith("new") for key in policy.order()) == 41


def test_of_an_earlier_versions_state_the_adaptive_policy_takes_over_use_counts_and_who_goes_first():
    policy = make_policy(PolicySettings("w_tinylfu_adaptive", 4))
    for key in "abcdab":
        policy.admit(key)
    state = {"held": list("cdab"), "superfluous": ["b", "d"], "sketch": policy.snapshot()["sketch"]}
    copy = make_policy(PolicySettings("w_tinylfu_adaptive", 4))
    copy.restore(json.loads(json.dumps(state)))
    assert copy.admit("e") == ["b"]
    assert copy.admit("f") == ["d"]
    assert copy.frequency("a") == 2


@pytest.mark.parametrize("capacity", [4, 16, 64])
def test_the_adaptive_policy_keeps_up_with_the_best_of_the_others_on_loops_scans_shifts_and_recent_use(capacity):
    rng = random.Random(7)
    crowd = 4 * capacity
    popular = [f"p{min(rng.randrange(crowd), rng.randrange(crowd), rng.randrange(crowd))}" for _ in range(6000)]
    workloads = {
        "popular": popular,
        "scans": [key for i, key in enumerate(popular) for key in (key, f"scan{i}")],
        "shifts": [f"{i // 1500}{key}" for i, key in enumerate(popular)],
        "loop": [f"loop{i % (2 * capacity)}" for i in range(6000)],
        "recent": [f"r{max(0, i - rng.randrange(capacity))}" for i in range(6000)],
    }
    for name, uses in workloads.items():
        best = max(hits(other, uses, capacity, 0.01) for other in ("lru", "lfu", "w_tinylfu"))
        assert hits("w_tinylfu_adaptive", uses, capacity) >= best - 0.015 * len(uses), name


def test_policies_do_the_same_in_every_process():
    """Python hashes strings differently in each: nothing may depend on it."""
    program = (
        "import random\n"
        "from karma_memory.short_term import POLICIES, PolicySettings, make_policy\n"
        "for name in POLICIES:\n"
        "    rng, policy = random.Random(1), make_policy(PolicySettings(name, 9, 0.3))\n"
        "    went = [policy.admit(f'k{min(rng.randrange(40), rng.randrange(40))}') for _ in range(900)]\n"
        "    print(went, policy.snapshot())\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1


def test_karma_evicts_the_least_used_of_window_and_probation_whatever_its_age():
    policy = WTinyLfu(4, 0.5, compare_all=True)
    for key in "abcd":
        policy.admit(key)
    for key in "abd":
        policy.touch(key)
    assert policy.admit("e") == ["c"]  # used once; the others twice


def test_karma_never_evicts_the_newcomer_and_spares_the_protected():
    policy = WTinyLfu(5, 0.2, compare_all=True)  # window 1, protected 3
    for key in "abc":
        policy.admit(key)
    for key in "ab":
        policy.touch(key)
    assert [policy.segment(key) for key in "abc"] == ["protected", "protected", "window"]
    for key in "defghi":
        evicted = policy.admit(key)
        assert key not in evicted
        assert not {"a", "b"} & set(evicted)


def test_without_comparing_all_a_rare_candidate_goes_before_a_frequent_unit_on_probation():
    policy = WTinyLfu(2, 0.5, compare_all=False)  # window 1, probation 1
    policy.admit("a")
    for _ in range(3):
        policy.touch("a")
    policy.admit("b")  # a moves to probation
    assert policy.admit("c") == ["b"]
    for _ in range(8):
        policy.touch("c")
    assert policy.admit("d") == ["a"]


def test_the_papers_split_of_ten_is_a_window_of_nine_and_a_main_segment_of_one():
    policy = WTinyLfu(10, PolicySettings().window, compare_all=True)
    assert (policy.window_size, policy._segments.protected_size) == (9, 0)


@pytest.mark.parametrize(("share", "size"), [(0.0, 0), (0.5, 4), (0.8, 6), (1.0, 8)])
def test_the_protected_segment_has_its_share_of_what_is_not_in_the_window(share, size):
    assert make_policy(PolicySettings("w_tinylfu", 10, 0.2, share))._segments.protected_size == size


def test_frequent_objects_survive_a_scan_that_empties_a_queue():
    """W-TinyLFU's reason to be: objects in steady use outlive a crowd of objects that are seen once."""
    hits = Counter()
    for name in POLICIES:
        rng = random.Random(1)
        policy = make_policy(PolicySettings(name, 10, 0.2))
        for i in range(4000):
            key = f"daily{rng.randrange(8)}" if rng.random() < 0.4 else f"once{i}"
            hits[name] += bool(policy.segment(key))
            policy.admit(key)
    assert hits["w_tinylfu"] > 2 * hits["fifo_merge"]
    assert hits["w_tinylfu_karma"] > 2 * hits["fifo_merge"]


@given(st.lists(keys, max_size=100))
def test_the_sketch_never_counts_too_little_before_it_halves(uses):
    sketch = FrequencySketch(64)  # halves after 640
    for key in uses:
        sketch.increment(key)
    for key, count in Counter(uses).items():
        assert sketch.estimate(key) >= min(count, 16)


def test_the_sketch_is_exact_for_a_few_keys_and_saturates_at_sixteen():
    sketch = FrequencySketch(64)
    for key, count in {"a": 1, "b": 2, "c": 9, "d": 40}.items():
        for _ in range(count):
            sketch.increment(key)
    assert [sketch.estimate(key) for key in "abcde"] == [1, 2, 9, 16, 0]


def test_the_sketch_halves_its_counters_and_forgets_what_came_once():
    sketch = FrequencySketch(2)  # sample: 20
    for _ in range(9):
        sketch.increment("a")  # 1 at the door, 8 counted
    for i in range(11):
        sketch.increment(f"once{i}")
    assert sketch.estimate("a") == 4
    assert sketch.estimate("once3") == 0
    assert sketch.additions == 10


@pytest.mark.parametrize(
    "fields", [{"policy": "best"}, {"capacity": 0}, {"capacity": 1.5}, {"window": 0.0}, {"window": 2}]
)
def test_senseless_settings_are_refused(fields):
    with pytest.raises(ValueError, match=next(iter(fields))):
        PolicySettings(**fields)
