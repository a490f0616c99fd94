# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a scene tells about the shapes of its objects: where things rest, which way doors open, what must stay clear."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from sim_bridge.household.boxes import box_between, overlap
from sim_bridge.household.model import CELL, Box, ObjectSpec, ObjectState, Scene
from sim_bridge.household.primitives import Primitive
from sim_bridge.household.shapes import shape
from sim_bridge.household.structure import stairwells
from sim_bridge.simulation.categories import BASINS, SURFACE

_INSETS = frozenset(("BathtubBasin", "Cabinet", "Drawer", "Fridge", "Microwave", "Safe", "Shelf", "Sink", "SinkBasin"))
"""What is let into other furniture, whose recorded box covers it."""

_TURNED_TO_THE_ROOM = frozenset(("Bed", "Cabinet", "Drawer", "Safe", "Shelf", "ShelvingUnit"))
"""Types whose recorded yaw does not tell where their front is: it is taken to be the side that free floor lies on.

Of the 120 recorded rooms' fridges, desks, dressers, sofas and televisions nearly all face free floor; of these a
quarter to a half.
"""

_UNEVEN = 0.08
"""Metres by which recorded resting heights on one surface differ."""

_ABOVE_BASIN = 0.15
"""Metres above a basin that must be clear: counters are recorded as thin slabs, some above the basins in them."""

_REACH = 1.2
"""Metres within which free floor counts."""

_KEPT = 16
"""Scenes whose furnishing is kept."""


@dataclass
class Furnishing:
    """Makes the shapes of a scene's objects, and keeps them."""

    rests: Mapping[str, float]
    fronts: Mapping[str, float]
    holes: Mapping[str, tuple[Box, ...]]
    _made: dict[str, tuple[tuple[object, ...], tuple[Primitive, ...]]] = field(default_factory=dict)

    def shape(self, state: ObjectState) -> tuple[Primitive, ...]:
        """Return the primitives of an object as it is now."""
        opened = state.states.get("isOpen") == "true"
        key = (state.boxes, state.yaw, opened)
        made = self._made.get(state.id)
        if made is None or made[0] != key:
            name = state.id
            parts = shape(
                state.category,
                state.boxes,
                self.fronts.get(name, state.yaw),
                opened=opened,
                rest=self.rests.get(name, 0.0),
                holes=self.holes.get(name, ()),
            )
            made = self._made[name] = (key, parts)
        return made[1]


@lru_cache(_KEPT)
def furnish(scene: Scene) -> Furnishing:
    """Read from a scene's start what its shapes need to know."""
    fixed = [o for o in scene.objects if not o.movable]
    return Furnishing(
        rests=resting_heights(scene),
        fronts={o.id: _front(o, scene) for o in fixed if o.category in _TURNED_TO_THE_ROOM},
        holes={o.id: _holes(o, fixed, scene) for o in fixed},
    )


def resting_heights(scene: Scene) -> dict[str, float]:
    """Return the heights in metres above the bottoms of furniture at which things rest on it: id → height or 0."""
    return {o.id: _rest(o, scene) for o in scene.objects if not o.movable}


def _rest(spec: ObjectSpec, scene: Scene) -> float:
    """Return the height above its bottom at which things rest on it, 0 when there are none.

    That is where most do, or a little lower, so that the lowest of them is not sunk in; it is below the bottom of
    some shelves' boxes.
    """
    height = spec.box.size[2]
    heights = [o.box.low[2] - spec.box.low[2] for o in scene.objects if o.parent == spec.id and o.movable]
    if spec.category == "Shelf":
        return min([0.0, *heights])
    heights += [f * height for f in SURFACE.get(spec.category, ())[:1]]
    above = [h for h in heights if h > 0.3 * height]
    if not above:
        return 0.0
    usual = statistics.median_low(above)
    return min(h for h in above if h > usual - _UNEVEN)


def _front(spec: ObjectSpec, scene: Scene) -> float:
    """Return the yaw of the side that most free floor lies on, near cells counting more; of a bed an end."""
    storey = next((r.storey for r in scene.rooms if r.name == spec.room), 0)
    (x0, y0, _), (x1, y1, _) = spec.box.low, spec.box.high
    votes = [0.0, 0.0, 0.0, 0.0]
    for i, j, level in scene.free:
        if level != storey:
            continue
        dx = max(i * CELL - x1, 0.0) + min(i * CELL - x0, 0.0)
        dy = max(j * CELL - y1, 0.0) + min(j * CELL - y0, 0.0)
        distance = math.hypot(dx, dy)
        if distance > _REACH or (dx and dy):
            continue
        side = (0 if dx > 0 else 2) if dx else (1 if dy > 0 else 3)
        votes[side] += 1 / (distance + 0.2)
    sides: tuple[int, ...] = (0, 1, 2, 3)
    if spec.category == "Bed":
        sides = (0, 2) if spec.box.size[0] > spec.box.size[1] else (1, 3)
    best = max(sides, key=lambda side: votes[side])
    return best * math.pi / 2 if votes[best] else spec.yaw


def _holes(spec: ObjectSpec, fixed: list[ObjectSpec], scene: Scene) -> tuple[Box, ...]:
    """Return what must be cut out of a piece of furniture: what is let into it, and stairs out of a floor."""
    if spec.category == "Floor":
        return stairwells(scene)
    if spec.category in _INSETS and spec.category != "Sink":
        return ()
    if spec.category in {"Sink", "Bathtub"}:
        return _above_the_rim(spec, fixed) + _let_in(spec, fixed, scene)
    return _let_in(spec, fixed, scene)


def _above_the_rim(spec: ObjectSpec, fixed: list[ObjectSpec]) -> tuple[Box, ...]:
    """Return what of the box of a sink or tub is above its basins: some are recorded with their splashback."""
    rims = [o.box.high[2] for o in fixed if o.category in BASINS and o.id != spec.id and overlap(o.box, spec.box)]
    (x0, y0, bottom), (x1, y1, top) = spec.box.low, spec.box.high
    rim = max(rims, default=top)
    return (box_between((x0, y0, rim), (x1, y1, top)),) if bottom < rim < top else ()


def _let_in(spec: ObjectSpec, fixed: list[ObjectSpec], scene: Scene) -> tuple[Box, ...]:
    """Return the space of what is let into a piece of furniture."""
    area = spec.box.size[0] * spec.box.size[1]
    return tuple(
        hole
        for o, hole in ((o, _opening(o)) for o in fixed if o.category in _INSETS)
        if o.id != spec.id
        and o.room == spec.room
        and o.box.size[0] * o.box.size[1] < area
        and any(overlap(hole, b) for b in scene.carved.get(spec.id, (spec.box,)))
    )


def _opening(spec: ObjectSpec) -> Box:
    """Return the space that something let into furniture needs, a basin up to above its rim."""
    rise = _ABOVE_BASIN if spec.category in BASINS else 0.0
    x, y, z = spec.box.high
    return box_between(spec.box.low, (x, y, z + rise))
