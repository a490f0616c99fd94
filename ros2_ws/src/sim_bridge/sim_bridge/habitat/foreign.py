# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes that KARMA didn't write (HSSD, ReplicaCAD): what the skills need to know, read from what Habitat loaded.

Less is known of them than of the household's: what a thing is called comes from a table or from its file's name, what
rests on what from their boxes, and one can only carry, open and look.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sim_bridge.backend import BackendUnavailableError, Point
from sim_bridge.habitat.client import HabitatClient, HabitatObject, HabitatRoom, LoadedScene
from sim_bridge.household.boxes import box_between
from sim_bridge.household.model import CELL, Box, Cell, ObjectSpec, Room, Scene

SPOT_RADIUS = 0.25
"""Metres; habitat-lab's for Spot."""

_LARGEST_CARRIED = 0.6
"""Metres; what is longer is not carried."""

_REST = 0.06
"""Metres by which what rests on something may be above or below its top."""

_SMALLEST_PLACE = 0.05
"""Square metres of a top on which things are put."""

_NEAR = 0.06
"""Metres from a cell's middle within which the navmesh must come."""

_PREFIX = re.compile(r"^(frl_apartment|fpss|\d{3})_", re.IGNORECASE)


def foreign_scene(
    name: str, loaded: LoadedScene, habitat: HabitatClient, metadata: Path | None
) -> tuple[Scene, dict[str, int]]:
    """Return a loaded scene as the skills need it, and Habitat's number of each object.

    BackendUnavailableError where its navmesh has no free place or the table of its objects can't be read.
    """
    kinds = read_kinds(metadata) if metadata is not None else {}
    floor = loaded.robot.position[2]
    rooms = _rooms(habitat.rooms(), loaded, floor)
    specs = _specs(loaded.objects, kinds, rooms)
    free = _free(loaded, habitat, rooms)
    if not free:
        raise BackendUnavailableError(f"habitat's navmesh has no free place in {name}")
    x, y, _ = loaded.robot.position
    start = min(free, key=lambda c: (math.hypot(c[0] * CELL - x, c[1] * CELL - y), c))
    return Scene(name, rooms, (), specs, free, start), {o.handle: o.number for o in loaded.objects}


def read_kinds(path: Path) -> dict[str, str]:
    """Read what objects are from a table, or from all in a folder that say so, such as `metadata` of PARTNR's HSSD.

    A table has a column handle or id, and one of type, main_category, clean_category. Such are PARTNR's
    object_categories_filtered.csv (what is carried) and fpmodels-with-decomposed.csv (furniture).
    """
    if not path.is_dir():
        return _read_table(path)
    tables = sorted(path.glob("*.csv"))
    kinds: dict[str, str] = {}
    for table in tables:
        if None not in _columns(_rows(table)):
            kinds |= _read_table(table)
    if not kinds:
        raise BackendUnavailableError(f"{path} has no table of objects among its {len(tables)} .csv files")
    return kinds


