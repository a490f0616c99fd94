# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which generator runs which skill on a robot."""

from __future__ import annotations

from collections.abc import Callable

from sim_bridge.backend import Skill
from sim_bridge.robot import handling, looking
from sim_bridge.robot.body import Body
from sim_bridge.simulation.body import Running

_SKILLS: dict[str, Callable[[Body, Skill], Running]] = {
    "Explore": looking.explore,
    "GoToObject": looking.go_to_object,
    "Navigate": looking.navigate,
    "FindObject": looking.find_object,
    "FindReceptacle": looking.find_receptacle,
    "FindRoom": looking.find_room,
    "DescribeObject": looking.describe,
    "PutObject": handling.put,
    "ThrowObject": handling.throw,
    "Pick": handling.pick,
    "Place": handling.place,
    "Wait": handling.wait,
}


def perform(body: Body, skill: Skill) -> Running:
    """Run a skill that the robot has; RefusedError when it is not possible."""
    return _SKILLS.get(skill.name, handling.handle)(body, skill)
