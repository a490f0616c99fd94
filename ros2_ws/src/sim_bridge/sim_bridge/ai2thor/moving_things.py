# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""People who move things: AI2-THOR puts an object elsewhere without the agent."""

from __future__ import annotations

import math
import random

from sim_bridge.ai2thor.agent import Agent
from sim_bridge.ai2thor.things import Thing, holder_of, shut_around
from sim_bridge.backend import Code, RefusedError
from sim_bridge.simulation.categories import ACCEPTS_ONLY, HANGING

_TRIES = 20
"""Points of a receptacle that are tried."""

_SMALLEST = 0.05
"""Square metres of furniture on which people put things."""


def furniture_for(agent: Agent, name: str) -> list[str]:
    """Return the furniture elsewhere on or in which a person might put an object."""
    holder = holder_of(agent.thing(name), agent.things)
    return [
        t.id
        for t in agent.things.values()
        if t.receptacle
        and not t.pickupable
        and t.category not in {"Floor", *HANGING, *ACCEPTS_ONLY}
        and t != holder
        and math.prod(t.size[:2]) > _SMALLEST
    ]


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
