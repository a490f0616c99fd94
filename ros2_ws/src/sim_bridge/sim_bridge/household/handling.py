# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that use the arm."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np

from sim_bridge.backend import Code, Outcome, Point, Progress, RefusedError, Skill, Target
from sim_bridge.household import interactions
from sim_bridge.household.agent import Agent
from sim_bridge.household.approaching import face
from sim_bridge.household.boxes import contains
from sim_bridge.household.driving import horizontal_distance
from sim_bridge.household.targets import resolve
from sim_bridge.simulation.behaviours import require_held, require_relation
from sim_bridge.simulation.body import Moving, Running
from sim_bridge.simulation.motion import REACH
from sim_bridge.targets import named

_THROW = 1.5
"""Metres ahead."""


def _handle(agent: Agent, target: Target) -> Generator[Progress, None, str]:
    """Return the object in reach and in view that a target means, having turned to it; RefusedError otherwise."""
    world, robot = agent.world, agent.robot
    name = resolve(world, agent.sight, robot, target)
    if not name:
        raise RefusedError(Code.NOT_FOUND, f"no {named(target)} is in view here: go to it or explore first")
    _require_at_hand(agent, name, target.position)
    if not world.is_held(name):
        yield from face(agent, name)
    return name


def _require_at_hand(agent: Agent, name: str, remembered: Point | None = None) -> None:
    """Refuse what is not in reach and in view; that it is shut in is told only to who remembers it there."""
    world, robot = agent.world, agent.robot
    if name not in world.specs:
        raise RefusedError(Code.NOT_FOUND, f"{name} is gone")
    if world.is_held(name):
        return
    if world.category(name) == "Floor":
        if not agent.on_floor(name):
            message = f"{name} is the floor of {world.specs[name].room}: go there first"
            raise RefusedError(Code.PRECONDITION_FAILURE, message)
        return
    away = float(horizontal_distance(world.boxes[name], np.array([robot.position]))[0])
    near = away <= REACH and agent.grid.storey_of(world.boxes[name].low[2]) == robot.storey
    closed = world.closed_around(name)
    if closed and near and remembered is not None and contains(world.boxes[closed], remembered):
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{name} is not in view: {closed} is closed: open it first")
    if not agent.could_see(name):
        raise RefusedError(Code.NOT_FOUND, f"{name} is not in view here: go to it or explore first")
    if not near:
        message = f"{name} is {away:.1f} m away and the arm reaches {REACH} m: go to it first"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)


def _act(agent: Agent, skill: Skill, step: str, name: str = "") -> Moving:
    """Spend the time of an arm movement; RefusedError when it fails, is hindered, or its object was taken away."""
    agent.robot.acted()
    yield agent.robot.progress(step, look=False)
    if agent.fails():
        raise RefusedError(Code.EXECUTION_FAILURE, f"the arm failed at {step}: nothing changed, try again")
    if name:
        _require_at_hand(agent, name)
    agent.hinder(skill.name, name)


def pick_up(agent: Agent, skill: Skill) -> Running:
    """Take the target into the gripper."""
    name = yield from _handle(agent, skill.target)
    yield from _act(agent, skill, f"picking up {name}", name)
    interactions.pick_up(agent.world, name)
    yield agent.robot.progress(f"picked up {name}")
    return Outcome(Code.SUCCESS, "", agent.described([name, *agent.world.contents(name)]))


def put(agent: Agent, skill: Skill) -> Running:
    """Put what is held on or in the receptacle, or near it."""
    world = agent.world
    require_held(agent, "pick something up first")
    reference = yield from _handle(agent, skill.receptacle)
    beside = skill.relation == "near"
    if beside and world.is_held(reference):
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{reference} is in the gripper: nothing can be put near it")
    if world.can(reference, "receptacle"):
        require_relation(reference, world.category(reference), skill.relation)
    yield from _act(agent, skill, f"putting {world.held} down", reference)
    if beside:
        x, y, _ = world.boxes[reference].center
        receptacle = next(world.ancestors(reference), "") or _floor(agent)
        name = interactions.put(world, receptacle, (x, y), reference)
    else:
        receptacle = reference
        name = interactions.put(world, receptacle, agent.robot.position)
    yield from agent.robot.face(world.boxes[name].center, f"looking at {name}")
    yield agent.robot.progress(f"put {name} down")
    return Outcome(Code.SUCCESS, f"{name} is at {receptacle}", agent.described([name, receptacle]))


def _floor(agent: Agent) -> str:
    """Return the floor of the room that the robot is in."""
    room = agent.grid.rooms[agent.robot.cell]
    floors = [n for n, s in agent.world.specs.items() if s.category == "Floor" and s.room == room]
    if not floors:
        raise RefusedError(Code.NOT_FOUND, f"{room} has no recorded floor to put things on")
    return floors[0]


def set_open(agent: Agent, skill: Skill, value: bool) -> Running:
    """Open or close the target."""
    name = yield from _handle(agent, skill.target)
    yield from _act(agent, skill, f"{'opening' if value else 'closing'} {name}", name)
    interactions.set_open(agent.world, name, value)
    yield agent.robot.progress(f"{'opened' if value else 'closed'} {name}")
    return Outcome(Code.SUCCESS, "", agent.described_with_contents(name))


def switch(agent: Agent, skill: Skill, value: bool) -> Running:
    """Switch the target on or off."""
    name = yield from _handle(agent, skill.target)
    word = "on" if value else "off"
    yield from _act(agent, skill, f"switching {name} {word}", name)
    interactions.set_toggled(agent.world, name, value)
    yield agent.robot.progress(f"switched {name} {word}")
    return Outcome(Code.SUCCESS, "", agent.described([name, *agent.world.specs[name].controls]))


def slice_object(agent: Agent, skill: Skill) -> Running:
    """Cut the target with the knife that is held."""
    name = yield from _handle(agent, skill.target)
    yield from _act(agent, skill, f"slicing {name}", name)
    slices = interactions.slice_object(agent.world, name)
    yield agent.robot.progress(f"sliced {name}")
    return Outcome(Code.SUCCESS, f"{name} is now {len(slices)} slices", agent.described(slices))


def break_object(agent: Agent, skill: Skill) -> Running:
    """Break the target."""
    name = yield from _handle(agent, skill.target)
    yield from _act(agent, skill, f"breaking {name}", name)
    pieces = interactions.break_object(agent.world, name)
    yield agent.robot.progress(f"broke {name}")
    return Outcome(Code.SUCCESS, "", agent.described(pieces or (name,)))


def throw(agent: Agent, skill: Skill) -> Running:
    """Throw what is held, ahead."""
    world, robot = agent.world, agent.robot
    name = require_held(agent, "there is nothing to throw").id
    x, y = robot.position
    ahead = (x + _THROW * math.cos(robot.yaw), y + _THROW * math.sin(robot.yaw))
    landing = agent.grid.points[agent.grid.nearest(*ahead, robot.storey)]
    yield from _act(agent, skill, f"throwing {name}")
    pieces = interactions.throw(world, _floor(agent), (float(landing[0]), float(landing[1])))
    yield from robot.face(world.boxes[pieces[0]].center, f"looking after {name}")
    return Outcome(Code.SUCCESS, f"{name} lies on the floor", agent.described(pieces))
