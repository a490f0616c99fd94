# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The skills of a simulator: which generator runs which."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sim_bridge.backend import Code, Outcome, Skill
from sim_bridge.simulation import handling
from sim_bridge.simulation.approaching import go_to_object, navigate
from sim_bridge.simulation.body import Body, Running
from sim_bridge.simulation.looking import describe, explore, find_object, find_receptacle, find_room

_WAIT_STEPS = 100


def _wait(body: Body, skill: Skill) -> Running:
    """Let time pass."""
    steps = max(1, min(_WAIT_STEPS, math.ceil(skill.duration)))
    for _ in range(steps):
        body.pass_time(skill.duration / steps)
        yield body.progress("waiting")
    return Outcome(Code.SUCCESS)


BEHAVIOURS: Mapping[str, Callable[[Body, Skill], Running]] = MappingProxyType(
    {
        "Explore": explore,
        "GoToObject": go_to_object,
        "PickupObject": handling.pick_up,
        "PutObject": handling.put,
        "OpenObject": handling.set_open,
        "CloseObject": handling.set_open,
        "SwitchOn": handling.switch,
        "SwitchOff": handling.switch,
        "ToggleOn": handling.switch,
        "ToggleOff": handling.switch,
        "SliceObject": handling.slice_object,
        "BreakObject": handling.break_object,
        "ThrowObject": handling.throw,
        "Navigate": navigate,
        "Pick": handling.pick,
        "Place": handling.place,
        "Wait": _wait,
        "FindObject": find_object,
        "FindReceptacle": find_receptacle,
        "FindRoom": find_room,
        "DescribeObject": describe,
    }
)
"""Skill of the table → the generator that runs it; RefusedError when it is not possible."""
