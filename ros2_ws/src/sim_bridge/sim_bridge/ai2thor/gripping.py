# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How things come into the gripper and out of it: at once for AI2-THOR's default agent, else by an arm."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sim_bridge.ai2thor.agent import Agent
from sim_bridge.ai2thor.coordinates import to_thor
from sim_bridge.ai2thor.things import Thing, holder_of
from sim_bridge.backend import Code, Point, RefusedError
from sim_bridge.household.boxes import gap
from sim_bridge.household.interactions import NEAR

_ABOVE = 0.05
"""Metres above a receptacle at which the arm lets go."""

_REST = {"x": 0.0, "y": 0.0, "z": 0.5}
"""Where the arm carries things: ahead of its base."""

_AHEAD = {"x": 0.0, "y": 0.0, "z": 0.6}
"""Where the arm lets go of what it is to throw."""

_HEIGHTS = 0.45, 1.8
"""Metres above the floor between which the arm's base can be moved (from 0 to 1)."""

_OFF = 0.2
"""Metres by which the middle of the hand is off where the arm was moved to, the hand's own length included."""

_FORCE = 50.0
"""Newtons with which things are thrown."""

_SETTLE = 10
"""Actions in which what was let go comes to rest."""


def take(agent: Agent, thing: Thing) -> None:
    """Take a thing into the gripper; RefusedError when AI2-THOR refuses."""
    if not agent.arm:
        agent.act("PickupObject", objectId=thing.id)
        return
    _reach(agent, thing.center)
    agent.act("PickupObject", objectIdCandidates=[thing.id])
    _rest(agent)


def put(agent: Agent, held: Thing, receptacle: Thing, beside: Thing | None) -> None:
    """Put what is held on or in a receptacle, within `NEAR` of another thing where one is given."""
    if agent.arm:
        spots = _spots(agent, receptacle, beside)
        if not spots:
            raise RefusedError(Code.PRECONDITION_FAILURE, f"there is no free spot on {receptacle.id} for the arm")
        x, y, z = spots[0]
        _reach(agent, (x, y, z + held.size[2] / 2 + _ABOVE))
        agent.act("ReleaseObject")
        _settle(agent)
        _rest(agent)
    elif receptacle.category == "Floor":
        agent.tilt(60.0)
        agent.act("DropHandObject", forceAction=True)
        _settle(agent)
    else:
        agent.act("PutObject", objectId=receptacle.id, placeStationary=True)
        if beside is not None and gap(agent.thing(held.id), beside) > NEAR:
            _shove(agent, held, receptacle, beside)
    _require_there(agent, held, receptacle)


def throw(agent: Agent) -> None:
    """Throw what is held, ahead. ManipulaTHOR's arm can't: it stretches out and lets go."""
    if agent.arm:
        _move_arm(agent, _AHEAD, "armBase")
        agent.act("ReleaseObject")
    else:
        agent.act("ThrowObject", moveMagnitude=_FORCE, forceAction=True)
    _settle(agent)


def _shove(agent: Agent, held: Thing, receptacle: Thing, beside: Thing) -> None:
    """Move what was put down next to another thing."""
    for spot in _spots(agent, receptacle, beside):
        position = to_thor(spot, agent.ground)
        try:
            agent.act("PlaceObjectAtPoint", objectId=held.id, position=position)
        except RefusedError:
            continue  # something is there already
        return
    agent.act("PickupObject", objectId=held.id)
    message = f"there is no free spot for {held.id} on {receptacle.id} within {NEAR} m of {beside.id}: clear one"
    raise RefusedError(Code.PRECONDITION_FAILURE, message)


def _spots(agent: Agent, receptacle: Thing, beside: Thing | None) -> list[Point]:
    """Return points above a receptacle at which things can be put, near another thing where one is given."""
    found = agent.act("GetSpawnCoordinatesAboveReceptacle", objectId=receptacle.id, anywhere=False) or ()
    points = [(float(p["x"]), float(p["z"]), float(p["y"]) - agent.ground) for p in found]
    pose = agent.pose
    if beside is None:
        return sorted(points, key=lambda p: math.hypot(p[0] - pose.x, p[1] - pose.y))
    near = [p for p in points if 0.0 < beside.away(p[0], p[1]) <= NEAR]
    return sorted(near, key=lambda p: beside.away(p[0], p[1]))


def _reach(agent: Agent, point: Point) -> None:
    """Move the hand to a point; RefusedError when the arm does not get there, which AI2-THOR calls a success."""
    low, high = _HEIGHTS
    agent.act("MoveArmBase", y=round(min(max((point[2] - low) / (high - low), 0.0), 1.0), 3))
    _move_arm(agent, to_thor(point, agent.ground), "world")
    away = math.dist(agent.hand, point)
    if away > _OFF:
        message = f"the hand stays {away:.1f} m away from where it has to be: go closer, or to another side"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)


def _rest(agent: Agent) -> None:
    """Move the arm to where it carries things; it stays where it is when something is in its way."""
    try:
        _move_arm(agent, _REST, "armBase")
    except RefusedError as error:
        if error.code is not Code.EXECUTION_FAILURE:
            raise


def _move_arm(agent: Agent, position: Mapping[str, float], space: str) -> None:
    agent.act("MoveArm", position=position, coordinateSpace=space, restrictMovement=False)


def _settle(agent: Agent) -> None:
    for _ in range(_SETTLE):
        if agent.event.metadata["isSceneAtRest"]:
            return
        agent.act("Pass")


def _require_there(agent: Agent, held: Thing, receptacle: Thing) -> None:
    """Refuse to call it done when it fell elsewhere."""
    thing = agent.thing(held.id)
    holder = holder_of(thing, agent.things)
    if receptacle.id not in thing.holders and (holder is None or holder.id != receptacle.id):
        where = f"on {holder.id}" if holder else "somewhere else"
        raise RefusedError(Code.EXECUTION_FAILURE, f"{held.id} was let go over {receptacle.id}, and lies {where} now")
