# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where to stand for a thing, and where to put one down, as far as perception's map tells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from sim_bridge.backend import Point, Pose2D, SeenObject
from sim_bridge.robot.perceived import Layer, Node, Perceived
from sim_bridge.robot.table import Drive

_STEP = 0.25
"""Metres between places that are looked at."""
_APART = 0.5
"""Metres between two places that are tried."""
_MARGIN = 0.2
"""Metres of reach that a base which does not stop just where it was sent may use up."""
_LOW = 0.15
"""Metres above the floor below which the base can drive over: rugs."""
_IN_FURNITURE = 2.0
_ASKEW = 1.0
"""For each metre beside what is straight in front of a side: from there one looks into an open drawer."""
_OTHER_ROOM = 3.0
_NO_FLOOR_SEEN = 5.0
"""Metres of detour that a place is worth that is in no furniture's box (L-shaped ones have room in theirs), that is in
the same room, and that is on floor which has been seen."""
_FLOOR = 0.9
"""Metres around an area node in which there is floor: areas are about a metre apart."""
_EDGE = 0.2
"""Metres from the ends of a side that a hand keeps, as far as the side is that wide: a neighbour begins there."""
_BESIDE = 0.05
"""Metres between two things, into which no hand fits."""
_FREE = 0.03
"""Metres between what is put down and what lies there."""


def across(box: SeenObject, x: float, y: float) -> float:
    """Return the horizontal distance in metres from a point to a box; 0 inside."""
    return math.hypot(_beyond(box, 0, x), _beyond(box, 1, y))


def _beyond(box: SeenObject, axis: int, value: float) -> float:
    return max(abs(value - box.center[axis]) - box.size[axis] / 2, 0.0)


def nearest_point(box: SeenObject, x: float, y: float) -> Point:
    """Return the point of a box that is nearest to a place, at the height of its middle."""
    px, py = (min(max(v, c - s / 2), c + s / 2) for v, c, s in zip((x, y), box.center[:2], box.size[:2], strict=True))
    return px, py, box.center[2]


def holding_point(box: SeenObject, x: float, y: float, others: Iterable[SeenObject] = ()) -> Point:
    """Return where a hand at a place takes hold of a box: on the free side that faces it most, off that side's ends.

    Beside one drawer is the next, and perception's boxes are exact to a few centimetres only. `others`: what a side
    may be hidden by.
    """
    near = nearest_point(box, x, y)
    fixed = [other for other in others if not other.movable and other.id != box.id]
    sides = sorted((0, 1), key=lambda axis: -abs((x, y)[axis] - near[axis]))
    points = [_on_side(box, near, axis) for axis in sides if (x, y)[axis] != near[axis]]
    free = (p for p in points if not any(_within(other, p) for other in fixed))
    return next(free, points[0] if points else near)


def _on_side(box: SeenObject, near: Point, axis: int) -> Point:
    """Return the point of the side across an axis, 0 or 1, that is nearest to a point, off the side's ends."""
    other, point = 1 - axis, list(near)
    room = max(box.size[other] / 2 - _EDGE, 0.0)
    point[other] = min(max(point[other], box.center[other] - room), box.center[other] + room)
    return point[0], point[1], point[2]


def _within(box: SeenObject, point: Point) -> bool:
    """Whether a point is in a box, or so near that a hand would not get in between."""
    return all(abs(p - c) <= s / 2 + _BESIDE for p, c, s in zip(point, box.center, box.size, strict=True))


def facing(x: float, y: float, point: Sequence[float], z: float = 0.0) -> Pose2D:
    """Return the pose at a place that faces a point."""
    return Pose2D(x, y, math.atan2(point[1] - y, point[0] - x), z)


