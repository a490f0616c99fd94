# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that drive and look: Explore, GoToObject, Navigate, and those that tell what is in view."""

from __future__ import annotations

import math
from collections.abc import Generator

from sim_bridge.backend import Code, Outcome, Point, Pose2D, Progress, RefusedError, SeenObject, Skill, Target
from sim_bridge.robot.approach import across, aim, facing, stands
from sim_bridge.robot.body import Body
from sim_bridge.robot.perceived import Layer, Node
from sim_bridge.simulation.body import Moving, Running
from sim_bridge.targets import category_of, named, one_of, plain

_LOOKED = 3
"""Places from which something is looked for before it is given up where it was expected."""
_DWELL = 0.4
"""Seconds that it stands still in each direction, for a picture that is not blurred."""
_WOBBLE = 0.05
"""Metres by which perception's boxes change when a thing is seen again: what is just in reach may not be then.

One that has changed by more is not where it was thought to be.
"""
_BLOCKED = (Code.NOT_FOUND, Code.PRECONDITION_FAILURE, Code.EXECUTION_FAILURE)
"""How driving fails where another place may do."""


def explore(body: Body, skill: Skill) -> Running:
    """Look around at each of the positions, until the target is seen."""
    target = skill.target
    wanted = bool(target.id or target.category)
    found: Node | None = None
    last: RefusedError | None = None
    for x, y, z in skill.positions:
        robot = body.pose()
        try:
            yield from body.go(
                facing(x, y, (2 * x - robot.x, 2 * y - robot.y), z), f"driving to viewpoint {body.steps + 1}"
            )
        except RefusedError as error:
            if error.code not in _BLOCKED:
                raise
            last = error
            continue
        body.steps += 1
        found = yield from _look_around(body, target if wanted else None)
        if found is not None:
            break
    if not body.steps and last is not None:
        raise last
    seen = body.seen_so_far()
    if found is not None:
        first = found.seen
        seen = (first, *(s for s in seen if s.id != first.id))
        return Outcome(Code.SUCCESS, f"{first.id} is in view", seen, body.steps)
    if wanted:
        message = (
            f"{named(target)} was not seen from {body.steps} viewpoints: it may be in something closed, or not here"
        )
        return Outcome(Code.NOT_FOUND, message, seen, body.steps)
    return Outcome(Code.SUCCESS, "", seen, body.steps)


def _look_around(body: Body, target: Target | None) -> Generator[Progress, None, Node | None]:
    """Turn once around; return the target as soon as it is seen."""
    step = f"looking around at viewpoint {body.steps}"
    looks = body.drive.looks
    robot = body.pose()
    for k in range(looks):
        if k:
            yaw = math.remainder(robot.yaw + math.tau * k / looks, math.tau)
            yield from body.go(Pose2D(robot.x, robot.y, yaw, robot.z), step)
        yield from body.hold_still(step, _DWELL)
        yield from body.settle(step)  # however few pictures perception has taken into account meanwhile
        if target is not None and (found := body.seen(target, body.since)) is not None:
            return found
    return None


def go_to_object(body: Body, skill: Skill) -> Running:
    """Drive to where the target can be reached, and see it there."""
    node = yield from approach(body, skill.target)
    if node is None:
        return Outcome(Code.SUCCESS)
    seen = [node, *(inside for inside in body.perceived.contents(node.id) if inside.last_seen >= body.since)]
    return Outcome(Code.SUCCESS, f"{node.id} is in reach", tuple(n.seen for n in seen))


def approach(body: Body, target: Target) -> Generator[Progress, None, Node | None]:
    """Drive to where the target is in reach and seen, and return it (None in a dry run); RefusedError otherwise.

    What is seen, on the way or from there, to be elsewhere than it was thought to be is gone to there, once.
    """
    if body.held is not None and target.id == body.held.id:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{body.held.id} is in the gripper")
    step = f"looking for {named(target)}"
    if target.position is not None and body.perceived.stamp:
        node = body.known(target)
    else:  # where nothing was told yet, what stands around it is not known either
        node = yield from body.known_by_now(target, step)
    if node is None and target.position is None:
        raise RefusedError(
            Code.NOT_FOUND, f"{named(target)} is not known here and its position is not given: explore first"
        )
    try:
        return (yield from _go_and_see(body, target, node, step))
    except RefusedError as error:
        now = body.known(target)
        if error.code not in _BLOCKED or now is None or (node is not None and _as_it_was(now.seen, node.seen)):
            raise
        return (yield from _go_and_see(body, target, now, step))


