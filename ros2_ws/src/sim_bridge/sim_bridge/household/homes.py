# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Homes: several recorded rooms side by side, joined by doorways, and storeys joined by stairs.

`homes.yaml` says which floor plan adjoins which on what side. Where exactly is computed: a room slides along the wall
it adjoins to where a passage between free cells of both rooms is widest and shortest and passes through no furniture,
and where the room overlaps no other. The result depends on nothing but the file and the recordings.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from sim_bridge.household.boxes import moved
from sim_bridge.household.free_space import connected_cells, covered
from sim_bridge.household.model import CELL, Box, Cell, Doorway, ObjectSpec, Room, Scene
from sim_bridge.household.recorded import floor_plans, recording
from sim_bridge.household.rooms import room_bounds, room_scene, start_cell

_WALL = 0.1
_WIDEST = 3
"""Cells; a doorway is as wide as there is room for."""

_NARROW = 4.0
"""What a cell less of width costs, in cells of length."""

_FLIGHT = 8
"""Cells of a flight of stairs; there are two with a landing between them."""

_SIDES = {"east": (0, 1), "west": (0, -1), "north": (1, 1), "south": (1, -1)}
"""Side → axis and direction of x (east) or y (north)."""


class HomeError(ValueError):
    """A home is described wrongly, or can't be built as described."""


@dataclass(frozen=True)
class _Entry:
    """A room as `homes.yaml` names it."""

    name: str
    floor_plan: str
    beside: str = ""
    side: str = ""
    above: str = ""


@dataclass(frozen=True)
class _Site:
    """Ground that is taken: smallest and largest x, y."""

    storeys: tuple[int, ...]
    low: tuple[float, float]
    high: tuple[float, float]

    def overlaps(self, other: _Site) -> bool:
        """Whether both take some of the same ground."""
        return bool(set(self.storeys) & set(other.storeys)) and all(
            self.low[k] < other.high[k] - 1e-6 and self.high[k] > other.low[k] + 1e-6 for k in (0, 1)
        )


@dataclass(frozen=True)
class _Placed:
    """A room at its place: shifted by whole cells."""

    name: str
    floor_plan: str
    storey: int
    shift: tuple[int, int]

    @property
    def low(self) -> tuple[float, float]:
        (x, y), _ = room_bounds(self.floor_plan)
        return x + self.shift[0] * CELL, y + self.shift[1] * CELL

    @property
    def high(self) -> tuple[float, float]:
        _, (x, y) = room_bounds(self.floor_plan)
        return x + self.shift[0] * CELL, y + self.shift[1] * CELL

    @property
    def site(self) -> _Site:
        (x0, y0), (x1, y1) = self.low, self.high
        return _Site((self.storey,), (x0 - _WALL, y0 - _WALL), (x1 + _WALL, y1 + _WALL))


def home_names() -> tuple[str, ...]:
    """Return the names in `homes.yaml`."""
    return tuple(_descriptions())


@cache
def load_home(name: str) -> Scene:
    """Build a home. KeyError for an unknown one, HomeError when it can't be built as described."""
    return build_home(name, _descriptions()[name])


@cache
def _descriptions() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("homes.yaml").read_text(encoding="utf-8")
    loaded = yaml.load(text, yaml.CSafeLoader)
    if not isinstance(loaded, dict):
        raise HomeError("homes.yaml does not map names to homes")
    return loaded


def build_home(name: str, description: Mapping[str, Any]) -> Scene:
    """Build a home from its description: room name → {floor_plan, beside?, side?, above?}, the first room without."""
    placed: dict[str, _Placed] = {}
    sites: list[_Site] = []
    doorways: list[Doorway] = []
    for entry in _entries(name, description):
        if not placed:
            room = _Placed(entry.name, entry.floor_plan, 0, (0, 0))
        elif entry.above:
            room, ways, well = _build_above(name, entry, placed[entry.above], sites)
            doorways += ways
            sites.append(well)
        else:
            room, way = _build_beside(name, entry, placed[entry.beside], sites)
            doorways.append(way)
        placed[room.name] = room
        sites.append(room.site)
    return _scene(name, tuple(placed.values()), tuple(doorways))