def stands(target: SeenObject, robot: Pose2D, perceived: Perceived, drive: Drive, room: str = "") -> list[Pose2D]:
    """Return poses from which a thing is in reach, the best first, at most `drive.tries`; facing it.

    Places where furniture is known to stand come late; whether the base gets there only its navigation knows. The
    place where the robot is comes first if it will do. `room`: id of the room that the thing is in, if known.
    """
    furniture = [
        node.seen
        for node in perceived.layer(Layer.OBJECT)
        if not node.seen.movable and node.id != target.id and _in_the_way(node.seen, robot.z)
    ]
    areas = [(node.center, perceived.room_of(node)) for node in perceived.layer(Layer.AREA)]
    most = max(drive.reach - _MARGIN, drive.stand_off)

    def cost(x: float, y: float) -> float:
        floor, floors_room = min(((math.dist(a[:2], (x, y)), r) for a, r in areas), default=(math.inf, ""))
        return (
            math.dist((x, y), (robot.x, robot.y))
            + 2.0 * abs(across(target, x, y) - drive.stand_off)
            + (_NO_FLOOR_SEEN if floor > _FLOOR else 0.0)
            + (_IN_FURNITURE if any(across(box, x, y) < drive.radius for box in furniture) else 0.0)
            + _ASKEW * min(_beyond(target, 0, x), _beyond(target, 1, y))
            + (_OTHER_ROOM if room and floors_room and floors_room != room else 0.0)
        )

    around = [(x, y) for x, y in _around(target, most) if drive.radius <= across(target, x, y) <= most]
    chosen: list[tuple[float, float]] = []
    if across(target, robot.x, robot.y) <= most:
        chosen.append((robot.x, robot.y))
    for place in sorted(around or _around(target, drive.stand_off), key=lambda p: cost(*p)):
        if len(chosen) >= drive.tries:
            break
        if all(math.dist(place, other) >= _APART for other in chosen):
            chosen.append(place)
    return [facing(x, y, aim(target, x, y), robot.z) for x, y in chosen]


def _in_the_way(box: SeenObject, floor: float) -> bool:
    low, high = box.center[2] - box.size[2] / 2, box.center[2] + box.size[2] / 2
    return high > floor + _LOW and low < floor + 1.5 and box.category != "Floor"


def _around(box: SeenObject, most: float) -> list[tuple[float, float]]:
    (x, y), (w, h) = box.center[:2], box.size[:2]
    nx, ny = math.ceil((w / 2 + most) / _STEP), math.ceil((h / 2 + most) / _STEP)
    return [(x + i * _STEP, y + j * _STEP) for i in range(-nx, nx + 1) for j in range(-ny, ny + 1)]


def aim(box: SeenObject, x: float, y: float) -> tuple[float, float]:
    """Return where to look from a place: a thing's middle, or between that and its near side where it is long."""
    cx, cy, _ = box.center
    if max(box.size[:2]) <= 1.0:
        return cx, cy
    px, py, _ = nearest_point(box, x, y)
    return (px + cx) / 2, (py + cy) / 2


def resting_place(
    held: SeenObject | None, receptacle: Node, lying: Iterable[Node], robot: Pose2D, reach: float
) -> Point:
    """Return where the bottom of what is held is to come on or in a receptacle: free, in reach, and near its middle.

    Where nothing is free, the nearest point of it in reach. A surface right below the top of what can be shut is its
    ceiling: what is held has no room there.
    """
    box = receptacle.seen
    size = held.size if held is not None else (0.0, 0.0, 0.0)
    half, high = tuple(s / 2 for s in size[:2]), box.center[2] + box.size[2] / 2
    shut_in = "isOpen" in box.states
    top = max((h for h in receptacle.support_heights if not shut_in or h + size[2] <= high), default=high)
    others = [node.seen for node in lying]
    nx, ny = (max(0, math.floor((s / 2 - h) / 0.1)) for s, h in zip(box.size[:2], half, strict=True))
    places = [
        (box.center[0] + i * 0.1, box.center[1] + j * 0.1) for i in range(-nx, nx + 1) for j in range(-ny, ny + 1)
    ]
    free = [
        (x, y)
        for x, y in places
        if math.dist((x, y), (robot.x, robot.y)) <= reach
        and not any(
            abs(x - o.center[0]) < half[0] + o.size[0] / 2 + _FREE
            and abs(y - o.center[1]) < half[1] + o.size[1] / 2 + _FREE
            for o in others
        )
    ]
    if not free:
        x, y, _ = nearest_point(box, robot.x, robot.y) if nx or ny else box.center
        return x, y, top
    x, y = min(free, key=lambda p: math.dist(p, box.center[:2]))
    return x, y, top
