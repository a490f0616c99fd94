# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a robot drives, by the places that it was seen at."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

SPANS = 1.0, 3.0
"""Seconds over which speed is measured: the longer one for localization that tells only now and then."""


@dataclass
class Trail:
    """Where a robot was, lately.

    Localization that corrects itself moves the robot at once by what it was wrong: that is no driving. So the longest
    step between two readings does not count. Driving too fast shows without it, before or after it.
    """

    _seen: list[tuple[float, float, float]] = field(default_factory=list)
    """Seconds, x, y; the oldest first."""

    def add(self, now: float, x: float, y: float) -> None:
        """Note where it is (metres) at a time (seconds)."""
        keep = next((k for k in reversed(range(len(self._seen))) if now - self._seen[k][0] >= max(SPANS)), 0)
        self._seen = [*self._seen[keep:], (now, x, y)]

    def clear(self) -> None:
        """Begin anew."""
        self._seen.clear()

    @property
    def speed(self) -> float:
        """Metres a second without the longest step, over the span where that is most; 0 before the shortest is over."""
        return max(map(self._over, SPANS))

    def _over(self, span: float) -> float:
        now = self._seen[-1][0] if self._seen else 0.0
        began = next((k for k in reversed(range(len(self._seen))) if now - self._seen[k][0] >= span), None)
        if began is None:
            return 0.0
        seen = self._seen[began:]
        steps = [(b[1] - a[1], b[2] - a[2]) for a, b in pairwise(seen)]
        longest = max(steps, key=lambda step: math.hypot(*step))
        way = (seen[-1][1] - seen[0][1] - longest[0], seen[-1][2] - seen[0][2] - longest[1])
        return math.hypot(*way) / (now - seen[0][0])
