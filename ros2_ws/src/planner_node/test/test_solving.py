# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans that are valid and cheap, beside all plans of small problems; and searches that end in time."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner_node.plan.task_planning import solving
from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.solving import Interrupted, NoPlan, Operator, solve

FACTS = [Literal(name) for name in "abcdef"]
LITERALS = st.sampled_from([*FACTS, *(~fact for fact in FACTS)])


def _consistent(literals: frozenset[Literal]) -> bool:
    return not any(~literal in literals for literal in literals)


SETS = st.frozensets(LITERALS, max_size=3).filter(_consistent)
OPERATORS = st.lists(st.builds(Operator, SETS, SETS.filter(bool), st.integers(1, 9).map(float)), max_size=8)


def _holds(literal: Literal, state: frozenset[Literal]) -> bool:
    return literal in state if literal.positive else ~literal not in state


def _after(operator: Operator, state: frozenset[Literal]) -> frozenset[Literal]:
    """Return the state after an operator. What it both ends and begins holds afterwards."""
    ended = {~e for e in operator.effects if not e.positive}
    return (state - ended) | {e for e in operator.effects if e.positive}


def _cheapest(state: frozenset[Literal], operators: Sequence[Operator], goal: frozenset[Literal]) -> float | None:
    """Return the cost of the cheapest plan, by trying all (Dijkstra); None when there is none."""
    number = itertools.count()
    queue, done = [(0.0, next(number), state)], set[frozenset[Literal]]()
    while queue:
        cost, _, state = heapq.heappop(queue)
        if state in done:
            continue
        done.add(state)
        if all(_holds(g, state) for g in goal):
            return cost
        for o in operators:
            if all(_holds(n, state) for n in o.needs):
                heapq.heappush(queue, (cost + o.cost, next(number), _after(o, state)))
    return None


@settings(deadline=None, max_examples=200)
@given(st.frozensets(st.sampled_from(FACTS)), OPERATORS, SETS)
def test_plans_are_valid_and_found_wherever_there_is_one(
    state: frozenset[Literal], operators: list[Operator], goal: frozenset[Literal]
) -> None:
    best = _cheapest(state, operators, goal)
    try:
        plan = solve(state, operators, goal, seconds=60.0)
    except NoPlan:
        assert best is None
        return
    for index in plan:
        assert all(_holds(need, state) for need in operators[index].needs)
        state = _after(operators[index], state)
    assert all(_holds(literal, state) for literal in goal)
    assert best is not None
    assert best <= sum(operators[index].cost for index in plan)


def _random_problem(rng: random.Random) -> tuple[frozenset[Literal], list[Operator], frozenset[Literal]]:
    """Return a state, eight operators and a goal over six facts."""

    def some(least: int) -> frozenset[Literal]:
        facts = rng.sample(FACTS, rng.randint(least, 3))
        return frozenset(fact if rng.random() < 0.5 else ~fact for fact in facts)

    operators = [Operator(some(0), some(1), float(rng.randint(1, 9))) for _ in range(8)]
    return frozenset(rng.sample(FACTS, rng.randint(0, 3))), operators, some(1)


def test_nearly_every_plan_is_the_cheapest_and_none_is_far_from_it() -> None:
    rng = random.Random(1)
    ratios = []
    for state, operators, goal in (_random_problem(rng) for _ in range(1000)):
        best = _cheapest(state, operators, goal)
        if best:
            plan = solve(state, operators, goal, seconds=60.0)
            ratios.append(sum(operators[index].cost for index in plan) / best)
    assert len(ratios) > 200
    assert sum(ratio > 1.0 for ratio in ratios) <= 0.01 * len(ratios)
    assert max(ratios) < 1.5


def test_of_two_ways_the_cheaper_one_is_taken() -> None:
    a, b, c = FACTS[:3]
    dear = Operator(frozenset(), frozenset({c}), 9.0)
    steps = [Operator(frozenset(), frozenset({a}), 2.0), Operator(frozenset({a}), frozenset({c}), 2.0)]
    assert solve(frozenset(), [dear, *steps], [c]) == [1, 2]
    assert solve(frozenset({b}), [], [b]) == []


def _switches(count: int) -> tuple[list[Literal], list[Operator]]:
    """Return switches and operators, each of which switches one on and all before it off."""
    switches = [Literal("on", (str(n),)) for n in range(count)]
    return switches, [
        Operator(frozenset({~s}), frozenset({s, *(~o for o in switches[:i])}), 1.0) for i, s in enumerate(switches)
    ]


def test_a_search_ends_when_it_is_told_to() -> None:
    switches, operators = _switches(40)
    looks = iter([False] * 100)
    with pytest.raises(Interrupted):
        solve(frozenset(), operators, switches, seconds=3600.0, stopped=lambda: next(looks, True))


def test_a_search_among_many_actions_looks_at_the_clock_for_every_state() -> None:
    switches, operators = _switches(300)  # a state has 300 successors, and each is estimated by 300 operators
    looks = itertools.count()
    with pytest.raises(NoPlan, match=r"no plan within 0\.05 s"):
        solve(frozenset(), operators, switches, seconds=0.05, stopped=lambda: next(looks) > 200)


def test_a_search_keeps_so_many_states_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_MOST_STATES", 500)
    switches, operators = _switches(40)
    looks = itertools.count()
    with pytest.raises(NoPlan, match="among 500 states"):
        solve(frozenset(), operators, switches, seconds=3600.0, stopped=lambda: next(looks) > 5000)
