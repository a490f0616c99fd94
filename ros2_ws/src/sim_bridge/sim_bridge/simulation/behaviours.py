# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The skills of a simulator: which generator runs which, and those that are made of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Generic, TypeVar

from sim_bridge.backend import Code, Outcome, Progress, RefusedError, Skill, Target
from sim_bridge.simulation.body import Body, Running
from sim_bridge.simulation.categories import relation_of
from sim_bridge.simulation.looking import describe, explore, find_object, find_receptacle, find_room
from sim_bridge.targets import category_of, named

_WAIT_STEPS = 100

B = TypeVar("B", bound=Body)

Does = Callable[[B, Skill], Running]
"""Runs a skill; RefusedError when it is not possible."""

Sets = Callable[[B, Skill, bool], Running]
"""Runs a skill that gives a thing one of two states: opens or closes, switches on or off."""


@dataclass(frozen=True)
class Behaviours(Generic[B]):
    """What a simulator's robot can do; the fields are what each simulator brings itself."""

    approach: Callable[[B, Target], Generator[Progress, None, str]]
    """Drives to where a target is in reach and in view, and returns its id."""
    navigate: Does[B]
    pick_up: Does[B]
    put: Does[B]
    set_open: Sets[B]
    switch: Sets[B]
    slice_object: Does[B]
    break_object: Does[B]
    throw: Does[B]

    def perform(self, body: B, skill: Skill) -> Running:
        """Run a skill of the table; RefusedError when it is not possible."""
        switch_on, switch_off = _setting(self.switch, True), _setting(self.switch, False)
        table: dict[str, Does[B]] = {
            "Explore": explore,
            "GoToObject": self._go_to_object,
            "PickupObject": self.pick_up,
            "PutObject": self.put,
            "OpenObject": _setting(self.set_open, True),
            "CloseObject": _setting(self.set_open, False),
            "SwitchOn": switch_on,
            "SwitchOff": switch_off,
            "ToggleOn": switch_on,
            "ToggleOff": switch_off,
            "SliceObject": self.slice_object,
            "BreakObject": self.break_object,
            "ThrowObject": self.throw,
            "Navigate": self.navigate,
            "Pick": self._pick,
            "Place": self._place,
            "Wait": _wait,
            "FindObject": find_object,
            "FindReceptacle": find_receptacle,
            "FindRoom": find_room,
            "DescribeObject": describe,
        }
        return table[skill.name](body, skill)

    def _go_to_object(self, body: B, skill: Skill) -> Running:
        """Drive to where the target can be reached, and face it."""
        name = yield from self.approach(body, skill.target)
        return Outcome(Code.SUCCESS, f"{name} is in reach", body.described_with_contents(name))

    def _pick(self, body: B, skill: Skill) -> Running:
        """Drive to the target and take it into the gripper."""
        if body.holding.id:
            raise RefusedError(Code.PRECONDITION_FAILURE, f"the gripper holds {body.holding.id}: put it down first")
        name = yield from self.approach(body, skill.target)
        return (yield from self.pick_up(body, Skill("PickupObject", Target(id=name))))

    def _place(self, body: B, skill: Skill) -> Running:
        """Drive to the receptacle and put down what is held."""
        held, target = require_held(body, "pick something up first"), skill.target
        meant = target.id in (held.id, "") and (
            target.id or category_of(target).casefold() in ("", held.category.casefold())
        )
        if not meant:
            message = f"the gripper holds {held.id}, not {named(target)}: pick that up first"
            raise RefusedError(Code.PRECONDITION_FAILURE, message)
        receptacle = yield from self.approach(body, skill.receptacle)
        put = Skill("PutObject", receptacle=Target(id=receptacle), relation=skill.relation)
        return (yield from self.put(body, put))


def _setting(sets: Sets[B], value: bool) -> Does[B]:
    return lambda body, skill: sets(body, skill, value)


def _wait(body: Body, skill: Skill) -> Running:
    """Let time pass."""
    steps = max(1, min(_WAIT_STEPS, math.ceil(skill.duration)))
    for _ in range(steps):
        body.pass_time(skill.duration / steps)
        yield body.progress("waiting")
    return Outcome(Code.SUCCESS)


def require_held(body: Body, otherwise: str) -> Target:
    """Return id and category of what is in the gripper; RefusedError, saying what to do otherwise, for nothing."""
    if not body.holding.id:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"the gripper is empty: {otherwise}")
    return body.holding


def require_relation(receptacle: str, category: str, relation: str) -> None:
    """Refuse "in" what things are put on, and the other way round."""
    right = relation_of(category)
    if relation in ("in", "on") and relation != right:
        message = f"things are put {right} {receptacle}, not {relation} it: say {right!r}, or nothing"
        raise RefusedError(Code.INVALID_ARGUMENT, message)
