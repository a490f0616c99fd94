# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which object a target means: by id, then by category near the position, then by category among what can be seen."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sim_bridge.ai2thor.rooms import room_at
from sim_bridge.ai2thor.things import Thing
from sim_bridge.backend import Target
from sim_bridge.household.boxes import distance
from sim_bridge.simulation.senses import RANGE
from sim_bridge.targets import NEAR_POSITION, category_of

if TYPE_CHECKING:
    from sim_bridge.ai2thor.agent import Agent


def matches(agent: Agent, target: Target) -> list[Thing]:
    """Return every object that the target may mean: the one with its id, or all of its category."""
    if target.id in agent.things:
        return [agent.things[target.id]]
    wanted = category_of(target).casefold()
    return [t for t in agent.things.values() if t.category.casefold() == wanted]


def resolve(agent: Agent, target: Target) -> Thing | None:
    """Return the object that a target means among what the robot could see from here, in the gripper too.

    An id is taken at its word whether it is seen or not.
    """
    if target.id in agent.things:
        return agent.things[target.id]
    carried = agent.carried()
    found = by_nearness(agent, (t for t in matches(agent, target) if t.visible or t.id in carried), target)
    if found:
        return found[0]
    pose = agent.pose
    near = (t for t in by_nearness(agent, matches(agent, target), target) if t.away(pose.x, pose.y) <= RANGE)
    return next((t for t in near if agent.could_see(t)), None)


def in_view(agent: Agent, target: Target) -> Thing | None:
    """Return what is in view and may be meant by the target."""
    seen = [t for t in matches(agent, target) if t.visible and not agent.senses.miss()]
    return next(iter(by_nearness(agent, seen, target)), None)


def meant(target: Target, thing: Thing) -> bool:
    """Whether an object is the target: it has its id, or it is of its category and where that was remembered."""
    if thing.id == target.id or target.position is None:
        return True
    return distance(thing, target.position) <= NEAR_POSITION


def by_nearness(agent: Agent, things: Iterable[Thing], target: Target) -> list[Thing]:
    """Return things by how well they fit: near the target's position, then in view, then near the robot.

    A floor is meant where it is the one of the room that the position, or else the robot, is in.
    """
    pose = agent.pose
    here = target.position[:2] if target.position is not None else (pose.x, pose.y)

    def rank(thing: Thing) -> tuple[bool, bool, float, bool, float, str]:
        elsewhere = thing.category == "Floor" and room_at(agent.rooms, thing.center[:2]) != room_at(agent.rooms, here)
        away = math.dist(target.position, thing.center) if target.position is not None else math.inf
        close = away <= NEAR_POSITION
        from_robot = math.hypot(thing.center[0] - pose.x, thing.center[1] - pose.y)
        return elsewhere, not close, away if close else 0.0, not thing.visible, from_robot, thing.id

    return sorted(things, key=rank)
