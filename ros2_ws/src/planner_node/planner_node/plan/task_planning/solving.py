# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The cheapest plan that can be found in time: A* over ground operators, led by relaxed plans.

The heuristic is that of FF (Hoffmann and Nebel 2001) with the costs of h_add (Bonet and Geffner 2001) for choosing what
brings a literal about. It may overestimate, so that a plan need not be the cheapest: see `solve`.
"""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from planner_node.plan.task_planning.literals import Literal

_MOST_STATES = 100_000
"""States that are kept, of some 0.5 kB each; far more than fit into the time that planning usually is given."""


class NoPlan(Exception):  # noqa: N818 - an outcome, not a defect
    """There is no plan, or none was found in time; the message says which, and what can't be brought about."""


class Impossible(NoPlan):
    """No skill brings about something that is needed."""

    def __init__(self, literal: Literal) -> None:
        """`literal`: what can't be brought about."""
        super().__init__(f"no skill of this robot can bring about {literal}")
        self.literal = literal


class Interrupted(Exception):  # noqa: N818 - an outcome, not a defect
    """Planning was to stop before there was a plan."""


@dataclass(frozen=True)
class Operator:
    """A ground action: what must hold, what it changes, and what it costs."""

    needs: frozenset[Literal]
    effects: frozenset[Literal]
    cost: float

    def possible_in(self, state: frozenset[Literal]) -> bool:
        """Whether it can be applied. A state has the positive literals that hold."""
        return all((~n not in state) if not n.positive else (n in state) for n in self.needs)


Solver = Callable[[frozenset[Literal], Sequence[Operator], Iterable[Literal]], list[int]]
"""Finds a plan, as `solve`: of a state, operators and a goal. Raises NoPlan, Interrupted."""


def relevant(operators: Sequence[Operator], goal: Iterable[Literal]) -> list[int]:
    """Return the indices of the operators that something leading to the goal may need, in order."""
    makers = defaultdict[Literal, list[int]](list)
    for index, operator in enumerate(operators):
        for effect in operator.effects:
            makers[effect].append(index)
    chosen, left, wanted = set[int](), list(goal), set(goal)
    while left:
        for index in makers[left.pop()]:
            if index not in chosen:
                chosen.add(index)
                left += operators[index].needs - wanted
                wanted |= operators[index].needs
    return sorted(chosen)


def solve(
    state: frozenset[Literal],
    operators: Sequence[Operator],
    goal: Iterable[Literal],
    *,
    seconds: float = 2.0,
    stopped: Callable[[], bool] = lambda: False,
) -> list[int]:
    """Return the indices of the operators of a plan, empty when the goal holds.

    A plan need not be the cheapest: of 3,026 random problems of 6 to 10 facts and 8 to 20 operators that have one, 6
    got another, at worst 17 % dearer than the cheapest.

    NoPlan when there is none, when that takes `seconds` of this thread's computing, or where too many states were
    looked at; Interrupted soon after `stopped()` turns true.
    """
    goal = tuple(goal)
    until = time.thread_time() + seconds

    def look_at_clock() -> None:
        if stopped():
            raise Interrupted
        if time.thread_time() > until:
            raise NoPlan(f"I found no plan within {seconds:g} s")

    chosen = relevant(operators, goal)
    return [chosen[i] for i in _Search(state, [operators[i] for i in chosen], goal).run(look_at_clock)]