def _as_it_was(now: SeenObject, then: SeenObject) -> bool:
    """Whether a box is still the one that it was, as exactly as perception tells."""
    return math.dist(now.center, then.center) + math.dist(now.size, then.size) <= _WOBBLE


def _go_and_see(body: Body, target: Target, node: Node | None, step: str) -> Generator[Progress, None, Node | None]:
    """Drive to a target where it was last seen, None: where it is said to be, and look; see `approach`."""
    thing = node.seen if node is not None else unseen(target)
    meant = target if node is None else Target(node.id, node.seen.category, node.center)
    room = body.perceived.room_of(node) if node is not None else ""
    looked, last = 0, None
    for stand in stands(thing, body.pose(), body.perceived, body.drive, room):
        try:
            yield from body.go(stand, f"driving to {named(target)}")
        except RefusedError as error:
            if error.code not in _BLOCKED:
                raise
            last = error
            continue
        robot = body.pose()
        if not body.dry_run and across(thing, robot.x, robot.y) > body.drive.reach - _WOBBLE:
            last = RefusedError(
                Code.PRECONDITION_FAILURE, f"{named(target)} is out of reach from where the base got for it"
            )
            continue
        yield from body.look_at(thing.center, step)
        if body.dry_run:
            return None
        found = yield from body.settle(step, target=meant)
        if found is not None:  # from here, more of it may show than it was gone to for
            if across(found.seen, robot.x, robot.y) > body.drive.reach:
                raise RefusedError(
                    Code.PRECONDITION_FAILURE, f"{found.id} is seen to be out of reach from where the base got for it"
                )
            yield from body.turn_to(aim(found.seen, robot.x, robot.y), f"turning to {found.id}")
            return found
        looked += 1
        if looked >= _LOOKED:
            break
    if not looked:
        raise last or RefusedError(Code.PRECONDITION_FAILURE, f"{named(target)} can't be reached from anywhere")
    _refuse_what_is_shut(body, thing)
    raise RefusedError(Code.NOT_FOUND, f"{named(target)} is not seen where it was expected: explore first")


def unseen(target: Target) -> SeenObject:
    """Return what is known of a target that perception does not know: a point where it is said to be."""
    return SeenObject(target.id, target.category, target.position or (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), movable=True)


def _refuse_what_is_shut(body: Body, thing: SeenObject) -> None:
    """Say so when the place is in something closed: what can't be seen there may be there all the same."""
    for node in body.perceived.layer(Layer.OBJECT):
        closed = node.seen.states.get("isOpen") == "false" and node.id != thing.id
        if closed and all(
            abs(p - c) <= s / 2 for p, c, s in zip(thing.center, node.center, node.seen.size, strict=True)
        ):
            name = thing.id or thing.category
            raise RefusedError(
                Code.PRECONDITION_FAILURE, f"{name} is not in view, and {node.id} is closed there: open it first"
            )


def navigate(body: Body, skill: Skill) -> Running:
    """Drive to a place of the table, a room, an object or a position."""
    target = skill.target
    wanted = {plain(text) for text in (target.id, target.category) if text}
    for name, (x, y, yaw) in body.table.places.items():
        if plain(name) in wanted:
            yield from body.go(Pose2D(x, y, yaw), f"driving to {name}", name)
            return Outcome(Code.SUCCESS, f"at {name}")
    if wanted and target.position is None and not _rooms(body, target):
        yield from body.known_by_now(target, f"looking for {named(target)}")
    room = next(iter(_rooms(body, target)), None) if wanted else None
    if room is not None:
        yield from _enter(body, room)
        return Outcome(Code.SUCCESS, f"in {room.id}")
    node = body.known(target) if wanted else None
    if node is not None:
        near = yield from approach(body, target)
        return Outcome(Code.SUCCESS, f"at {node.id}", (near.seen,) if near is not None else ())
    if target.position is None:
        rooms = ", ".join(r.name or r.id for r in body.perceived.layer(Layer.ROOM)) or "none yet"
        places = ", ".join(body.table.places) or "none"
        raise RefusedError(
            Code.NOT_FOUND,
            f"{named(target)} is no place of the table ({places}), no room that was seen ({rooms}), "
            "not known, and its position is not given",
        )
    if wanted:
        yield from _beside(body, unseen(target))
        return Outcome(Code.SUCCESS, f"at {named(target)}")
    robot = body.pose()
    x, y, z = target.position
    yaw = math.atan2(y - robot.y, x - robot.x) if math.dist((x, y), (robot.x, robot.y)) > 0.1 else robot.yaw
    yield from body.go(Pose2D(x, y, yaw, z), f"driving to {named(target)}")
    return Outcome(Code.SUCCESS, f"at {named(target)}")


