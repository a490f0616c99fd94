# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that look: Explore, FindObject, FindReceptacle, FindRoom, DescribeObject."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sim_bridge.backend import Code, Outcome, RefusedError, SeenObject, Skill, Target
from sim_bridge.household.agent import Agent, Running
from sim_bridge.household.robot import TRAVEL_PITCH
from sim_bridge.household.targets import matches, named, rooms_named

_STEP = 2 / 3
"""Share of the camera's width by which it is turned between looks: 60° where it sees 90°."""


def explore(agent: Agent, skill: Skill) -> Running:
    """Look around at the positions, or over all free space, until the target is seen."""
    target, robot = skill.target, agent.robot
    wanted = bool(target.id or target.category)
    looks = agent.looks
    count = math.ceil(math.tau / (_STEP * 2 * robot.half_width) - 1e-9)
    found = agent.in_view(target) if wanted else ""
    stops = [agent.grid.nearest(x, y, agent.grid.storey_of(z)) for x, y, z in skill.positions]
    left = list(dict.fromkeys(stops or agent.grid.viewpoints))
    while left and not found:
        goal = left[0] if stops else _closest(agent, left)
        left.remove(goal)
        path = agent.grid.path(robot.cell, goal)
        if not path:
            continue
        for progress in robot.follow(path, f"driving to viewpoint {looks.steps + 1}"):
            yield progress
            found = agent.in_view(target) if wanted else ""
            if found:
                break
        if found:
            break
        looks.steps += 1
        robot.pitch = TRAVEL_PITCH
        for _ in range(count):
            yield from robot.turn(
                robot.yaw + math.tau / count, f"looking around at viewpoint {looks.steps}", math.tau / count
            )
            agent.look()
            found = agent.in_view(target) if wanted else ""
            if found:
                break
    agent.look()
    everything = agent.described([found, *(n for n in looks.seen if n != found)] if found else looks.seen)
    if wanted and not found:
        message = (
            f"{named(target)} was not seen from {looks.steps} viewpoints: it may be in something closed, or not here"
        )
        return Outcome(Code.NOT_FOUND, message, everything, looks.steps)
    return Outcome(Code.SUCCESS, f"{found} is in view" if found else "", everything, looks.steps)


def _closest(agent: Agent, cells: list[int]) -> int:
    distance = agent.grid.field(agent.robot.cell).distance
    return min(cells, key=lambda c: (distance[c], c))


def find_object(agent: Agent, skill: Skill) -> Running:
    """Report the objects in view that the target may mean."""
    yield from ()
    return _find(agent, skill.target, agent.look())


def find_receptacle(agent: Agent, skill: Skill) -> Running:
    """Report the receptacles in view that the target may mean."""
    yield from ()
    return _find(agent, skill.target, [n for n in agent.look() if agent.world.can(n, "receptacle")])


def _find(agent: Agent, target: Target, visible: Iterable[str]) -> Outcome:
    wanted = set(matches(agent.world, target)) if target.id or target.category else None
    found = [n for n in visible if wanted is None or n in wanted]
    if wanted is not None and not found:
        return Outcome(Code.NOT_FOUND, f"no {named(target)} is in view: explore, or go where it may be")
    return Outcome(Code.SUCCESS, f"{len(found)} in view", agent.described(found))


def find_room(agent: Agent, skill: Skill) -> Running:
    """Report where a room is, or every room."""
    yield from ()
    scene = agent.world.scene
    wanted = skill.target.id or skill.target.category
    rooms = rooms_named(scene, skill.target) if wanted else scene.rooms
    if not rooms:
        names = ", ".join(r.name for r in scene.rooms)
        raise RefusedError(Code.NOT_FOUND, f"there is no room {named(skill.target)!r}: the rooms are {names}")
    seen = []
    for room in rooms:
        (x0, y0), (x1, y1) = room.low, room.high
        centre = ((x0 + x1) / 2, (y0 + y1) / 2, room.storey * scene.storey_height)
        seen.append(SeenObject(room.name, room.kind, centre, (x1 - x0, y1 - y0, 0.0), movable=False))
    return Outcome(Code.SUCCESS, ", ".join(r.name for r in rooms), tuple(seen))


def describe(agent: Agent, skill: Skill) -> Running:
    """Report the state of an object in view, or in the gripper."""
    yield from ()
    held = agent.world.held
    name = held if held and skill.target.id == held else agent.in_view(skill.target)
    if not name:
        raise RefusedError(Code.NOT_FOUND, f"{named(skill.target)} is not in view: go to it first")
    (shown,) = agent.described([name])
    states = ", ".join(f"{k} {v}" for k, v in shown.states.items())
    where = f", {shown.relation} {shown.receptacle}" if shown.receptacle else ""
    return Outcome(Code.SUCCESS, f"{name} is a {shown.category}{where}; {states}".rstrip("; "), (shown,))