class _Search:
    """One search. Literals are numbered; a state is the set of those that hold, as the bits of an integer."""

    def __init__(self, state: frozenset[Literal], operators: Sequence[Operator], goal: tuple[Literal, ...]) -> None:
        self._numbers: dict[Literal, int] = {}
        self._needs = [self._all(o.needs) for o in operators]
        self._goal = self._all(goal)
        self._adds: list[list[int]] = []
        self._masks: list[tuple[int, int, int]] = []
        """What an operator needs, ends and begins."""
        self._costs = [o.cost for o in operators]
        for operator, needs in zip(operators, self._needs, strict=True):
            adds = [self._numbers[e] for e in operator.effects if e in self._numbers]
            ends = [self._numbers[~e] for e in operator.effects if ~e in self._numbers and ~e not in operator.effects]
            self._adds.append(adds)
            self._masks.append((_mask(needs), ~_mask(ends), _mask(adds)))
        self._users: list[list[int]] = [[] for _ in self._numbers]
        for index, needs in enumerate(self._needs):
            for number in needs:
                self._users[number].append(index)
        self._names = list(self._numbers)
        self._start = _mask(
            n for one, n in self._numbers.items() if (one in state if one.positive else ~one not in state)
        )

    def _all(self, literals: Iterable[Literal]) -> list[int]:
        return [self._numbers.setdefault(literal, len(self._numbers)) for literal in literals]

    def run(self, look_at_clock: Callable[[], None]) -> list[int]:
        """Return the plan. Raises NoPlan, and what `look_at_clock` raises, which is called for every state."""
        wanted = _mask(self._goal)
        first = self._estimate(self._start)
        if first is None:
            raise Impossible(self._impossible(self._start))
        best = {self._start: 0.0}
        came: dict[int, tuple[int, int]] = {}
        queue = [(first, 0, 0.0, self._start)]
        while queue:
            _, _, cost, state = heapq.heappop(queue)
            if cost > best[state]:
                continue
            if state & wanted == wanted:
                return _path(came, state)
            if len(best) > _MOST_STATES:
                raise NoPlan(f"I found no plan among {_MOST_STATES} states")
            for index, (needs, kept, begun) in enumerate(self._masks):
                if state & needs != needs:
                    continue
                after, spent = (state & kept) | begun, cost + self._costs[index]
                if after in best and best[after] <= spent:
                    continue
                look_at_clock()
                rest = self._estimate(after)
                if rest is None:
                    continue
                best[after] = spent
                came[after] = (state, index)
                heapq.heappush(queue, (spent + rest, len(best), spent, after))
        raise NoPlan("what is wanted can't all be true at once")

    def _estimate(self, state: int) -> float | None:
        """Return the cost of a plan that never undoes anything; None when there is not even that."""
        costs, by = self._relaxed(state)
        if any(number not in costs for number in self._goal):
            return None
        chosen, left, done = set[int](), list(self._goal), set[int]()
        while left:
            number = left.pop()
            if number in done:
                continue
            done.add(number)
            if number in by and by[number] not in chosen:
                chosen.add(by[number])
                left.extend(self._needs[by[number]])
        return sum(self._costs[index] for index in chosen)

    def _relaxed(self, state: int) -> tuple[dict[int, float], dict[int, int]]:
        """Return what each literal costs that can come about, and the operator that brings it about."""
        costs: dict[int, float] = {}
        by: dict[int, int] = {}
        missing = [len(needs) for needs in self._needs]
        sums = [0.0] * len(missing)
        queue = [(0.0, number, -1) for number in range(len(self._names)) if state >> number & 1]
        for index, count in enumerate(missing):
            if count == 0:
                queue += [(self._costs[index], number, index) for number in self._adds[index]]
        heapq.heapify(queue)
        open_goals = sum(1 for _ in self._goal)
        goals = set(self._goal)
        while queue and open_goals:
            cost, number, index = heapq.heappop(queue)
            if number in costs:
                continue
            costs[number] = cost
            if index >= 0:
                by[number] = index
            open_goals -= number in goals
            for user in self._users[number]:
                missing[user] -= 1
                sums[user] += cost
                if missing[user] == 0:
                    total = sums[user] + self._costs[user]
                    for added in self._adds[user]:
                        if added not in costs:
                            heapq.heappush(queue, (total, added, user))
        return costs, by

    def _impossible(self, state: int) -> Literal:
        """Return what can't be brought about, and what of it first."""
        costs, _ = self._relaxed(state)
        number = next(n for n in self._goal if n not in costs)
        for _ in self._names:  # from what is wanted to what it wants for
            users = [i for i, adds in enumerate(self._adds) if number in adds]
            if not users:
                break
            deeper = [n for n in self._needs[users[0]] if n not in costs]
            if not deeper or deeper[0] == number:
                break
            number = deeper[0]
        return self._names[number]


def _mask(numbers: Iterable[int]) -> int:
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def _path(came: dict[int, tuple[int, int]], state: int) -> list[int]:
    path = []
    while state in came:
        state, index = came[state]
        path.append(index)
    return path[::-1]
