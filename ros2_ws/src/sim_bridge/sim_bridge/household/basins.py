# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Sinks and bathtubs made as shallow as the robot can look into.

AI2-THOR's agent, with which the rooms were recorded, has its camera half a metre above that of our robot, which from
beside a counter would see only the rim of most sinks. So the bottom of a basin, with what lies there, is raised, and
what lies in a garbage can, too, lies on others' garbage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sim_bridge.household.boxes import box_between, moved, overlap
from sim_bridge.household.model import Box, ObjectSpec
from sim_bridge.household.visibility import CAMERA_HEIGHT
from sim_bridge.simulation.categories import SURFACE

_BASINS = frozenset({"BathtubBasin", "SinkBasin"})

_STAND_OFF = 0.8
"""Metres from the robot's camera to a basin's rim."""

_NEAR_SIDE = 0.2
"""Share of a basin's width, from the rim towards the middle, of which the bottom need not be seen."""

_SHALLOWEST = 0.01
"""Metres."""

_ABOVE = 0.1
"""Metres by which the slab of a counter may be recorded above the basin in it."""


def shallow(objects: Sequence[ObjectSpec]) -> tuple[ObjectSpec, ...]:
    """Return the objects of a room, floor at z = 0, with their basins and what is in these and in cans raised."""
    basins = {o.id: _raised(o.box, objects) for o in objects if o.category in _BASINS}
    lifts = {o.id: basins[o.id].low[2] - o.box.low[2] for o in objects if o.id in basins}
    lifts |= {o.id: _lift_in_can(o, objects) for o in objects if o.category == "GarbageCan"}
    parents = {o.id: o.parent for o in objects}

    def box_of(spec: ObjectSpec) -> Box:
        if spec.id in basins:
            return basins[spec.id]
        parent = spec.parent
        while parent in parents and parent not in lifts:
            parent = parents[parent]
        return moved(spec.box, (0.0, 0.0, lifts.get(parent, 0.0))) if spec.movable else spec.box

    return tuple(replace(o, box=box_of(o)) for o in objects)


def _raised(basin: Box, objects: Sequence[ObjectSpec]) -> Box:
    """Return the box of a basin that is no deeper than can be seen."""
    (x0, y0, bottom), (x1, y1, top) = basin.low, basin.high
    above = box_between((x0, y0, bottom), (x1, y1, top + _ABOVE))
    slabs = [o.box.high[2] for o in objects if o.category == "CounterTop" and overlap(o.box, above)]
    rim = max([top, *(z for z in slabs if z <= top + _ABOVE)])
    seen = (CAMERA_HEIGHT - rim) / _STAND_OFF * _NEAR_SIDE * min(x1 - x0, y1 - y0)
    depth = min(rim - bottom, max(seen, _SHALLOWEST))
    return box_between((x0, y0, rim - depth), (x1, y1, rim))


def _lift_in_can(can: ObjectSpec, objects: Sequence[ObjectSpec]) -> float:
    """Return by how many metres the lowest thing in a garbage can is below where things are put into it."""
    level = can.box.low[2] + SURFACE[can.category][0] * can.box.size[2]
    return max([0.0, *(level - o.box.low[2] for o in objects if o.parent == can.id)])
