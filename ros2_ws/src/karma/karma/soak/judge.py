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
SHARED = "shared MB"
"""Behind a node's name: pages of Fast DDS' segments, whose size the profile sets (config/fastdds_*.xml).

They are touched one after the other, most of them when a reader was frozen, and stay: this ends at the segments' size.
"""
LATENCIES = ("recall ms", "ask ms", "plan ms")
"""Looked at over all days, at the machine's usual speed, which the control tells (`at_usual_speed`)."""
REMEMBERED = ("rooms", "areas", "things")
"""What the memory holds of the home, which stays as big as it is: looked at over all days.

All else depends on how long its process runs: looked at apart in the calm days.
"""
CONTROL = ", control"
"""Behind the name of a latency: the same of a graph to which nothing happens, in the same minute."""


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


def at_usual_speed(nights: Sequence[Mapping[str, float]], name: str) -> list[tuple[float, float]]:
    """Return days and a latency, as it were if the machine were as quick in each night as in most.

    Only of nights in which the control was measured, too.
    """
    known = [night for night in nights if name in night and name + CONTROL in night]
    usual = median(night[name + CONTROL] for night in known) if known else 0.0
    return [(night["day"], night[name] * usual / night[name + CONTROL]) for night in known]


def slopes(nights: Sequence[Mapping[str, float]], planned: int) -> dict[str, Slope]:
    """Return the slope of each figure that three of the nights have, but for what may grow.

    `nights`: figures by name, with the "day"; `planned`: how many days were.
    """
    before = [night for night in nights if not calm(int(night["day"]), planned)]
    after = [night for night in nights if calm(int(night["day"]), planned)]
    names = dict.fromkeys(name for night in nights for name in night if name not in ("day", *COUNTED))
    parts: dict[str, list[tuple[float, float]]] = {}
    for name in names:
        if name in LATENCIES:
            parts[name] = at_usual_speed(nights, name)
        elif name in REMEMBERED:
            parts[name] = [(night["day"], night[name]) for night in nights if name in night]
        elif not name.endswith((CONTROL, SHARED)):
            for part, its in ((name, before), (f"{name}, calm", after)):
                parts[part] = [(night["day"], night[name]) for night in its if name in night]
    found = {}
    for name, known in parts.items():
        if len(known) >= 3:
            days, values = zip(*known, strict=True)
            found[name] = slope(days, values, RESOLVED_MS if name in LATENCIES else 0.0)
    return found
