# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""People who move things: AI2-THOR puts an object elsewhere without the agent."""

from __future__ import annotations

import random

from sim_bridge.ai2thor.agent import Agent
from sim_bridge.ai2thor.things import Thing, shut_around
from sim_bridge.backend import Code, RefusedError

_TRIES = 20
"""Points of a receptacle that are tried."""


def relocate(agent: Agent, name: str, receptacle: str, choice: random.Random) -> None:
    """Put an object on or in a receptacle; people open and close what they need to. RefusedError says why not."""
    thing, place = agent.thing(name), agent.thing(receptacle)
    if not thing.pickupable:
        message = f"{thing.id} can't be carried: a {thing.category} is not pickupable"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)
    if not place.receptacle:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{place.id} is no receptacle: nothing can be put on it")
    if place.id == thing.id or thing.id in place.holders:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} can't be put on itself")
    if agent.carries(place.id):
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{place.id} is in the robot's gripper")
    shut = [t for t in (place if place.shut else None, shut_around(thing, agent.things)) if t is not None]
    for closed in shut:
        agent.act("OpenObject", objectId=closed.id, forceAction=True)
    try:
        _put_at_a_point(agent, thing, place, choice)
    finally:
        for opened in shut:
            agent.act("CloseObject", objectId=opened.id, forceAction=True)


def _put_at_a_point(agent: Agent, thing: Thing, place: Thing, choice: random.Random) -> None:
    points = list(agent.act("GetSpawnCoordinatesAboveReceptacle", objectId=place.id, anywhere=True) or ())
    for point in choice.sample(points, min(_TRIES, len(points))):
        try:
            agent.act("PlaceObjectAtPoint", objectId=thing.id, position=point)
        except RefusedError:
            continue  # not at this point
        if place.id in agent.thing(thing.id).holders:
            return
    raise RefusedError(Code.PRECONDITION_FAILURE, f"there is no free spot for {thing.id} on {place.id}")
