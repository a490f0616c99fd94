# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that drive: GoToObject and Navigate."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from sim_bridge.ai2thor.agent import Agent
from sim_bridge.ai2thor.rooms import Room, room_at
from sim_bridge.ai2thor.targets import by_nearness, in_view, matches, meant, resolve
from sim_bridge.ai2thor.things import Thing
from sim_bridge.backend import Code, Outcome, Point, Progress, RefusedError, Skill, Target
from sim_bridge.household.boxes import contains, distance
from sim_bridge.simulation.body import Moving, Running
from sim_bridge.simulation.motion import REACH
from sim_bridge.targets import NEAR_POSITION, named, rooms_named

_SIDES = 3
"""Places from which an object is looked for before it is given up at a remembered position."""

_APART = 0.7
"""Metres between them."""

_COMFORTABLE = 0.8
"""Metres to an object that are no worse than closer."""

_WITHIN_THE_ARM = 0.6
"""Metres to an object to which ManipulaTHOR's arm gets; it stands farther away only where it can't be closer."""

_FARTHER = 20.0
"""Metres of driving that this is worth."""

_MARGIN = 0.1
"""Metres to spare when choosing where to stand for something in reach."""

_AT_ONCE = 8
"""Positions about which AI2-THOR is asked at once."""


def approach(agent: Agent, target: Target) -> Generator[Progress, None, str]:
    """Drive to where the target is in reach and in view, and return its id; RefusedError otherwise."""
    thing = resolve(agent, target)
    if thing is not None and thing.id in agent.carried():
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} is in the gripper")
    if thing is not None and meant(target, thing) and agent.could_see(thing):
        yield from stand_before(agent, thing)
        return thing.id
    if target.position is None:
        raise RefusedError(
            Code.NOT_FOUND, f"{named(target)} is not in view and its position is not given: explore first"
        )
    for cell in _stands_for_position(agent, target):
        yield from agent.drive(cell, f"driving to {named(target)}")
        yield from agent.face(target.position, f"looking for {named(target)}")
        thing = in_view(agent, target)
        if thing is not None and meant(target, thing):
            yield from stand_before(agent, thing)
            return thing.id
    _refuse_what_is_shut(agent, target.position, target)
    raise RefusedError(Code.NOT_FOUND, f"{named(target)} is not seen where it was expected: explore first")


def _refuse_what_is_shut(agent: Agent, position: Point, target: Target) -> None:
    """Say so when the position is in something closed: what can't be seen there may be there all the same."""
    for other in agent.things.values():
        if other.shut and contains(other, position) and agent.could_see(other):
            message = f"{named(target)} is not in view, and {other.id} is closed there: open it first"
            raise RefusedError(Code.PRECONDITION_FAILURE, message)


def stand_before(agent: Agent, thing: Thing) -> Moving:
    """Drive to where a thing that can be seen is in reach, and face it."""
    if thing.category == "Floor":
        yield from _enter(agent, room_at(agent.rooms, thing.center[:2]))
        return
    cell = _stand_for(agent, thing)
    if cell is None:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} can't be reached from anywhere")
    yield from agent.drive(cell, f"driving to {thing.id}")
    yield from agent.look_at(agent.thing(thing.id), f"looking at {thing.id}")
    if not agent.thing(thing.id).visible:
        raise RefusedError(Code.NOT_FOUND, f"{thing.id} is not seen from where it can be reached")


def _enter(agent: Agent, room: Room) -> Moving:
    """Drive to the nearest cell of a room, if not in it."""
    cells = cells_of(agent, room)
    if not cells:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{room.name} can't be reached from anywhere")
    yield from agent.drive(agent.closest(cells), f"driving to {room.name}")


def cells_of(agent: Agent, room: Room) -> list[int]:
    """Return the reachable cells of a room."""
    points = agent.grid.points.tolist()
    return [c for c, (x, y) in enumerate(points) if room_at(agent.rooms, (x, y)) == room]