def _entries(home: str, description: Mapping[str, Any]) -> Iterator[_Entry]:
    known: set[str] = set()
    for room, value in description.items():
        if not isinstance(value, dict) or not set(value) <= {"floor_plan", "beside", "side", "above"}:
            raise HomeError(
                f"{home}/{room}: give floor_plan and, but for the first room, beside and side, or above and side"
            )
        entry = _Entry(room, **{k: str(v) for k, v in value.items()})
        if entry.floor_plan not in floor_plans():
            raise HomeError(f"{home}/{room}: there is no floor plan {entry.floor_plan!r}")
        anchor = entry.beside or entry.above
        if bool(known) != bool(anchor) or (anchor and anchor not in known) or (entry.beside and entry.above):
            raise HomeError(
                f"{home}/{room}: beside or above must name one room further up ({', '.join(known) or 'none yet'})"
            )
        if anchor and entry.side not in _SIDES:
            raise HomeError(f"{home}/{room}: side must be one of {', '.join(_SIDES)}")
        known.add(room)
        yield entry


@cache
def _depths(floor_plan: str, axis: int, direction: int) -> dict[int, int]:
    """Return, by lateral index, how many cells lie between the wall on a side and the room's first free cell.

    Only where nothing stands, lies or hangs between them.
    """
    rec = recording(floor_plan)
    free = connected_cells(rec)
    low, high = room_bounds(floor_plan)
    edge = _wall_cell(high[axis] if direction > 0 else low[axis], direction)
    boxes = [o.box for o in rec.objects if o.category != "Floor"]
    found = {}
    for lateral in sorted({c[1 - axis] for c in free}):
        at = edge
        while True:
            cell = (at, lateral) if axis == 0 else (lateral, at)
            if cell in free:
                found[lateral] = abs(edge - at)
                break
            if covered(cell, boxes, half=CELL / 2 - 0.01):
                break
            at -= direction
    return found


def _wall_cell(face: float, direction: int) -> int:
    """Return the index of the outermost cell whose middle is inside a wall's inner face."""
    return math.floor(face / CELL) if direction > 0 else math.ceil(face / CELL)


def _build_beside(home: str, entry: _Entry, anchor: _Placed, sites: list[_Site]) -> tuple[_Placed, Doorway]:
    axis, direction = _SIDES[entry.side]
    ours, theirs = _depths(anchor.floor_plan, axis, direction), _depths(entry.floor_plan, axis, -direction)
    best: tuple[float, int, int, int] | None = None
    for slide in _slides(ours, theirs, anchor.shift[1 - axis]):
        room = _adjoin(entry, anchor, axis, direction, slide, gap=2 * _WALL)
        if any(map(room.site.overlaps, sites)):
            continue
        for first, width, length in _openings(ours, theirs, anchor.shift[1 - axis], slide):
            cost = length + _NARROW * (_WIDEST - width) + _askew(room, anchor, 1 - axis)
            if best is None or (cost, slide, first) < best[:3]:
                best = (cost, slide, first, width)
    if best is None:
        raise HomeError(f"{home}: no passage from {anchor.name} {entry.side} to {entry.name} is free of furniture")
    _, slide, first, width = best
    room = _adjoin(entry, anchor, axis, direction, slide, gap=2 * _WALL)
    cells = [
        cell
        for lateral in range(first, first + width)
        for cell in _between(anchor, room, axis, direction, lateral, anchor.storey)
    ]
    return room, Doorway((anchor.name, room.name), tuple(cells))


def _askew(room: _Placed, anchor: _Placed, axis: int) -> float:
    """Return what it costs, in cells of passage, that two rooms are not centred on each other: a little."""
    return 0.5 * abs(room.low[axis] + room.high[axis] - anchor.low[axis] - anchor.high[axis])


