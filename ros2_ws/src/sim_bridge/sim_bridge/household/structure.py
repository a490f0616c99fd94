# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What stands around the furniture: walls with doorways, ceilings, thresholds and stairs, as boxes in the map frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim_bridge.household.boxes import box_between, subtract
from sim_bridge.household.model import CELL, WALL_HEIGHT, Box, Cell, Doorway, Room, Scene

DOOR_HEIGHT = 2.05
"""Metres."""

_WALL = 0.1
"""Metres; thickness of walls, floors and ceilings."""

_ROOM_FOR_BASE = 0.05
"""Metres by which a doorway is wider than its cells, on each side."""


@dataclass(frozen=True)
class Structure:
    """The boxes of a scene that are no objects."""

    walls: tuple[Box, ...]
    steps: tuple[Box, ...]
    """Thresholds of the doorways and treads of the stairs."""
    ceilings: tuple[Box, ...]


def structure(scene: Scene) -> Structure:
    """Build the walls, floors of passages, stairs and ceilings of a scene."""
    passages = [_clearance(scene, cell) for d in scene.doorways for cell in d.cells]
    flights = stairwells(scene)
    clear = [*passages, *flights, *(_interior(scene, room) for room in scene.rooms)]
    solid = [wall for room in scene.rooms for wall in _walls(scene, room)]
    solid += [_jamb(scene, d) for d in scene.doorways]
    walls = [piece for wall in solid for piece in subtract(wall, clear)]
    ceilings = [p for room in scene.rooms for p in subtract(_ceiling(scene, room), flights)]
    ceilings += [box_between((*f.low[:2], f.high[2]), (*f.high[:2], f.high[2] + _WALL)) for f in flights]
    steps = [step for d in scene.doorways for step in _floor_of(scene, d)]
    return Structure(tuple(walls), tuple(steps), tuple(ceilings))


def floor_height(scene: Scene, storey: int) -> float:
    """Return the height of a storey's floor, metres."""
    return storey * scene.storey_height


def stairwells(scene: Scene) -> tuple[Box, ...]:
    """Return the space of each staircase: no ceiling, wall or floor may fill it."""
    return tuple(_flight(scene, d) for d in scene.doorways if d.stairs)


def stair_heights(scene: Scene, doorway: Doorway) -> tuple[float, ...]:
    """Return the height of the floor at each cell of a staircase: it rises evenly from the foot to the head."""
    low, high = (floor_height(scene, doorway.cells[i][2]) for i in (0, -1))
    last = max(len(doorway.cells) - 1, 1)
    return tuple(low + (high - low) * i / last for i in range(len(doorway.cells)))


def _interior(scene: Scene, room: Room) -> Box:
    z = floor_height(scene, room.storey)
    return box_between((*room.low, z), (*room.high, z + WALL_HEIGHT))


def _walls(scene: Scene, room: Room) -> Iterator[Box]:
    z = floor_height(scene, room.storey)
    (x0, y0), (x1, y1), top = room.low, room.high, z + WALL_HEIGHT
    yield box_between((x0 - _WALL, y0 - _WALL, z), (x0, y1 + _WALL, top))
    yield box_between((x1, y0 - _WALL, z), (x1 + _WALL, y1 + _WALL, top))
    yield box_between((x0, y0 - _WALL, z), (x1, y0, top))
    yield box_between((x0, y1, z), (x1, y1 + _WALL, top))


def _ceiling(scene: Scene, room: Room) -> Box:
    top = floor_height(scene, room.storey) + WALL_HEIGHT
    return box_between(
        (room.low[0] - _WALL, room.low[1] - _WALL, top), (room.high[0] + _WALL, room.high[1] + _WALL, top + _WALL)
    )


def _clearance(scene: Scene, cell: Cell) -> Box:
    x, y, z = cell[0] * CELL, cell[1] * CELL, floor_height(scene, cell[2])
    half = CELL / 2 + _ROOM_FOR_BASE
    return box_between((x - half, y - half, z), (x + half, y + half, z + DOOR_HEIGHT))


def _flight(scene: Scene, doorway: Doorway) -> Box:
    """Return the space of a staircase from its foot to the ceiling above its head."""
    xs, ys = ([c[a] * CELL for c in doorway.cells] for a in (0, 1))
    z = floor_height(scene, min(c[2] for c in doorway.cells))
    top = floor_height(scene, max(c[2] for c in doorway.cells)) + WALL_HEIGHT
    half = CELL / 2 + _ROOM_FOR_BASE
    return box_between((min(xs) - half, min(ys) - half, z), (max(xs) + half, max(ys) + half, top))


def _jamb(scene: Scene, doorway: Doorway) -> Box:
    """Return the block of wall that a doorway or a staircase leads through."""
    xs, ys = ([c[a] * CELL for c in doorway.cells] for a in (0, 1))
    bottom, top = (floor_height(scene, pick(c[2] for c in doorway.cells)) for pick in (min, max))
    reach = CELL / 2 + _ROOM_FOR_BASE + _WALL
    return box_between(
        (min(xs) - reach, min(ys) - reach, bottom), (max(xs) + reach, max(ys) + reach, top + WALL_HEIGHT)
    )


def _floor_of(scene: Scene, doorway: Doorway) -> Iterator[Box]:
    rooms = [_interior(scene, room) for room in scene.rooms]
    heights = stair_heights(scene, doorway) if doorway.stairs else None
    bottom = min(floor_height(scene, storey) for _, _, storey in doorway.cells)
    if heights:
        well = _flight(scene, doorway)
        yield box_between((*well.low[:2], bottom - _WALL), (*well.high[:2], bottom))
    for k, (i, j, storey) in enumerate(doorway.cells):
        x, y = i * CELL, j * CELL
        top = heights[k] if heights else floor_height(scene, storey)
        half = CELL / 2 + (0 if heights else _ROOM_FOR_BASE)
        low = (x - half, y - half, bottom - _WALL)
        step = box_between(low, (x + half, y + half, top))
        floors = [box_between((*r.low[:2], r.low[2] - _WALL), (*r.high[:2], r.low[2])) for r in rooms]
        yield from subtract(step, floors)
