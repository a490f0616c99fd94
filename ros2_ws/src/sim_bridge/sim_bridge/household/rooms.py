# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded floor plan as a room: where its walls are and what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from sim_bridge.household.accessibility import within_reach
from sim_bridge.household.basins import shallow
from sim_bridge.household.carving import carve
from sim_bridge.household.free_space import connected_cells
from sim_bridge.household.model import CELL, Box, Cell, ObjectSpec, Room, Scene
from sim_bridge.household.recorded import Recording, recording

_MARGIN = 0.3
"""Metres between a free cell's centre and the wall, at least."""

_FLOOR_THICKNESS = 0.1


@cache
def room_bounds(floor_plan: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the smallest and largest x, y that objects and free cells fill: where the walls' inner faces are.

    The recorded floor is no help: it reaches metres beyond the walls in some rooms.
    """
    rec = recording(floor_plan)
    boxes = [o.box for o in rec.objects if o.category != "Floor"]
    low, high = [], []
    for axis in (0, 1):
        cells = [c[axis] * CELL for c in rec.cells]
        low.append(min(min(cells) - _MARGIN, *(b.low[axis] for b in boxes)))
        high.append(max(max(cells) + _MARGIN, *(b.high[axis] for b in boxes)))
    return (low[0], low[1]), (high[0], high[1])


@cache
def room_scene(floor_plan: str) -> Scene:
    """Return a floor plan as a scene of one room, under the ids and in the place of the recording.

    KeyError for an unknown one, RecordingsMissingError when the recordings are not installed.
    """
    rec = recording(floor_plan)
    room = Room(floor_plan, rec.kind, floor_plan, 0, *room_bounds(floor_plan))
    cells = connected_cells(rec)
    free: dict[Cell, str] = {(i, j, 0): floor_plan for i, j in sorted(cells)}
    carved = carve(rec.objects, cells)
    return within_reach(Scene(floor_plan, (room,), (), _objects(rec), free, start_cell(free), carved=carved))


def _objects(rec: Recording) -> tuple[ObjectSpec, ...]:
    """Return the objects of a room, its floor cut to the walls and its basins shallow."""
    low, high = room_bounds(rec.floor_plan)
    size = (high[0] - low[0], high[1] - low[1], _FLOOR_THICKNESS)
    floor = Box(((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -_FLOOR_THICKNESS / 2), size)
    room = rec.floor_plan
    objects = (replace(o, room=room, box=floor if o.category == "Floor" else o.box) for o in rec.objects)
    return shallow(tuple(objects))


def start_cell(free: Mapping[Cell, str]) -> Cell:
    """Return the free cell nearest to the middle of the free cells."""
    x, y = (sum(c[a] for c in free) / len(free) for a in (0, 1))
    return min(free, key=lambda c: ((c[0] - x) ** 2 + (c[1] - y) ** 2, c))