def _beside(body: Body, thing: SeenObject) -> Moving:
    """Drive to a place beside where something is remembered, seen or not."""
    last = RefusedError(Code.PRECONDITION_FAILURE, f"{thing.id or thing.category} can't be reached from anywhere")
    for stand in stands(thing, body.pose(), body.perceived, body.drive):
        try:
            yield from body.go(stand, f"driving to {thing.id or thing.category}")
        except RefusedError as error:
            if error.code not in _BLOCKED:
                raise
            last = error
        else:
            return
    raise last


def _enter(body: Body, room: Node) -> Moving:
    """Drive to the floor nearest to the middle of a room."""
    areas = [n for n in body.perceived.layer(Layer.AREA) if body.perceived.room_of(n) == room.id]
    middle: Point = room.center
    goal = min((n.center for n in areas), key=lambda c: math.dist(c[:2], middle[:2]), default=middle)
    robot = body.pose()
    pose = Pose2D(goal[0], goal[1], math.atan2(goal[1] - robot.y, goal[0] - robot.x), robot.z)
    yield from body.go(pose, f"driving to {room.name or room.id}")


def _rooms(body: Body, target: Target) -> list[Node]:
    """Return the rooms that a target names, by id, name or kind, all for one without; the nearest first."""
    wanted = {plain(text) for text in (target.id, target.category) if text}
    rooms = body.perceived.layer(Layer.ROOM)
    exact = [r for r in rooms if wanted & {plain(r.id), plain(r.name)}]
    robot = body.pose()
    return sorted(
        exact or [r for r in rooms if not wanted or plain(r.seen.category) in wanted],
        key=lambda r: math.dist(r.center[:2], (robot.x, robot.y)),
    )


def find_object(body: Body, skill: Skill) -> Running:
    """Report the objects in view that the target may mean."""
    return _found(skill.target, (yield from body.look("looking")))


def find_receptacle(body: Body, skill: Skill) -> Running:
    """Report the furniture in view that the target may mean and that holds things or has surfaces."""
    nodes = yield from body.look("looking for receptacles")
    holding = {node.seen.receptacle for node in body.perceived}
    return _found(skill.target, [n for n in nodes if n.support_heights or n.id in holding])


def _found(target: Target, nodes: list[Node]) -> Outcome:
    if target.id or target.category:
        exact = [n for n in nodes if n.id == target.id]
        category = category_of(target).casefold()
        nodes = exact or [n for n in nodes if n.seen.category.casefold() == category]
        if not nodes:
            return Outcome(Code.NOT_FOUND, f"no {named(target)} is in view: explore, or go where it may be")
    return Outcome(Code.SUCCESS, f"{len(nodes)} in view", tuple(n.seen for n in nodes))


def find_room(body: Body, skill: Skill) -> Running:
    """Report where a room is, or every room that perception has found."""
    target = skill.target
    rooms = _rooms(body, target)
    if not rooms:
        yield from body.settle("looking for rooms")
        rooms = _rooms(body, target)
    if not rooms:
        return Outcome(Code.NOT_FOUND, f"no room {named(target)} has been seen: explore first")
    return Outcome(Code.SUCCESS, ", ".join(r.name or r.id for r in rooms), tuple(r.seen for r in rooms))


def describe(body: Body, skill: Skill) -> Running:
    """Report the state of an object in view, or in the gripper."""
    if body.held is not None and skill.target.id == body.held.id:
        shown = body.held
    else:
        found = _found(skill.target, (yield from body.look(f"looking at {named(skill.target)}")))
        if found.code is not Code.SUCCESS:
            return found
        shown = found.seen[0]
    states = ", ".join(f"{k} {v}" for k, v in shown.states.items())
    where = f", {shown.relation} {shown.receptacle}" if shown.receptacle else ""
    return Outcome(Code.SUCCESS, f"{shown.id} is {one_of(shown.category)}{where}; {states}".rstrip("; "), (shown,))
