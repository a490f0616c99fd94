# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a simulated robot is, and what time and way its skills take: the simulators have no clock of their own."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from sim_bridge.backend import Pose2D, Progress

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


class Reckoning(ABC):
    """Counts the seconds and the metres of a robot since its scene was loaded, and of its running skill."""

    def __init__(self) -> None:
        self.motion = Motion()
        self.clock = 0.0
        """Seconds since the scene was loaded."""
        self.odometer = 0.0
        """Metres driven since then."""
        self._began = 0.0
        self._departed = 0.0

    @property
    @abstractmethod
    def pose(self) -> Pose2D:
        """Pose of the base."""

    @property
    def elapsed(self) -> float:
        """Seconds since the running skill began."""
        return self.clock - self._began

    @property
    def travelled(self) -> float:
        """Metres driven since then."""
        return self.odometer - self._departed

    def start_counting(self) -> None:
        """Note that a skill begins."""
        self._began, self._departed = self.clock, self.odometer

    def drove(self, metres: float) -> None:
        """Count a way."""
        self.clock += metres / self.motion.speed
        self.odometer += metres

    def turned(self, radians: float) -> None:
        """Count a turn, of the body or of the camera."""
        self.clock += abs(radians) / self.motion.turn_rate

    def acted(self) -> None:
        """Count a movement of the arm."""
        self.clock += self.motion.act_time

    def progress(self, step: str, *, look: bool = True) -> Progress:
        """Report where the running skill is."""
        return Progress(self.elapsed, step, self.pose, look)


def turns(yaw: float, goal: float, step: float) -> Sequence[float]:
    """Return the headings from `yaw` (left out) to `goal` in steps of at most `step`, the shorter way; radians."""
    angle = math.remainder(goal - yaw, math.tau)
    if abs(angle) < 1e-6:
        return ()
    count = math.ceil(abs(angle) / step - 1e-9)
    return [math.remainder(yaw + angle * k / count, math.tau) for k in range(1, count + 1)]
