# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a soak proves: nothing lost, nothing that stays away, nothing that grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

BACK_S = 10.0
"""In which all has to be well again after a fault."""
FLAT = 0.1
"""How much of its median a figure may grow over the whole time."""
COUNTED = ("events", "journal MB")
"""What grows with what the robot lives through, and may."""


@dataclass(frozen=True)
class Slope:
    """How a figure changes with time."""

    per_week: float
    low: float
    high: float
    """Of its interval of 95 %."""
    growth: float
    """Over the whole time, as a share of the median."""
    flat: bool
    """Whether it surely does not grow by more than `FLAT`, or may not grow at all."""


def slope(days: Sequence[float], values: Sequence[float]) -> Slope:
    """Return the slope (Theil and Sen) and its interval. ValueError below three days."""
    if len(days) < 3:
        raise ValueError("a slope needs three days")
    from scipy.stats import theilslopes

    found = theilslopes(values, days, 0.95)
    growth = float(found.slope) * (days[-1] - days[0]) / (abs(median(values)) or 1.0)
    flat = growth <= FLAT or found.low_slope <= 0.0
    return Slope(7.0 * found.slope, 7.0 * found.low_slope, 7.0 * found.high_slope, growth, bool(flat))


def slopes(days: Sequence[Mapping[str, float]]) -> dict[str, Slope]:
    """Return the slope of every figure that all days have, but for what may grow. ValueError below three days."""
    if not days:
        raise ValueError("no day is over yet")
    names = [n for n in days[0] if n != "day" and n not in COUNTED and all(n in day for day in days)]
    return {name: slope([day["day"] for day in days], [day[name] for day in days]) for name in names}
