# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether what a user preferred still holds, by what became of their other preferences.

A preference that was overturned changed between its last confirmation and the correction. Many that can have changed at
once are one turning point (a switch of PAHF, section 3.3): what was not confirmed since is in doubt, what was learned
since is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karma_memory.preferences.preference import Preference

PRIOR = 3
"""How many preferences that held the belief is worth that users do not change their mind."""


@dataclass(frozen=True)
class TurningPoint:
    """A time by which a user had changed their mind."""

    stamp: float
    """Seconds: the first correction that shows it."""
    overturned: int
    """Preferences that changed then."""
    held: int
    """Older preferences that were confirmed since."""

    @property
    def steadiness(self) -> float:
        """0..1, that a preference of before, not heard of since, still holds."""
        return (self.held + PRIOR) / (self.held + self.overturned + PRIOR)


def turning_points(history: Sequence[Preference]) -> list[TurningPoint]:
    """Return the fewest times that explain all that was overturned, oldest first. `history`: of one user."""
    changed = sorted((p.valid_until or 0.0, p.confirmed_at) for p in history if p.overturned)
    found: list[list[float]] = []
    """[time, how many changed then]"""
    for corrected, confirmed in changed:
        if found and confirmed < found[-1][0]:
            found[-1][1] += 1
        else:
            found.append([corrected, 1])
    return [
        TurningPoint(stamp, int(count), sum(p.valid_from < stamp <= p.confirmed_at for p in history))
        for stamp, count in found
    ]


def steadiness(preference: Preference, points: Sequence[TurningPoint]) -> float:
    """Return 0..1, that a preference still holds."""
    return min((point.steadiness for point in points if point.stamp > preference.confirmed_at), default=1.0)