def _slides(ours: dict[int, int], theirs: dict[int, int], shift: int) -> range:
    """Return every lateral shift of the new room at which some passage of both rooms is in line."""
    if not ours or not theirs:
        return range(0)
    return range(min(ours) + shift - max(theirs), max(ours) + shift - min(theirs) + 1)


def _openings(ours: dict[int, int], theirs: dict[int, int], shift: int, slide: int) -> Iterator[tuple[int, int, int]]:
    """Yield (first lateral index, width, length within the rooms) of the openings that are in line."""
    length = {
        lateral + shift: depth + theirs[lateral + shift - slide]
        for lateral, depth in ours.items()
        if lateral + shift - slide in theirs
    }
    for first in length:
        for width in range(1, _WIDEST + 1):
            if all(first + k in length for k in range(width)):
                yield first, width, max(length[first + k] for k in range(width))


def _adjoin(entry: _Entry, anchor: _Placed, axis: int, direction: int, slide: int, gap: float) -> _Placed:
    """Return the new room beside the anchor, `gap` metres or up to a cell more between their inner faces."""
    low, high = room_bounds(entry.floor_plan)
    if direction > 0:
        along = math.ceil((anchor.high[axis] + gap - low[axis]) / CELL - 1e-9)
    else:
        along = math.floor((anchor.low[axis] - gap - high[axis]) / CELL + 1e-9)
    shift = (along, slide) if axis == 0 else (slide, along)
    return _Placed(entry.name, entry.floor_plan, anchor.storey, shift)


def _between(a: _Placed, b: _Placed, axis: int, direction: int, lateral: int, storey: int) -> list[Cell]:
    """Return the cells on a line between the free cells of two rooms, from the first room to the second."""
    side = 1 - axis
    start = _free_edge(a, axis, direction, lateral - a.shift[side])
    end = _free_edge(b, axis, -direction, lateral - b.shift[side])
    return [_cell(axis, at, lateral, storey) for at in range(start + direction, end, direction)]


def _free_edge(room: _Placed, axis: int, direction: int, lateral: int) -> int:
    """Return the index along the axis of the free cell nearest to the wall on a side, in the home's grid."""
    low, high = room_bounds(room.floor_plan)
    edge = _wall_cell(high[axis] if direction > 0 else low[axis], direction)
    return edge - direction * _depths(room.floor_plan, axis, direction)[lateral] + room.shift[axis]


def _cell(axis: int, along: int, lateral: int, storey: int) -> Cell:
    return (along, lateral, storey) if axis == 0 else (lateral, along, storey)


def _build_above(home: str, entry: _Entry, anchor: _Placed, sites: list[_Site]) -> tuple[_Placed, list[Doorway], _Site]:
    """Place a room on the next storey, so that stairs outside one wall lead from the anchor up to it.

    A flight leads away from the wall and another, beside it, back.
    """
    axis, direction = _SIDES[entry.side]
    side = 1 - axis
    ours, theirs = _depths(anchor.floor_plan, axis, direction), _depths(entry.floor_plan, axis, direction)
    best: tuple[float, int, _Placed, _Site] | None = None
    low, high = room_bounds(entry.floor_plan)
    for lane, depth in ours.items():
        foot = lane + anchor.shift[side]
        for lane_above, depth_above in theirs.items():
            slide = foot + 2 - lane_above
            if direction > 0:
                along = math.floor((anchor.high[axis] - high[axis]) / CELL)
            else:
                along = math.ceil((anchor.low[axis] - low[axis]) / CELL)
            room = _Placed(
                entry.name, entry.floor_plan, anchor.storey + 1, (along, slide) if axis == 0 else (slide, along)
            )
            well = _stairwell(anchor, axis, direction, foot)
            if any(room.site.overlaps(s) or well.overlaps(s) for s in sites):
                continue
            cost = depth + depth_above + _askew(room, anchor, side)
            if best is None or (cost, foot) < best[:2]:
                best = (cost, foot, room, well)
    if best is None:
        raise HomeError(
            f"{home}: there is no room for stairs on the {entry.side} side of {anchor.name} up to {entry.name}"
        )
    _, foot, room, well = best
    return room, _stairs(anchor, room, axis, direction, foot), well