def _stand_for(agent: Agent, thing: Thing) -> int | None:
    """Return the best cell from which a thing is in reach and visible; where none, one to reach it from; or None."""
    away = np.array([thing.away(x, y) for x, y in agent.grid.points.tolist()])
    cells = _in_reach(agent, away)
    for k in range(0, len(cells), _AT_ONCE):
        batch = cells[k : k + _AT_ONCE]
        seen = agent.views(thing, batch)
        if seen:
            return next(c for c in batch if c in seen)
    return cells[0] if cells else None


def _stands_for_position(agent: Agent, target: Target) -> list[int]:
    """Return cells from which to look at the target's position, the best first, each from another side.

    Where a thing that may be meant is still there, they are those from which it is visible.
    """
    position = target.position or (0.0, 0.0, 0.0)
    there = [t for t in by_nearness(agent, matches(agent, target), target) if distance(t, position) <= NEAR_POSITION]
    away = np.hypot(agent.grid.points[:, 0] - position[0], agent.grid.points[:, 1] - position[1])
    cells = _in_reach(agent, away)
    seen: set[int] = set()
    for k in range(0, len(cells) if there else 0, _AT_ONCE):
        seen |= agent.views(there[0], cells[k : k + _AT_ONCE])
        if seen:
            break
    chosen: list[int] = []
    points = agent.grid.points
    for cell in [c for c in cells if c in seen] or cells:
        if all(np.linalg.norm(points[cell] - points[c]) >= _APART for c in chosen):
            chosen.append(cell)
        if len(chosen) == _SIDES:
            break
    return chosen or [agent.grid.nearest(position[0], position[1])]


def _in_reach(agent: Agent, away: NDArray[np.float64]) -> list[int]:
    """Return the cells from which something is in reach, given how far it is from each, the best to drive to first."""
    driven = agent.grid.distances(agent.cell, agent.pose.yaw)
    cost = driven + 2.0 * np.maximum(away - _COMFORTABLE, 0.0) + np.where(away < 0.2, 1.0, 0.0)
    if agent.arm:
        cost = cost + np.where(away > _WITHIN_THE_ARM, _FARTHER, 0.0)
    cells = np.flatnonzero((away <= REACH - _MARGIN) & np.isfinite(driven))
    return cells[np.argsort(cost[cells], kind="stable")].tolist()  # type: ignore[no-any-return]


def navigate(agent: Agent, skill: Skill) -> Running:
    """Drive to a room, an object or a position."""
    target = skill.target
    rooms = rooms_named(agent.rooms, target)
    if rooms:
        return (yield from _navigate_to_room(agent, rooms))
    thing = resolve(agent, target)
    if thing is not None and (not thing.pickupable or agent.could_see(thing)):
        yield from stand_before(agent, thing)
        return Outcome(Code.SUCCESS, f"at {thing.id}", agent.described([thing.id]))
    if target.position is not None:
        x, y, _ = target.position
        cell = agent.grid.nearest(x, y)
        away = math.dist(agent.grid.points[cell], (x, y))
        if away > REACH:
            message = f"{named(target)} is {away:.1f} m from where the robot can drive: give a position in a room"
            raise RefusedError(Code.NOT_FOUND, message)
        yield from agent.drive(cell, f"driving to {named(target)}")
        return Outcome(Code.SUCCESS, f"at {named(target)}")
    known = ", ".join(r.name for r in agent.rooms)
    raise RefusedError(
        Code.NOT_FOUND,
        f"{named(target)} is no room here, is not in view and has no position: the rooms are {known}",
    )


def _navigate_to_room(agent: Agent, rooms: tuple[Room, ...]) -> Running:
    driven = agent.grid.distances(agent.cell, agent.pose.yaw)
    nearest = {min((driven[c] for c in cells_of(agent, r)), default=math.inf): r for r in rooms}
    if min(nearest) == math.inf:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{rooms[0].name} can't be reached from anywhere")
    room = nearest[min(nearest)]
    cells = cells_of(agent, room)
    points = agent.grid.points[cells]
    middle = cells[int(np.argmin(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
    yield from agent.drive(middle, f"driving to {room.name}")
    return Outcome(Code.SUCCESS, f"in {room.name}")
