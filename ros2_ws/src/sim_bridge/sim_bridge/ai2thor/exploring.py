# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that look: Explore, FindObject, FindReceptacle, FindRoom, DescribeObject."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable

from sim_bridge.ai2thor.agent import TRAVEL_HORIZON, Agent, Running
from sim_bridge.ai2thor.approaching import drive
from sim_bridge.ai2thor.rooms import rooms_meant
from sim_bridge.ai2thor.targets import in_view, matches
from sim_bridge.ai2thor.things import Thing
from sim_bridge.backend import Code, Outcome, Progress, RefusedError, Skill, Target
from sim_bridge.household.targets import named

_STEP = 2 / 3
"""Share of the camera's width by which it is turned between looks: 60° where it sees 90°."""

_RADIUS = 1.5
"""Metres from a viewpoint within which all reachable positions are overlooked."""


def explore(agent: Agent, skill: Skill) -> Running:
    """Look around at the positions, or over all free space, until the target is seen."""
    target = skill.target
    wanted = bool(target.id or target.category)
    found = in_view(agent, target) if wanted else None
    stops = [agent.grid.nearest(x, y) for x, y, _ in skill.positions]
    left = list(dict.fromkeys(stops or agent.grid.cover(_RADIUS)))
    while left and found is None:
        goal = left[0] if stops else _closest(agent, left)
        left.remove(goal)
        found = yield from _look_from(agent, goal, target, wanted=wanted)
    agent.look()
    looks = agent.looks
    names = [found.id, *(n for n in looks.seen if n != found.id)] if found else list(looks.seen)
    everything = agent.described(names)
    if wanted and found is None:
        message = (
            f"{named(target)} was not seen from {looks.steps} viewpoints: it may be in something closed, or not here"
        )
        return Outcome(Code.NOT_FOUND, message, everything, looks.steps)
    return Outcome(Code.SUCCESS, f"{found.id} is in view" if found else "", everything, looks.steps)


def _closest(agent: Agent, cells: list[int]) -> int:
    distance = agent.grid.distances(agent.cell, agent.pose.yaw)
    return min(cells, key=lambda c: (distance[c], c))


def _look_from(agent: Agent, cell: int, target: Target, *, wanted: bool) -> Generator[Progress, None, Thing | None]:
    """Drive to a cell and look around there; return the target as soon as it is in view."""
    looks = agent.looks
    if not agent.grid.path(agent.cell, agent.pose.yaw, cell):
        return None
    for progress in drive(agent, cell, f"driving to viewpoint {looks.steps + 1}"):
        yield progress
        found = in_view(agent, target) if wanted else None
        if found:
            return found
    looks.steps += 1
    agent.tilt(TRAVEL_HORIZON)
    count = math.ceil(math.tau / (_STEP * agent.hfov) - 1e-9)
    for _ in range(count):
        step = math.tau / count
        yield from agent.turn(agent.pose.yaw + step, f"looking around at viewpoint {looks.steps}", step)
        agent.look()
        found = in_view(agent, target) if wanted else None
        if found:
            return found
    return None


def find_object(agent: Agent, skill: Skill) -> Running:
    """Report the objects in view that the target may mean."""
    yield from ()
    return _find(agent, skill.target, agent.look())


def find_receptacle(agent: Agent, skill: Skill) -> Running:
    """Report the receptacles in view that the target may mean."""
    yield from ()
    return _find(agent, skill.target, [t for t in agent.look() if t.receptacle])


def _find(agent: Agent, target: Target, visible: Iterable[Thing]) -> Outcome:
    wanted = {t.id for t in matches(agent, target)} if target.id or target.category else None
    found = [t.id for t in visible if wanted is None or t.id in wanted]
    if wanted is not None and not found:
        return Outcome(Code.NOT_FOUND, f"no {named(target)} is in view: explore, or go where it may be")
    return Outcome(Code.SUCCESS, f"{len(found)} in view", agent.described(found))


def find_room(agent: Agent, skill: Skill) -> Running:
    """Report where a room is, or every room."""
    yield from ()
    wanted = skill.target.id or skill.target.category
    rooms = rooms_meant(agent.rooms, skill.target) if wanted else agent.rooms
    if not rooms:
        names = ", ".join(r.name for r in agent.rooms)
        raise RefusedError(Code.NOT_FOUND, f"there is no room {named(skill.target)!r}: the rooms are {names}")
    return Outcome(Code.SUCCESS, ", ".join(r.name for r in rooms), tuple(r.seen() for r in rooms))


def describe(agent: Agent, skill: Skill) -> Running:
    """Report the state of an object in view, or in the gripper."""
    yield from ()
    held = agent.held
    thing = held if held is not None and skill.target.id == held.id else in_view(agent, skill.target)
    if thing is None:
        raise RefusedError(Code.NOT_FOUND, f"{named(skill.target)} is not in view: go to it first")
    (shown,) = agent.described([thing.id])
    states = ", ".join(f"{k} {v}" for k, v in shown.states.items())
    where = f", {shown.relation} {shown.receptacle}" if shown.receptacle else ""
    return Outcome(Code.SUCCESS, f"{thing.id} is a {shown.category}{where}; {states}".rstrip("; "), (shown,))