def _first_step(anchor: _Placed, axis: int, direction: int) -> int:
    """Return the index along the axis of the first cell wholly outside the wall."""
    face = anchor.high[axis] if direction > 0 else anchor.low[axis]
    across = (face + direction * (_WALL + CELL / 2)) / CELL
    return math.ceil(across) if direction > 0 else math.floor(across)


def _stairwell(anchor: _Placed, axis: int, direction: int, foot: int) -> _Site:
    start = _first_step(anchor, axis, direction) * CELL - direction * CELL / 2
    end = start + direction * (_FLIGHT + 1) * CELL
    low, high = [0.0, 0.0], [0.0, 0.0]
    low[axis], high[axis] = min(start, end), max(start, end)
    low[1 - axis], high[1 - axis] = (foot - 1) * CELL, (foot + 3) * CELL
    return _Site((anchor.storey, anchor.storey + 1), (low[0], low[1]), (high[0], high[1]))


def _stairs(anchor: _Placed, room: _Placed, axis: int, direction: int, foot: int) -> list[Doorway]:
    """Return the way out of the lower room, the stairs, and the way into the upper room."""
    side, head = 1 - axis, foot + 2
    first = _first_step(anchor, axis, direction)
    last = first + direction * (_FLIGHT - 1)
    up = [_cell(axis, at, foot, anchor.storey) for at in range(first, last + direction, direction)]
    landing = [_cell(axis, last, foot + 1, anchor.storey + 1)]
    on = [_cell(axis, at, head, anchor.storey + 1) for at in range(last, first - direction, -direction)]
    below = range(_free_edge(anchor, axis, direction, foot - anchor.shift[side]) + direction, first, direction)
    above = range(first - direction, _free_edge(room, axis, direction, head - room.shift[side]), -direction)
    rooms = (anchor.name, room.name)
    return [
        Doorway(rooms, tuple(_cell(axis, at, foot, anchor.storey) for at in below)),
        Doorway(rooms, tuple(up + landing + on), stairs=True),
        Doorway(rooms, tuple(_cell(axis, at, head, anchor.storey + 1) for at in above)),
    ]


def _scene(name: str, placed: tuple[_Placed, ...], doorways: tuple[Doorway, ...]) -> Scene:
    rooms: list[Room] = []
    objects: list[ObjectSpec] = []
    free: dict[Cell, str] = {}
    carved: dict[str, tuple[Box, ...]] = {}
    for p in placed:
        original = room_scene(p.floor_plan)
        rooms.append(Room(p.name, original.rooms[0].kind, p.floor_plan, p.storey, p.low, p.high))
        free.update({(i + p.shift[0], j + p.shift[1], p.storey): p.name for i, j, _ in original.free})
        shift = (p.shift[0] * CELL, p.shift[1] * CELL, p.storey * Scene.storey_height)
        objects += [_renamed(replace(o, room=p.name, box=moved(o.box, shift))) for o in original.objects]
        for key, boxes in original.carved.items():
            carved[f"{p.name}/{key}"] = tuple(moved(b, shift) for b in boxes)
    for doorway in doorways:
        middle = len(doorway.cells) / 2
        for k, cell in enumerate(doorway.cells):
            free.setdefault(cell, doorway.rooms[0 if k < middle else 1])
    ground = {c: r for c, r in free.items() if c[2] == 0}
    return Scene(name, tuple(rooms), doorways, tuple(objects), free, start_cell(ground), carved=carved)


def _renamed(spec: ObjectSpec) -> ObjectSpec:
    """Prefix an object's id, and the ids it refers to, with its room's name."""
    return replace(
        spec,
        id=f"{spec.room}/{spec.id}",
        parent=f"{spec.room}/{spec.parent}" if spec.parent else "",
        controls=tuple(f"{spec.room}/{c}" for c in spec.controls),
    )
