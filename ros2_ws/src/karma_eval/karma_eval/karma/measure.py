# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's metrics (section 4.2) over the outcomes of many sequences, with 95 % confidence intervals.

- SR: share of the sequences of which every goal was reached.
- MRA: share of the needs, that is things handled before that an instruction is about, that were retrieved.
- MHR: share of the things that instructions were about that short-term memory had when the instruction came.
- RE, RT: explorations and simulated seconds saved, as a share of those without memory, over the sequences solved with
  memory: who gives up early saves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from karma_eval.karma.sequence import Outcome

_Z = 1.959964
"""Of the normal distribution, for 95 %."""
_RESAMPLES = 2000
Interval = tuple[float, float]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Figure:
    """A share and its 95 % confidence interval."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class Metrics:
    """The metrics of one kind of sequences under one ablation; None where nothing of the kind happens."""

    n: int
    """Sequences, the unjudgeable ones among them."""
    unjudgeable: int
    sr: Figure | None
    mra: Figure | None
    re: Figure | None
    rt: Figure | None
    mhr: Figure | None


def metrics(outcomes: Sequence[Outcome], without: Mapping[str, Outcome], unjudgeable: int, seed: int) -> Metrics:
    """Return the metrics of judged outcomes.

    `without`: the outcome of the same sequence without memory, by its name; `seed`: of the bootstrap.
    """
    pairs = [(outcome, without[outcome.task.name]) for outcome in outcomes if outcome.solved]
    needs = [[need.retrieved for need in outcome.needs if need.handled] for outcome in outcomes]
    lookups = [[need.kept for need in outcome.needs] for outcome in outcomes]
    return Metrics(
        len(outcomes) + unjudgeable,
        unjudgeable,
        _proportion(sum(outcome.solved for outcome in outcomes), len(outcomes)),
        _bootstrapped(needs, _share, seed),
        _bootstrapped(pairs, lambda some: saved([(a.explore_steps, b.explore_steps) for a, b in some]), seed),
        _bootstrapped(pairs, lambda some: saved([(a.duration, b.duration) for a, b in some]), seed),
        _bootstrapped(lookups, _share, seed),
    )


def wilson(successes: float, n: int) -> Interval:
    """Return Wilson's score interval of a proportion, 95 %."""
    share, z2 = successes / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def _proportion(successes: int, n: int) -> Figure | None:
    return Figure(successes / n, wilson(successes, n)) if n else None


def _share(groups: Sequence[Sequence[bool]]) -> float | None:
    flat = [value for group in groups for value in group]
    return sum(flat) / len(flat) if flat else None


def saved(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the share saved of (with, without); none where there was nothing to save."""
    total = sum(without for _, without in pairs)
    return 1.0 - sum(with_ for with_, _ in pairs) / total if total > 0 else None


def _bootstrapped(items: Sequence[Item], measure: Callable[[Sequence[Item]], float | None], seed: int) -> Figure | None:
    """Return a figure over whole sequences and its percentile bootstrap interval."""
    value = measure(items)
    if value is None:
        return None
    rng = np.random.default_rng(seed)
    drawn = [measure([items[i] for i in rng.integers(0, len(items), len(items))]) for _ in range(_RESAMPLES)]
    low, high = np.percentile([one for one in drawn if one is not None], [2.5, 97.5])
    return Figure(value, (float(low), float(high)))
