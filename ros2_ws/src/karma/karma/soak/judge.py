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
"""How much of its median a figure may grow over the days that are looked at."""
RESOLVED_MS = 0.5
"""By how much a latency may grow, however short it is: less can't be told from what else the machine does."""
CALM = 0.25
"""The last share of the days, in which no process ends, so that what leaks adds up."""
COUNTED = ("events", "journal MB")
"""What grows with what the robot lives through, and may."""
LATENCIES = ("recall ms", "ask ms", "plan ms")
"""Looked at over all days. All else depends on how long its process runs: looked at apart in the calm days."""


@dataclass(frozen=True)
class Slope:
    """How a figure changes with time."""

    per_week: float
    low: float
    high: float
    """Of its interval of 95 %."""
    growth: float
    """Over the days, as a share of the median."""
    flat: bool
    """Whether the whole interval is below a growth by `FLAT`; what is too noisy to tell is not flat."""


def slope(days: Sequence[float], values: Sequence[float], resolved: float = 0.0) -> Slope:
    """Return the slope (Theil and Sen) and its interval. ValueError below three days.

    `resolved`: a growth that is flat whatever the median is, in the unit of the values.
    """
    if len(days) < 3:
        raise ValueError("a slope needs three days")
    from scipy.stats import theilslopes

    found = theilslopes(values, days, 0.95)
    span, typical = days[-1] - days[0], abs(median(values)) or 1.0
    flat = found.high_slope * span <= max(FLAT * typical, resolved)
    growth = float(found.slope * span / typical)
    return Slope(7.0 * found.slope, 7.0 * found.low_slope, 7.0 * found.high_slope, growth, bool(flat))


def calm(day: int, days: int) -> bool:
    """Return whether no process ends on a day of so many."""
    return day >= (1.0 - CALM) * days


def slopes(nights: Sequence[Mapping[str, float]], days: int) -> dict[str, Slope]:
    """Return the slope of each figure that three of the nights have, but for what may grow.

    `nights`: figures by name, with the "day"; `days`: how many days were planned.
    """
    before = [night for night in nights if not calm(int(night["day"]), days)]
    after = [night for night in nights if calm(int(night["day"]), days)]
    names = dict.fromkeys(name for night in nights for name in night if name not in ("day", *COUNTED))
    found = {}
    for name in names:
        parts = {name: nights} if name in LATENCIES else {name: before, f"{name}, calm": after}
        for part, its in parts.items():
            known = [(night["day"], night[name]) for night in its if name in night]
            if len(known) >= 3:
                resolved = RESOLVED_MS if name in LATENCIES else 0.0
                at, values = zip(*known, strict=True)
                found[part] = slope(at, values, resolved)
    return found
