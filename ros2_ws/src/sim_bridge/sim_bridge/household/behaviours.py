# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which generator runs which skill of the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sim_bridge.backend import Skill
from sim_bridge.household import approaching, exploring, handling
from sim_bridge.household.agent import Agent, Running

_SKILLS: dict[str, Callable[[Agent, Skill], Running]] = {
    "Explore": exploring.explore,
    "GoToObject": approaching.go_to_object,
    "PickupObject": handling.pick_up,
    "PutObject": handling.put,
    "OpenObject": partial(handling.set_open, value=True),
    "CloseObject": partial(handling.set_open, value=False),
    "SwitchOn": partial(handling.switch, value=True),
    "SwitchOff": partial(handling.switch, value=False),
    "ToggleOn": partial(handling.switch, value=True),
    "ToggleOff": partial(handling.switch, value=False),
    "SliceObject": handling.slice_object,
    "BreakObject": handling.break_object,
    "ThrowObject": handling.throw,
    "Navigate": approaching.navigate,
    "Pick": handling.pick,
    "Place": handling.place,
    "Wait": handling.wait,
    "FindObject": exploring.find_object,
    "FindReceptacle": exploring.find_receptacle,
    "FindRoom": exploring.find_room,
    "DescribeObject": exploring.describe,
}


def perform(agent: Agent, skill: Skill) -> Running:
    """Run a skill of the table; RefusedError when it is not possible."""
    return _SKILLS[skill.name](agent, skill)
