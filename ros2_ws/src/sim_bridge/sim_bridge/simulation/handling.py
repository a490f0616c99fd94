# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that use the arm."""

from __future__ import annotations

from collections.abc import Generator

from sim_bridge.backend import Code, Outcome, Point, Progress, RefusedError, Skill, Target
from sim_bridge.simulation.approaching import approach, look_at
from sim_bridge.simulation.body import Body, Moving, Running
from sim_bridge.simulation.categories import relation_of
from sim_bridge.simulation.motion import REACH
from sim_bridge.targets import category_of, named


def _handle(body: Body, skill: Skill, target: Target) -> Generator[Progress, None, str]:
    """Return the object in reach and in view that a target means, having turned to it; RefusedError otherwise."""
    name = body.resolve(target)
    if not name:
        raise RefusedError(Code.NOT_FOUND, f"no {named(target)} is in view here: go to it or explore first")
    _require_at_hand(body, name, target.position)
    if not body.carries(name):
        yield from look_at(body, name, f"looking at {name}")
        if not body.sees(name):
            raise RefusedError(Code.NOT_FOUND, f"{name} is not in view here: go to it or explore first")
    body.require_possible(skill, name)
    return name


def _require_at_hand(body: Body, name: str, remembered: Point | None = None) -> None:
    """Refuse what is not in reach and in view; that it is shut in is told only to who remembers it there."""
    category = body.truth(name).category
    if body.carries(name):
        return
    if category == "Floor":
        if not body.could_see(name):
            message = f"{name} is the floor of {body.room_of(name)}: go there first"
            raise RefusedError(Code.PRECONDITION_FAILURE, message)
        return
    away = body.away(name)
    near = away <= REACH and body.on_storey(name)
    shut = body.closed_around(name)
    if shut and near and remembered is not None and body.distance(shut, remembered) == 0.0:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{name} is not in view: {shut} is closed: open it first")
    if not body.could_see(name):
        raise RefusedError(Code.NOT_FOUND, f"{name} is not in view here: go to it or explore first")
    if not near:
        message = f"{name} is {away:.1f} m away and the arm reaches {REACH} m: go to it first"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)


def _act(body: Body, skill: Skill, step: str, name: str = "") -> Moving:
    """Spend the time of an arm movement; RefusedError when it fails, is hindered, or its object was taken away."""
    body.acted()
    yield body.progress(step, look=False)
    if body.fails():
        raise RefusedError(Code.EXECUTION_FAILURE, f"the arm failed at {step}: nothing changed, try again")
    if name:
        _require_at_hand(body, name)
    body.hinder(skill.name, name)


def pick_up(body: Body, skill: Skill) -> Running:
    """Take the target into the gripper."""
    name = yield from _handle(body, skill, skill.target)
    yield from _act(body, skill, f"picking up {name}", name)
    body.take(name)
    yield body.progress(f"picked up {name}")
    return Outcome(Code.SUCCESS, "", body.described([name, *body.contents(name)]))


def pick(body: Body, skill: Skill) -> Running:
    """Drive to the target and take it into the gripper."""
    if body.holding.id:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"the gripper holds {body.holding.id}: put it down first")
    name = yield from approach(body, skill.target)
    return (yield from pick_up(body, Skill("PickupObject", Target(id=name))))


def put(body: Body, skill: Skill) -> Running:
    """Put what is held on or in the receptacle, or near it."""
    held = _require_held(body, "pick something up first").id
    reference = yield from _handle(body, skill, skill.receptacle)
    beside = skill.relation == "near"
    if beside and body.carries(reference):
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{reference} is in the gripper: nothing can be put near it")
    right = relation_of(body.truth(reference).category)
    if body.is_receptacle(reference) and skill.relation in ("in", "on") and skill.relation != right:
        message = f"things are put {right} {reference}, not {skill.relation} it: say {right!r}, or nothing"
        raise RefusedError(Code.INVALID_ARGUMENT, message)
    yield from _act(body, skill, f"putting {held} down", reference)
    receptacle = (body.truth(reference).receptacle or body.floor()) if beside else reference
    body.lay(receptacle, reference if beside else "")
    yield from look_at(body, held, f"looking at {held}")
    yield body.progress(f"put {held} down")
    return Outcome(Code.SUCCESS, f"{held} is at {receptacle}", body.described([held, receptacle]))


def place(body: Body, skill: Skill) -> Running:
    """Drive to the receptacle and put down what is held."""
    held, target = _require_held(body, "pick something up first"), skill.target
    meant = target.id in (held.id, "") and (
        target.id or category_of(target).casefold() in ("", held.category.casefold())
    )
    if not meant:
        message = f"the gripper holds {held.id}, not {named(target)}: pick that up first"
        raise RefusedError(Code.PRECONDITION_FAILURE, message)
    receptacle = yield from approach(body, skill.receptacle)
    return (yield from put(body, Skill("PutObject", receptacle=Target(id=receptacle), relation=skill.relation)))


def set_open(body: Body, skill: Skill) -> Running:
    """Open or close the target."""
    value = skill.name == "OpenObject"
    name = yield from _handle(body, skill, skill.target)
    yield from _act(body, skill, f"{'opening' if value else 'closing'} {name}", name)
    body.set_open(name, value)
    yield body.progress(f"{'opened' if value else 'closed'} {name}")
    return Outcome(Code.SUCCESS, "", body.described_with_contents(name))


def switch(body: Body, skill: Skill) -> Running:
    """Switch the target on or off."""
    value = skill.name in ("SwitchOn", "ToggleOn")
    word = "on" if value else "off"
    name = yield from _handle(body, skill, skill.target)
    yield from _act(body, skill, f"switching {name} {word}", name)
    body.switch(name, value)
    yield body.progress(f"switched {name} {word}")
    return Outcome(Code.SUCCESS, "", body.described([name, *body.controls(name)]))


def slice_object(body: Body, skill: Skill) -> Running:
    """Cut the target with the knife that is held."""
    name = yield from _handle(body, skill, skill.target)
    yield from _act(body, skill, f"slicing {name}", name)
    slices = body.slice(name)
    yield body.progress(f"sliced {name}")
    return Outcome(Code.SUCCESS, f"{name} is now {len(slices)} slices", body.described(slices))


def break_object(body: Body, skill: Skill) -> Running:
    """Break the target."""
    name = yield from _handle(body, skill, skill.target)
    yield from _act(body, skill, f"breaking {name}", name)
    pieces = body.break_up(name)
    yield body.progress(f"broke {name}")
    return Outcome(Code.SUCCESS, "", body.described(pieces or [name]))


def throw(body: Body, skill: Skill) -> Running:
    """Throw what is held, ahead."""
    name = _require_held(body, "there is nothing to throw").id
    yield from _act(body, skill, f"throwing {name}")
    pieces = body.throw()
    if body.exists(pieces[0]):
        yield from look_at(body, pieces[0], f"looking after {name}")
    return Outcome(Code.SUCCESS, f"{name} {body.thrown}", body.described(pieces))


def _require_held(body: Body, otherwise: str) -> Target:
    """Return id and category of what is in the gripper; RefusedError, saying what to do otherwise, for nothing."""
    if not body.holding.id:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"the gripper is empty: {otherwise}")
    return body.holding
