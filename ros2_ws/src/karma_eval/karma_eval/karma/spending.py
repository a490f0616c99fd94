# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the simulated time of sequences goes to, and the same in AI2-THOR's steps.

The paper does not say what T in RT = T_reduced / T_total is measured in. Seconds weigh an arm's movement like a metre
of way. AI2-THOR, where the paper measured, has no time: ALFRED counts its steps, where taking a thing is one, like
0.25 m ahead and a turn of 90° (Shridhar et al., 2020, section 3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from karma_eval.karma.sequence import Outcome
from planner_node.skills import Outcome as SkillOutcome
from sim_bridge.simulation.motion import Motion

_STEP = 0.25
"""Metres."""
_TURN = math.pi / 2
"""Radians."""
_ROUNDING = 1e-6
"""Seconds; what a skill took is the difference of two times of a clock."""
_ARMLESS = frozenset(
    {"Explore", "GoToObject", "Navigate", "Wait", "FindObject", "FindReceptacle", "FindRoom", "DescribeObject"}
)


@dataclass(frozen=True)
class Spent:
    """Simulated seconds by what they were spent on."""

    exploring: float = 0.0
    """Driving from viewpoint to viewpoint, and looking around there."""
    driving: float = 0.0
    turning: float = 0.0
    """On the spot, where the robot drives to a thing or faces it; and the camera."""
    handling: float = 0.0
    """Movements of the arm, and waiting."""
    steps: float = 0.0
    """AI2-THOR's steps for the same."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.exploring + other.exploring,
            self.driving + other.driving,
            self.turning + other.turning,
            self.handling + other.handling,
            self.steps + other.steps,
        )


def spent(outcomes: Iterable[Outcome], motion: Motion | None = None) -> Spent:
    """Return what sequences spent their time on. `motion`: of the robot that carried them out."""
    motion = motion or Motion()
    skills = (skill for outcome in outcomes for step in outcome.steps for skill in step.report.outcomes)
    return sum((_of(skill, motion) for skill in skills), Spent())


def _of(skill: SkillOutcome, motion: Motion) -> Spent:
    name = skill.call.skill
    driving = skill.distance / motion.speed
    waiting = skill.duration - driving if name == "Wait" else 0.0
    moved = name not in _ARMLESS and skill.duration - driving >= motion.act_time - _ROUNDING
    arm = motion.act_time if moved else 0.0
    turning = max(0.0, skill.duration - driving - arm - waiting)
    steps = skill.distance / _STEP + turning * motion.turn_rate / _TURN + (arm > 0.0)
    if name == "Explore":
        return Spent(exploring=skill.duration, steps=steps)
    return Spent(0.0, driving, turning, arm + waiting, steps)