def _read_table(path: Path) -> dict[str, str]:
    rows = _rows(path)
    key, kind = _columns(rows)
    if key is None or kind is None:
        raise BackendUnavailableError(
            f"{path} has the columns {', '.join(rows[0] if rows else ()) or 'none'}: it needs handle or id, and type, "
            "clean_category or main_category"
        )
    return {row[key]: row[kind] for row in rows if row[key] and row[kind]}


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, restkey="", restval="")
            return [{column: str(value) for column, value in row.items()} for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BackendUnavailableError(f"{path} can't be read as a table of objects: {error}") from error


def _columns(rows: list[dict[str, str]]) -> tuple[str | None, str | None]:
    """Return which column names an object and which says what it is."""
    columns = rows[0] if rows else {}
    return next((c for c in ("handle", "id") if c in columns), None), next(
        (c for c in ("type", "clean_category", "main_category") if c in columns), None
    )


def kind_of(template: str, kinds: Mapping[str, str]) -> str:
    """Return what an object is, in the form of the household's categories: TvStand, Bowl."""
    words = kinds.get(template) or _PREFIX.sub("", template)
    parts = [p.rstrip("0123456789") for p in re.split(r"[^A-Za-z0-9]+", words)]
    return "".join(p[:1].upper() + p[1:] for p in parts) or "Thing"


def _rooms(named: tuple[HabitatRoom, ...], loaded: LoadedScene, floor: float) -> tuple[Room, ...]:
    """Return the regions on the robot's floor; where none are named, all of it is one room."""
    here = [r for r in named if r.low[2] - 1.0 <= floor <= r.high[2]]
    regions = here or [HabitatRoom("home", "", loaded.navmesh_low, loaded.navmesh_high)]
    return tuple(
        Room(r.name, kind_of(r.kind, {}) if r.kind else "Room", "", 0, (r.low[0], r.low[1]), (r.high[0], r.high[1]))
        for r in regions
    )


def _room_at(x: float, y: float, rooms: tuple[Room, ...]) -> str:
    """Return the room whose outline holds a point, else the nearest."""

    def away(room: Room) -> float:
        outside = [max(low - v, v - high, 0.0) for v, low, high in zip((x, y), room.low, room.high, strict=True)]
        return math.hypot(*outside)

    return min(rooms, key=away).name


def _specs(
    objects: tuple[HabitatObject, ...], kinds: Mapping[str, str], rooms: tuple[Room, ...]
) -> tuple[ObjectSpec, ...]:
    boxes = {o.handle: box_between(o.low, o.high) for o in objects}
    fixed = {o.handle: boxes[o.handle] for o in objects if not _carried(o, boxes[o.handle])}
    specs = []
    for found in objects:
        box = boxes[found.handle]
        affordances = set()
        if found.handle not in fixed:
            affordances.add("pickupable")
        elif box.size[0] * box.size[1] >= _SMALLEST_PLACE:
            affordances.add("receptacle")
        if found.openable:
            affordances |= {"openable", "receptacle"}
        specs.append(
            ObjectSpec(
                id=found.handle,
                category=kind_of(found.template, kinds),
                box=box,
                yaw=0.0,
                room=_room_at(box.center[0], box.center[1], rooms),
                affordances=frozenset(affordances),
                states={"isOpen": found.opened} if found.openable else {},
                parent=_holder(box, fixed) if found.handle not in fixed else "",
            )
        )
    return tuple(specs)


def _carried(found: HabitatObject, box: Box) -> bool:
    return not found.fixed and max(box.size) <= _LARGEST_CARRIED


def _holder(box: Box, fixed: Mapping[str, Box]) -> str:
    """Return the smallest furniture that something rests on or is in; empty for none."""
    x, y, bottom = box.center[0], box.center[1], box.low[2]
    found = [
        name
        for name, other in fixed.items()
        if other.low[0] <= x <= other.high[0]
        and other.low[1] <= y <= other.high[1]
        and other.low[2] - _REST <= bottom <= other.high[2] + _REST
    ]
    return min(found, key=lambda name: (math.prod(fixed[name].size), name), default="")


def _free(loaded: LoadedScene, habitat: HabitatClient, rooms: tuple[Room, ...]) -> dict[Cell, str]:
    """Return the cells of the robot's floor that the navmesh reaches from where it is."""
    floor: Point = loaded.robot.position
    (x0, y0, _), (x1, y1, _) = loaded.navmesh_low, loaded.navmesh_high
    cells = [
        (i, j, 0)
        for i in range(math.ceil(x0 / CELL), math.floor(x1 / CELL) + 1)
        for j in range(math.ceil(y0 / CELL), math.floor(y1 / CELL) + 1)
    ]
    if not cells:
        return {}
    points = np.array([(i * CELL, j * CELL, floor[2]) for i, j, _ in cells])
    found = habitat.snap(points, floor)
    good = (np.abs(found - points) <= (_NEAR, _NEAR, 0.4)).all(axis=1)
    return {c: _room_at(c[0] * CELL, c[1] * CELL, rooms) for c, ok in zip(cells, good.tolist(), strict=True) if ok}
