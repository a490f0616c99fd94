# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that drive: GoToObject and Navigate."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np

from sim_bridge.backend import Code, Outcome, Point, Progress, RefusedError, Skill, Target
from sim_bridge.simulation.body import Body, Moving, Running
from sim_bridge.simulation.motion import REACH
from sim_bridge.targets import NEAR_POSITION, named, rooms_named

_SIDES = 3
"""Places from which an object is looked for before it is given up at a remembered position."""


def go_to_object(body: Body, skill: Skill) -> Running:
    """Drive to where the target can be reached, and face it."""
    name = yield from approach(body, skill.target)
    return Outcome(Code.SUCCESS, f"{name} is in reach", body.described_with_contents(name))


def approach(body: Body, target: Target) -> Generator[Progress, None, str]:
    """Drive to where the target is in reach and in view, and return its id; RefusedError otherwise."""
    name = body.resolve(target)
    if name and body.carries(name):
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{name} is in the gripper")
    known = bool(name) and (body.truth(name).category == "Floor" or body.could_see(name))
    if known and _meant(body, target, name):
        yield from _stand_before(body, name)
        return name
    if target.position is None:
        raise RefusedError(
            Code.NOT_FOUND, f"{named(target)} is not in view and its position is not given: explore first"
        )
    for cell in body.stands_for(target, target.position, _SIDES):
        name = yield from _drive_looking_out(body, cell, target, target.position)
        if not name:
            yield from body.face(target.position, f"looking for {named(target)}")
            name = body.in_view(target)
        if name and _meant(body, target, name):
            yield from _stand_before(body, name)
            return name
    for shut in body.closed():  # what can't be seen there may be there all the same
        if body.distance(shut, target.position) == 0.0 and body.could_see(shut):
            message = f"{named(target)} is not in view, and {shut} is closed there: open it first"
            raise RefusedError(Code.PRECONDITION_FAILURE, message)
    raise RefusedError(Code.NOT_FOUND, f"{named(target)} is not seen where it was expected: explore first")


def _drive_looking_out(body: Body, cell: int, target: Target, position: Point) -> Generator[Progress, None, str]:
    """Drive to a cell until the target is in view, as Explore does; return its id, "" where it did not come into view.

    On the way only what surely is the target counts: from where the position is looked at, it may be another one.
    """
    for progress in body.drive(cell, f"driving to {named(target)}"):
        yield progress
        name = body.in_view(target)
        if name and (name == target.id or body.distance(name, position) == 0.0):
            return name
    return ""


def _meant(body: Body, target: Target, name: str) -> bool:
    """Whether an object is the target: it has its id, or it is of its category and where that was remembered."""
    if name == target.id or target.position is None:
        return True
    return body.distance(name, target.position) <= NEAR_POSITION


def _stand_before(body: Body, name: str) -> Moving:
    """Drive to where an object that can be seen is in reach, and face it."""
    if body.truth(name).category == "Floor":
        room = body.room_of(name)
        cells = [c for c, r in enumerate(body.cell_rooms) if r == room]
        cell, where = body.closest(cells) if cells else None, room
    else:
        cell, where = body.stand_for(name), name
    if cell is None:
        raise RefusedError(Code.PRECONDITION_FAILURE, f"{where} can't be reached from anywhere")
    yield from body.drive(cell, f"driving to {where}")
    yield from look_at(body, name, f"looking at {name}")
    if not body.sees(name):
        raise RefusedError(Code.NOT_FOUND, f"{name} is not seen from where it can be reached")


def look_at(body: Body, name: str, step: str) -> Moving:
    """Look at an object's middle, or at its part ahead where it is long."""
    seen = body.truth(name)
    if seen.category == "Floor":
        return
    (x, y, z), (length, width, _) = seen.center, seen.size
    if max(length, width) > 1.0:
        pose = body.pose
        x = (min(max(pose.x, x - length / 2), x + length / 2) + x) / 2
        y = (min(max(pose.y, y - width / 2), y + width / 2) + y) / 2
    yield from body.face((x, y, z), step)


def navigate(body: Body, skill: Skill) -> Running:
    """Drive to a room, an object or a position."""
    target = skill.target
    rooms = {room.name for room in rooms_named(body.rooms, target)}
    if rooms:
        cells = [c for c, r in enumerate(body.cell_rooms) if r in rooms]
        if not cells:
            raise RefusedError(Code.PRECONDITION_FAILURE, f"{min(rooms)} can't be reached from anywhere")
        room = body.cell_rooms[body.closest(cells)]
        yield from body.drive(_middle(body, [c for c in cells if body.cell_rooms[c] == room]), f"driving to {room}")
        return Outcome(Code.SUCCESS, f"in {room}")
    name = body.resolve(target)
    if name and (not body.truth(name).movable or body.could_see(name)):
        yield from _stand_before(body, name)
        return Outcome(Code.SUCCESS, f"at {name}", body.described([name]))
    if target.position is not None:
        (cell,) = body.viewpoints([target.position])
        away = math.dist(body.points[cell], target.position[:2])
        if away > REACH:
            message = f"{named(target)} is {away:.1f} m from where the robot can drive: give a position in a room"
            raise RefusedError(Code.NOT_FOUND, message)
        yield from body.drive(cell, f"driving to {named(target)}")
        return Outcome(Code.SUCCESS, f"at {named(target)}")
    known = ", ".join(room.name for room in body.rooms)
    raise RefusedError(
        Code.NOT_FOUND,
        f"{named(target)} is no room here, is not in view and has no position: the rooms are {known}",
    )


def _middle(body: Body, cells: list[int]) -> int:
    points = body.points[cells]
    return cells[int(np.argmin(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
