# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How far a simulated robot reaches, how fast it is, and how it turns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

REACH = 1.5
"""Metres, horizontally, from the middle of the robot's base to the nearest point of an object's box.

AI2-THOR's agent interacts within 1.5 m as well.
"""


@dataclass(frozen=True)
class Motion:
    """How fast the robot is."""

    speed: float = 0.5
    """Metres a second."""
    turn_rate: float = math.pi / 2
    """Radians a second."""
    act_time: float = 2.0
    """Seconds that one movement of the arm takes."""


def turns(yaw: float, goal: float, step: float) -> Sequence[float]:
    """Return the headings from `yaw` (left out) to `goal` in steps of at most `step`, the shorter way; radians."""
    angle = math.remainder(goal - yaw, math.tau)
    if abs(angle) < 1e-6:
        return ()
    count = math.ceil(abs(angle) / step - 1e-9)
    return [math.remainder(yaw + angle * k / count, math.tau) for k in range(1, count + 1)]
