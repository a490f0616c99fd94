# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that drive: GoToObject and Navigate."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np

from sim_bridge.backend import Code, Outcome, Point, Progress, RefusedError, Skill, Target
from sim_bridge.household.agent import Agent
from sim_bridge.household.boxes import contains, distance
from sim_bridge.household.driving import stand_for_object, stands_for_position
from sim_bridge.household.targets import resolve
from sim_bridge.simulation.body import Moving, Running
from sim_bridge.simulation.motion import REACH
from sim_bridge.targets import NEAR_POSITION, named, rooms_named

_SIDES = 3
"""Places from which an object is looked for before it is given up at a remembered position."""


def approach(agent: Agent, target: Target) -> Generator[Progress, None, str]:
    """Drive to where the target is in reach and in view, and return its id; RefusedError otherwise."""
    name = resolve(agent.world, agent.sight, agent.robot, target)
    if name and agent.world.is_held(name):
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{name} is in the gripper")
    known = bool(name) and (agent.could_see(name) or agent.world.category(name) == "Floor")
    if known and _meant(agent, target, name):
        yield from stand_before(agent, name)
        return name
    if target.position is None:
        raise RefusedError(
            Code.NOT_FOUND, f"{named(target)} is not in view and its position is not given: explore first"
        )
    for cell in stands_for_position(agent.grid, agent.robot, agent.sight, target.position, _SIDES):
        name = yield from _drive_looking_out(agent, cell, target)
        if not name:
            yield from agent.robot.face(target.position, f"looking for {named(target)}")
            name = agent.in_view(target)
        if name and _meant(agent, target, name):
            yield from stand_before(agent, name)
            return name
    _refuse_what_is_shut(agent, target.position, target)
    raise RefusedError(Code.NOT_FOUND, f"{named(target)} is not seen where it was expected: explore first")


def _drive_looking_out(agent: Agent, cell: int, target: Target) -> Generator[Progress, None, str]:
    """Drive to a cell until the target is in view, as Explore does; return its id, "" where it did not come into view.

    On the way only what surely is the target counts: from where the position is looked at, it may be another one.
    """
    for progress in agent.drive(cell, f"driving to {named(target)}"):
        yield progress
        name = agent.in_view(target)
        if name and (name == target.id or (target.position and contains(agent.world.boxes[name], target.position))):
            return name
    return ""


def _meant(agent: Agent, target: Target, name: str) -> bool:
    """Whether an object is the target: it has its id, or it is of its category and where that was remembered."""
    if name == target.id or target.position is None:
        return True
    return distance(agent.world.boxes[name], target.position) <= NEAR_POSITION


def _refuse_what_is_shut(agent: Agent, position: Point, target: Target) -> None:
    """Say so when the position is in something closed: what can't be seen there may be there all the same."""
    for other, box in agent.world.boxes.items():
        if contains(box, position) and agent.world.hides(other) and agent.could_see(other):
            message = f"{named(target)} is not in view, and {other} is closed there: open it first"
            raise RefusedError(Code.PRECONDITION_FAILURE, message)


def stand_before(agent: Agent, name: str) -> Moving:
    """Drive to where an object that can be seen is in reach, and face it."""
    box = agent.world.boxes[name]
    if agent.world.category(name) == "Floor":
        yield from _enter(agent, agent.world.specs[name].room)
    else:
        cell = stand_for_object(agent.grid, agent.robot, agent.sight, name, box)
        if cell is None:
            raise RefusedError(Code.PRECONDITION_FAILURE, f"{name} can't be reached from anywhere")
        yield from agent.drive(cell, f"driving to {name}")
    yield from face(agent, name)
    if not agent.could_see(name):
        raise RefusedError(Code.NOT_FOUND, f"{name} is not seen from where it can be reached")


def _enter(agent: Agent, room: str) -> Moving:
    """Drive to the nearest cell of a room, if not in it."""
    grid = agent.grid
    yield from agent.drive(agent.closest([c for c, r in enumerate(grid.rooms) if r == room]), f"driving to {room}")


def face(agent: Agent, name: str) -> Moving:
    """Look at an object's middle, or at its part ahead where it is long."""
    if agent.world.category(name) == "Floor":
        return
    box, (x, y) = agent.world.boxes[name], agent.robot.position
    point = box.center
    if max(box.size[:2]) > 1.0:
        near = (min(max(x, box.low[0]), box.high[0]), min(max(y, box.low[1]), box.high[1]))
        point = ((near[0] + point[0]) / 2, (near[1] + point[1]) / 2, point[2])
    yield from agent.robot.face(point, f"looking at {name}")


def navigate(agent: Agent, skill: Skill) -> Running:
    """Drive to a room, an object or a position."""
    target, grid = skill.target, agent.grid
    rooms = rooms_named(agent.world.scene.rooms, target)
    if rooms:
        cells = [c for c in range(len(grid.cells)) if grid.rooms[c] in {r.name for r in rooms}]
        room = grid.rooms[agent.closest(cells)]
        goal = _middle(agent, [c for c in cells if grid.rooms[c] == room])
        yield from agent.drive(goal, f"driving to {room}")
        return Outcome(Code.SUCCESS, f"in {room}")
    name = resolve(agent.world, agent.sight, agent.robot, target)
    if name and (agent.could_see(name) or not agent.world.specs[name].movable):
        yield from stand_before(agent, name)
        return Outcome(Code.SUCCESS, f"at {name}", agent.described([name]))
    if target.position is not None:
        x, y, z = target.position
        cell = grid.nearest(x, y, grid.storey_of(z))
        away = math.dist(grid.points[cell, :2], (x, y))
        if away > REACH:
            message = f"{named(target)} is {away:.1f} m from where the robot can drive: give a position in a room"
            raise RefusedError(Code.NOT_FOUND, message)
        yield from agent.drive(cell, f"driving to {named(target)}")
        return Outcome(Code.SUCCESS, f"at {named(target)}")
    known = ", ".join(r.name for r in agent.world.scene.rooms)
    raise RefusedError(
        Code.NOT_FOUND,
        f"{named(target)} is no room here, is not in view and has no position: the rooms are {known}",
    )


def _middle(agent: Agent, cells: list[int]) -> int:
    points = agent.grid.points[cells, :2]
    return cells[int(np.argmin(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
