# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that use the arm."""

from __future__ import annotations

from collections.abc import Generator

from sim_bridge.ai2thor import gripping
from sim_bridge.ai2thor.agent import Agent
from sim_bridge.ai2thor.targets import resolve
from sim_bridge.ai2thor.things import Thing, holder_of, shut_around
from sim_bridge.backend import Code, Outcome, Progress, RefusedError, Skill, Target
from sim_bridge.household.boxes import contains
from sim_bridge.simulation.behaviours import require_held, require_relation
from sim_bridge.simulation.body import Moving, Running
from sim_bridge.simulation.categories import KNIVES
from sim_bridge.simulation.motion import REACH
from sim_bridge.targets import named


def _handle(agent: Agent, target: Target) -> Generator[Progress, None, Thing]:
    """Return the object in reach and in view that a target means, having turned to it; RefusedError otherwise."""
    thing = resolve(agent, target)
    if thing is None:
        raise RefusedError(Code.NOT_FOUND, f"no {named(target)} is in view here: go to it or explore first")
    if thing.id in agent.carried():
        return thing
    _require_in_reach(agent, thing, target)
    yield from agent.look_at(thing, f"looking at {thing.id}")
    if not agent.thing(thing.id).visible and thing.category != "Floor":
        raise RefusedError(Code.NOT_FOUND, f"{thing.id} is not in view here: go to it or explore first")
    return agent.thing(thing.id)


def _require_in_reach(agent: Agent, thing: Thing, target: Target) -> None:
    """Refuse what is not in reach; that it is shut in is told only to who remembers it there."""
    if thing.category == "Floor":
        if not agent.stands_on(thing):
            raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} is the floor of another room: go there first")
        return
    pose = agent.pose
    away = thing.away(pose.x, pose.y)
    shut = shut_around(thing, agent.things)
    if shut and away <= REACH and target.position is not None and contains(shut, target.position):
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} is not in view: {shut.id} is closed: open it first")
    if not agent.could_see(thing):
        raise RefusedError(Code.NOT_FOUND, f"{thing.id} is not in view here: go to it or explore first")
    if away > REACH:
        message = f"{thing.id} is {away:.1f} m away and the arm reaches {REACH} m: go to it first"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)


def _act(agent: Agent, step: str) -> Moving:
    """Spend the time of an arm movement; RefusedError when it fails."""
    agent.acted()
    yield agent.progress(step, look=False)
    if agent.fails():
        raise RefusedError(Code.EXECUTION_FAILURE, f"the arm failed at {step}: nothing changed, try again")


def pick_up(agent: Agent, skill: Skill) -> Running:
    """Take the target into the gripper."""
    thing = yield from _handle(agent, skill.target)
    held = agent.held
    if held is not None:
        already = f"{thing.id} is already in the gripper" if held.id == thing.id else ""
        message = already or f"the gripper holds {held.id}: put it down first"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)
    if not thing.pickupable:
        message = f"{thing.id} can't be carried: a {thing.category} is not pickupable"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)
    yield from _act(agent, f"picking up {thing.id}")
    gripping.take(agent, thing)
    yield agent.progress(f"picked up {thing.id}")
    return Outcome(Code.SUCCESS, "", agent.described([thing.id, *(agent.carried() - {thing.id})]))


def put(agent: Agent, skill: Skill) -> Running:
    """Put what is held on or in the receptacle, or near it."""
    held = agent.thing(require_held(agent, "pick something up first").id)
    reference = yield from _handle(agent, skill.receptacle)
    if reference.id in agent.carried():
        message = f"{reference.id} is in the gripper: nothing can be put on, in or near it"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)
    beside = skill.relation == "near"
    receptacle: Thing | None = reference
    if beside:
        receptacle = holder_of(reference, agent.things) or agent.floor()
    if receptacle is None:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"there is nothing near {reference.id} to put {held.id} on")
    if not beside and receptacle.receptacle:
        require_relation(receptacle.id, receptacle.category, skill.relation)
    if receptacle.shut:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{receptacle.id} is closed: open it first")
    yield from _act(agent, f"putting {held.id} down")
    gripping.put(agent, held, receptacle, reference if beside else None)
    yield from agent.look_at(agent.thing(held.id), f"looking at {held.id}")
    yield agent.progress(f"put {held.id} down")
    return Outcome(Code.SUCCESS, f"{held.id} is at {receptacle.id}", agent.described([held.id, receptacle.id]))


def set_open(agent: Agent, skill: Skill, value: bool) -> Running:
    """Open or close the target."""
    thing = yield from _handle(agent, skill.target)
    word = "opening" if value else "closing"
    if thing.openable and (thing.states["isOpen"] == "true") == value:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} is already {'open' if value else 'closed'}")
    yield from _act(agent, f"{word} {thing.id}")
    agent.act("OpenObject" if value else "CloseObject", objectId=thing.id)
    yield agent.progress(f"{'opened' if value else 'closed'} {thing.id}")
    return Outcome(Code.SUCCESS, "", agent.described_with_contents(thing.id))


def switch(agent: Agent, skill: Skill, value: bool) -> Running:
    """Switch the target on or off."""
    thing = yield from _handle(agent, skill.target)
    word = "on" if value else "off"
    if "isToggled" in thing.states and (thing.states["isToggled"] == "true") == value:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} is already {word}")
    if value and thing.states.get("isBroken") == "true":
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} is broken: it can't be switched on any more")
    yield from _act(agent, f"switching {thing.id} {word}")
    agent.act("ToggleObjectOn" if value else "ToggleObjectOff", objectId=thing.id)
    yield agent.progress(f"switched {thing.id} {word}")
    return Outcome(Code.SUCCESS, "", agent.described([thing.id, *thing.controls]))


def slice_object(agent: Agent, skill: Skill) -> Running:
    """Cut the target with the knife that is held."""
    thing = yield from _handle(agent, skill.target)
    # AI2-THOR cuts without a knife.
    held = require_held(agent, f"slicing {thing.id} needs a knife: pick one up first")
    if held.category not in KNIVES:
        message = f"slicing {thing.id} needs a knife, and the gripper holds {held.id}: put it down and take a knife"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)
    yield from _act(agent, f"slicing {thing.id}")
    before = set(agent.things)
    agent.act("SliceObject", objectId=thing.id)
    slices = [n for n in agent.things if n not in before]
    yield agent.progress(f"sliced {thing.id}")
    return Outcome(Code.SUCCESS, f"{thing.id} is now {len(slices)} slices", agent.described(slices))


def break_object(agent: Agent, skill: Skill) -> Running:
    """Break the target."""
    thing = yield from _handle(agent, skill.target)
    if thing.states.get("isBroken") == "true":
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id} is already broken")
    yield from _act(agent, f"breaking {thing.id}")
    before = set(agent.things)
    agent.act("BreakObject", objectId=thing.id)
    pieces = [n for n in agent.things if n not in before]
    yield agent.progress(f"broke {thing.id}")
    return Outcome(Code.SUCCESS, "", agent.described(pieces or [thing.id]))


def throw(agent: Agent, skill: Skill) -> Running:
    """Throw what is held, ahead."""
    held = require_held(agent, "there is nothing to throw")
    yield from _act(agent, f"throwing {held.id}")
    before = set(agent.things)
    gripping.throw(agent)
    pieces = [n for n in agent.things if n not in before] or [held.id]
    if pieces[0] in agent.things:
        yield from agent.look_at(agent.thing(pieces[0]), f"looking after {held.id}")
    return Outcome(Code.SUCCESS, f"{held.id} was thrown", agent.described(pieces))
