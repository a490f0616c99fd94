# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that look: Explore, FindObject, FindReceptacle, FindRoom, DescribeObject."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable

from sim_bridge.backend import Code, Outcome, Progress, RefusedError, Skill, Target
from sim_bridge.simulation.body import Body, Running
from sim_bridge.targets import named, one_of

_STEP = 2 / 3
"""Share of the camera's width by which it is turned between looks: 60° where it sees 90°."""


def explore(body: Body, skill: Skill) -> Running:
    """Look around at the positions, or over all free space, until the target is seen."""
    target, looks = skill.target, body.looks
    wanted = bool(target.id or target.category)
    found = body.in_view(target) if wanted else ""
    left = list(dict.fromkeys(body.viewpoints(skill.positions)))
    while left and not found:
        goal = left[0] if skill.positions else body.closest(left)
        left.remove(goal)
        if body.has_way(goal):
            found = yield from _look_from(body, goal, target, wanted=wanted)
    body.look()
    everything = body.described([found, *(n for n in looks.seen if n != found)] if found else looks.seen)
    if wanted and not found:
        message = (
            f"{named(target)} was not seen from {looks.steps} viewpoints: it may be in something closed, or not here"
        )
        return Outcome(Code.NOT_FOUND, message, everything, looks.steps)
    return Outcome(Code.SUCCESS, f"{found} is in view" if found else "", everything, looks.steps)


def _look_from(body: Body, cell: int, target: Target, *, wanted: bool) -> Generator[Progress, None, str]:
    """Drive to a cell and look around there; return the target's id as soon as it is in view, else ""."""
    looks = body.looks
    for progress in body.drive(cell, f"driving to viewpoint {looks.steps + 1}"):
        yield progress
        found = body.in_view(target) if wanted else ""
        if found:
            return found
    looks.steps += 1
    body.level()
    count = math.ceil(math.tau / (_STEP * 2 * body.half_width) - 1e-9)
    for _ in range(count):
        yield from body.turn_by(math.tau / count, f"looking around at viewpoint {looks.steps}")
        body.look()
        found = body.in_view(target) if wanted else ""
        if found:
            return found
    return ""


def find_object(body: Body, skill: Skill) -> Running:
    """Report the objects in view that the target may mean."""
    yield from ()
    return _find(body, skill.target, body.look())


def find_receptacle(body: Body, skill: Skill) -> Running:
    """Report the receptacles in view that the target may mean."""
    yield from ()
    return _find(body, skill.target, [n for n in body.look() if body.is_receptacle(n)])


def _find(body: Body, target: Target, visible: Iterable[str]) -> Outcome:
    wanted = set(body.matches(target)) if target.id or target.category else None
    found = [n for n in visible if wanted is None or n in wanted]
    if wanted is not None and not found:
        return Outcome(Code.NOT_FOUND, f"no {named(target)} is in view: explore, or go where it may be")
    return Outcome(Code.SUCCESS, f"{len(found)} in view", body.described(found))


def find_room(body: Body, skill: Skill) -> Running:
    """Report where a room is, or every room."""
    yield from ()
    rooms = body.rooms_meant(skill.target)
    if not rooms:
        names = ", ".join(room.name for room in body.rooms)
        raise RefusedError(Code.NOT_FOUND, f"there is no room {named(skill.target)!r}: the rooms are {names}")
    return Outcome(Code.SUCCESS, ", ".join(r.id for r in rooms), rooms)


def describe(body: Body, skill: Skill) -> Running:
    """Report the state of an object in view, or in the gripper."""
    yield from ()
    held = body.holding.id
    name = held if held and skill.target.id == held else body.in_view(skill.target)
    if not name:
        raise RefusedError(Code.NOT_FOUND, f"{named(skill.target)} is not in view: go to it first")
    (shown,) = body.described([name])
    states = ", ".join(f"{k} {v}" for k, v in shown.states.items())
    where = f", {shown.relation} {shown.receptacle}" if shown.receptacle else ""
    return Outcome(Code.SUCCESS, f"{name} is {one_of(shown.category)}{where}; {states}".rstrip("; "), (shown,))
